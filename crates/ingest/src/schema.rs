//! The OpenAPI schema of events.
//!
//! It is declared apart from the reader, because `event_reader` takes values that borrow from the body, one event at a time while the
//! body is decompressed, and the kind of an event decides which fields it has.

use web::ToSchema;

/// An event. The kind decides which fields it has:
///
/// - `incursion`: tag, operator_tag, started_at, ended_at or duration_ms, acknowledged_at, zone, closest_cm, lat, lon
/// - `runtime`: started_at, ended_at, operator_tag
/// - `gps`: fixes
/// - `status`: at, firmware, battery, faults, zones
/// - `alarm` and `log`: at, code, severity, text
/// - `tag_battery`: at, tag, percent
/// - `tag_test`: at, tag, passed
/// - `receipt`: at, message_id, state
#[derive(ToSchema)]
#[schema(example = json!({
    "uid": "st-0042-000017",
    "kind": "incursion",
    "tag": "TAG-0042",
    "operator_tag": "TAG-0007",
    "started_at": "2026-03-01T08:00:00Z",
    "duration_ms": 8_400,
    "acknowledged_at": "2026-03-01T08:00:03Z",
    "zone": "warning",
    "closest_cm": 310,
    "lat": 52.520_008,
    "lon": 13.404_954
}))]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct Event {
    /// Identifier that the device gives the event, unique for its base station and kind. Repeats are recognised by it.
    #[schema(min_length = 1, max_length = 64)]
    uid: String,
    kind: Kind,
    /// Serial of the base station. A gateway must give it; for a base station it is optional.
    base_station: Option<String>,
    /// Time of the event, RFC 3339, for kinds without `started_at`.
    #[schema(format = DateTime)]
    at: Option<String>,
    /// Serial of the tag that came near, or that the event is about.
    tag: Option<String>,
    /// Serial of the operator's tag.
    operator_tag: Option<String>,
    /// Start time, RFC 3339. It must be at most five minutes in the future and at most 400 days in the past.
    #[schema(format = DateTime)]
    started_at: Option<String>,
    /// End time, RFC 3339. It may be sent later, with the same uid.
    #[schema(format = DateTime)]
    ended_at: Option<String>,
    /// Duration in milliseconds, as an alternative to `ended_at`. It must be at most 7 days.
    #[schema(minimum = 0)]
    duration_ms: Option<i64>,
    /// Time at which the button in the cab was pressed, RFC 3339.
    #[schema(format = DateTime)]
    acknowledged_at: Option<String>,
    zone: Option<Zone>,
    /// Smallest distance between tag and machine, in centimetres.
    #[schema(minimum = 0, maximum = 100_000)]
    closest_cm: Option<i64>,
    /// Latitude in degrees.
    #[schema(minimum = -90, maximum = 90)]
    lat: Option<f64>,
    /// Longitude in degrees.
    #[schema(minimum = -180, maximum = 180)]
    lon: Option<f64>,
    /// GPS positions, each as `[at, lat, lon, speed_kmh?, heading?, accuracy_m?]`, at most 3,600.
    #[schema(value_type = Option<Vec<Vec<serde_json::Value>>>, example = json!([["2026-03-01T08:00:00Z", 52.52, 13.4, 7.5, 270, 2]]))]
    fixes: Option<Vec<Vec<String>>>,
    /// Firmware version of the base station.
    #[schema(max_length = 64)]
    firmware: Option<String>,
    /// Battery level of the base station, in percent.
    #[schema(minimum = 0, maximum = 100)]
    battery: Option<i64>,
    /// Current faults of the base station. The list is empty if there are none.
    faults: Option<Vec<String>>,
    /// Current radii of the base station's zones, per antenna.
    zones: Option<Vec<AntennaZones>>,
    /// Code of the alarm or log entry, for programs.
    #[schema(max_length = 64)]
    code: Option<String>,
    severity: Option<Severity>,
    /// Text of the alarm or log entry, for people.
    #[schema(max_length = 1000)]
    text: Option<String>,
    /// Battery level of the tag, in percent.
    #[schema(minimum = 0, maximum = 100)]
    percent: Option<i64>,
    /// Whether the tag passed the test.
    passed: Option<bool>,
    /// Id of the message that the receipt is for.
    message_id: Option<i64>,
    state: Option<ReceiptState>,
}

/// The kind of an event.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the body for OpenAPI")]
pub enum Kind {
    Incursion,
    Runtime,
    Gps,
    Status,
    Alarm,
    Log,
    TagBattery,
    TagTest,
    Receipt,
}

/// The zone that a tag entered.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the body for OpenAPI")]
pub enum Zone {
    Warning,
    Danger,
}

/// The severity of an alarm or log entry.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the body for OpenAPI")]
pub enum Severity {
    Info,
    Warning,
    Error,
    Critical,
}

/// State of a message in the cab.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the body for OpenAPI")]
pub enum ReceiptState {
    Delivered,
    Displayed,
    Acknowledged,
}

/// The radii of the zones around one antenna.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI")]
pub struct AntennaZones {
    /// Name of the antenna.
    #[schema(max_length = 32)]
    antenna: String,
    /// Radius of the warning zone in metres.
    #[schema(minimum = 0.5, maximum = 50)]
    warning_m: f64,
    /// Radius of the danger zone in metres.
    #[schema(minimum = 0.5, maximum = 50)]
    danger_m: f64,
}
