//! What an event looks like, for OpenAPI; it is read field by field in `read.rs`.

use utoipa::ToSchema;

/// An event. Which fields it has depends on its kind: `incursion`: tag, operator_tag, started_at, ended_at or duration_ms,
/// acknowledged_at, zone, closest_cm, lat, lon. `runtime`: started_at, ended_at, operator_tag. `gps`: fixes. `status`: at, firmware,
/// battery, faults, zones. `alarm`, `log`: at, code, severity, text. `tag_battery`: at, tag, percent. `tag_test`: at, tag, passed.
/// `receipt`: at, message_id, state.
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
    /// What the device calls it, so that it can be sent again. Unique for its station and kind.
    #[schema(min_length = 1, max_length = 64)]
    uid: String,
    kind: Kind,
    /// The serial of the station; a gateway must say, a station need not.
    base_station: Option<String>,
    /// When it was; for kinds without times of their own.
    #[schema(format = DateTime)]
    at: Option<String>,
    /// The tag that came near, or is spoken of.
    tag: Option<String>,
    /// The tag of who drove.
    operator_tag: Option<String>,
    /// Since when. Not more than five minutes ahead, not more than 400 days ago.
    #[schema(format = DateTime)]
    started_at: Option<String>,
    /// Until when; may be sent later, with the same uid.
    #[schema(format = DateTime)]
    ended_at: Option<String>,
    /// Instead of `ended_at`: at most 7 days.
    #[schema(minimum = 0)]
    duration_ms: Option<i64>,
    /// When the button in the cab was pressed.
    #[schema(format = DateTime)]
    acknowledged_at: Option<String>,
    zone: Option<Zone>,
    /// The least distance.
    #[schema(minimum = 0, maximum = 100_000)]
    closest_cm: Option<i64>,
    #[schema(minimum = -90, maximum = 90)]
    lat: Option<f64>,
    #[schema(minimum = -180, maximum = 180)]
    lon: Option<f64>,
    /// `[at, lat, lon, speed_kmh?, heading?, accuracy_m?]`, at most 3,600.
    #[schema(value_type = Option<Vec<Vec<serde_json::Value>>>, example = json!([["2026-03-01T08:00:00Z", 52.52, 13.4, 7.5, 270, 2]]))]
    fixes: Option<Vec<Vec<String>>>,
    /// The version of the station's program.
    #[schema(max_length = 64)]
    firmware: Option<String>,
    /// How full the station's battery is.
    #[schema(minimum = 0, maximum = 100)]
    battery: Option<i64>,
    /// What is wrong with the station; an empty list if nothing is.
    faults: Option<Vec<String>>,
    /// How far the station's zones reach now.
    zones: Option<Vec<AntennaZones>>,
    /// For programs.
    #[schema(max_length = 64)]
    code: Option<String>,
    severity: Option<Severity>,
    /// For people.
    #[schema(max_length = 1000)]
    text: Option<String>,
    /// How full the tag's battery is.
    #[schema(minimum = 0, maximum = 100)]
    percent: Option<i64>,
    /// Whether the tag works.
    passed: Option<bool>,
    /// The message that was received.
    message_id: Option<i64>,
    state: Option<ReceiptState>,
}

/// What is reported.
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

/// How near.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the body for OpenAPI")]
pub enum Zone {
    Warning,
    Danger,
}

/// How grave.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the body for OpenAPI")]
pub enum Severity {
    Info,
    Warning,
    Error,
    Critical,
}

/// How far a message has come.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes the body for OpenAPI")]
pub enum ReceiptState {
    Delivered,
    Displayed,
    Acknowledged,
}

/// The zones around one antenna.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI")]
pub struct AntennaZones {
    #[schema(max_length = 32)]
    antenna: String,
    #[schema(minimum = 0.5, maximum = 50)]
    warning_m: f64,
    #[schema(minimum = 0.5, maximum = 50)]
    danger_m: f64,
}
