//! Reads the fields of an event, for each kind.

use domain::antenna::MAX_ANTENNAS;
use domain::event::{
    IncursionReport, LogEntry, LogEntryKind, Receipt, ReceiptState, RuntimeReport, Severity, StatusReport,
    TagBatteryReport, TagTestReport,
};
use domain::{
    AntennaZones, Coordinates, Event, EventPayload, Fix, Invalid, MessageId, PartName, Percent, Serial, Span,
    TimeWindow, Timestamp, Uid, Zone, ZoneRadius,
};

use crate::fields::{Fields, boolean, integer, integer_within, list, number, text, time};
use crate::json::Json;

/// The longest duration of an incursion or a period of runtime.
const MAX_DURATION_MS: i64 = 7 * 24 * 60 * 60 * 1_000;

/// The maximum number of fixes in one event: one per second for an hour.
const MAX_FIXES: usize = 3_600;

/// An event that was rejected.
#[derive(Debug)]
pub struct EventRejection {
    /// The uid, if it could be read.
    pub uid: Option<String>,
    pub invalid: Invalid,
}

pub fn read_event(value: Json<'_>, window: TimeWindow) -> Result<Event, EventRejection> {
    if value == Json::TooManyValues {
        let invalid = Invalid::new("too_many", "has too many values");
        return Err(EventRejection { uid: None, invalid });
    }
    let Json::Object(entries) = value else {
        return Err(EventRejection {
            uid: None,
            invalid: Invalid::new("wrong_type", "must be a JSON object"),
        });
    };
    let uid = entries.iter().find_map(|(name, value)| match value {
        Json::Text(text) if name == "uid" => Some(text.chars().take(64).collect::<String>()),
        _ => None,
    });
    let read = Fields::new(entries, window).and_then(|mut fields| {
        let event = read_event_fields(&mut fields);
        fields.finish(event)
    });
    read.map_err(|invalid| EventRejection { uid, invalid })
}

fn read_event_fields(fields: &mut Fields<'_>) -> Option<Event> {
    let uid = fields.required("uid", text(Uid::parse));
    let base_station = fields.optional("base_station", text(Serial::parse));
    let kind = fields.required("kind", text(|kind| Ok(kind.to_owned())))?;
    let report = match kind.as_str() {
        "incursion" => incursion(fields).map(EventPayload::Incursion),
        "runtime" => runtime(fields).map(EventPayload::Runtime),
        "gps" => gps(fields).map(EventPayload::Gps),
        "status" => status(fields).map(EventPayload::Status),
        "alarm" => log_entry(fields, LogEntryKind::Alarm).map(EventPayload::LogEntry),
        "log" => log_entry(fields, LogEntryKind::Log).map(EventPayload::LogEntry),
        "tag_battery" => tag_battery(fields).map(EventPayload::TagBattery),
        "tag_test" => tag_test(fields).map(EventPayload::TagTest),
        "receipt" => receipt(fields).map(EventPayload::Receipt),
        _ => {
            let kinds = "incursion, runtime, gps, status, alarm, log, tag_battery, tag_test, receipt";
            fields.add_fault("kind", Invalid::new("unknown_kind", format!("must be one of {kinds}")));
            None
        }
    };
    Some(Event { uid: uid?, base_station, payload: report? })
}

fn incursion(fields: &mut Fields<'_>) -> Option<IncursionReport> {
    // The kind has times of its own. `at` may be sent too, and is checked.
    fields.optional_time("at");
    let tag = fields.required("tag", text(Serial::parse));
    let operator_tag = fields.optional("operator_tag", text(Serial::parse));
    let started_at = fields.required_time("started_at");
    let ended_at = fields.optional_time("ended_at");
    let duration_ms = fields.optional("duration_ms", integer_within(0, MAX_DURATION_MS));
    let acknowledged_at = fields.optional_time("acknowledged_at");
    let zone = fields.required("zone", text(Zone::parse));
    let closest_cm = fields.optional("closest_cm", integer_within(0, 100_000));
    let place = position(fields);
    let started_at = started_at?;
    let ended_at = match (ended_at, duration_ms) {
        (Some(ended_at), None) => Some(ended_at),
        (None, Some(duration)) => Some(started_at + Span::millis(duration)),
        (Some(ended_at), Some(duration)) => {
            if (ended_at - (started_at + Span::millis(duration))).micros().abs() >= 1_000 {
                fields.add_fault(
                    "duration_ms",
                    Invalid::new("contradiction", "does not agree with started_at and ended_at"),
                );
            }
            Some(ended_at)
        }
        (None, None) => None,
    };
    if let Some(ended_at) = ended_at {
        check_end(fields, started_at, ended_at);
        // Only an end that was computed from `duration_ms` can still be outside the window.
        if let Err(invalid) = fields.window().check(ended_at) {
            fields.add_fault("duration_ms", invalid);
        }
    }
    if acknowledged_at.is_some_and(|at| at < started_at) {
        fields.add_fault("acknowledged_at", Invalid::new("bad_order", "must not be before started_at"));
    }
    Some(IncursionReport {
        tag: tag?,
        operator_tag,
        started_at,
        ended_at,
        acknowledged_at,
        zone: zone?,
        closest_cm,
        position: place,
    })
}

fn check_end(fields: &mut Fields<'_>, started_at: Timestamp, ended_at: Timestamp) {
    if ended_at < started_at {
        fields.add_fault("ended_at", Invalid::new("bad_order", "must not be before started_at"));
    } else if ended_at - started_at > Span::millis(MAX_DURATION_MS) {
        fields.add_fault("ended_at", Invalid::new("out_of_range", "must be at most 7 days after started_at"));
    }
}

fn position(fields: &mut Fields<'_>) -> Option<Coordinates> {
    let lat = fields.optional("lat", |value| Coordinates::latitude_e7(number(&value)?));
    let lon = fields.optional("lon", |value| Coordinates::longitude_e7(number(&value)?));
    match (lat, lon) {
        (Some(lat_e7), Some(lon_e7)) => Some(Coordinates { lat_e7, lon_e7 }),
        (None, None) => None,
        (one, _) => {
            let missing = if one.is_some() { "lon" } else { "lat" };
            fields.add_fault(
                missing,
                Invalid::new("required", "must be given, because lat and lon belong together"),
            );
            None
        }
    }
}

fn runtime(fields: &mut Fields<'_>) -> Option<RuntimeReport> {
    fields.optional_time("at");
    let started_at = fields.required_time("started_at");
    let ended_at = fields.required_time("ended_at");
    let operator_tag = fields.optional("operator_tag", text(Serial::parse));
    let (started_at, ended_at) = (started_at?, ended_at?);
    if ended_at == started_at {
        fields.add_fault("ended_at", Invalid::new("bad_order", "must be after started_at"));
    }
    check_end(fields, started_at, ended_at);
    Some(RuntimeReport { started_at, ended_at, operator_tag })
}

fn gps(fields: &mut Fields<'_>) -> Option<Vec<Fix>> {
    fields.optional_time("at");
    let window = fields.window();
    let fixes = fields.required("fixes", list(MAX_FIXES, |value| fix(value, window)))?;
    if fixes.is_empty() {
        fields.add_fault("fixes", Invalid::new("required", "must not be empty"));
    }
    Some(fixes)
}

/// Reads `[at, lat, lon, speed_kmh?, heading?, accuracy_m?]`.
fn fix(value: Json<'_>, window: TimeWindow) -> Result<Fix, Invalid> {
    let Json::List(parts) = value else {
        return Err(Invalid::new("wrong_type", "must be [at, lat, lon, speed_kmh, heading, accuracy_m]"));
    };
    if !(3..=6).contains(&parts.len()) {
        return Err(Invalid::new(
            "wrong_type",
            "must have 3 to 6 values: at, lat, lon, speed_kmh, heading, accuracy_m",
        ));
    }
    let named = |name: &'static str| {
        move |invalid: Invalid| Invalid::new(invalid.code, format!("{name}: {}", invalid.message))
    };
    let at = time(&parts[0], window).map_err(named("at"))?;
    let lat = number(&parts[1]).and_then(Coordinates::latitude_e7).map_err(named("lat"))?;
    let lon = number(&parts[2]).and_then(Coordinates::longitude_e7).map_err(named("lon"))?;
    let quantized = |index: usize, name: &'static str, max: f64, step: f64| match parts.get(index) {
        None | Some(Json::Null) => Ok(None),
        Some(value) => {
            let number = number(value).map_err(named(name))?;
            if !(0.0..=max).contains(&number) {
                return Err(Invalid::new("out_of_range", format!("{name}: must be from 0 to {max}")));
            }
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 10,000")]
            Ok(Some((number / step).round() as u16))
        }
    };
    let (speed, heading) = (quantized(3, "speed_kmh", 400.0, 0.5)?, quantized(4, "heading", 360.0, 5.0)?);
    Ok(Fix {
        at_ms: at.micros().div_euclid(1_000),
        lat_e6: to_millionths(lat),
        lon_e6: to_millionths(lon),
        speed_half_kmh: speed,
        heading_5deg: heading.and_then(|steps| u8::try_from(steps % 72).ok()),
        accuracy_m: quantized(5, "accuracy_m", 10_000.0, 1.0)?,
    })
}

/// Rounds ten-millionths to the nearest millionth.
fn to_millionths(parts: i32) -> i32 {
    (parts + if parts < 0 { -5 } else { 5 }) / 10
}

fn status(fields: &mut Fields<'_>) -> Option<StatusReport> {
    let at = fields.required_time("at");
    let firmware = fields.optional("firmware", text(|text| trimmed_text(text, 64)));
    let battery = fields.optional("battery", |value| Percent::new(integer(&value)?));
    let faults = fields.required("faults", list(32, |value| text(|text| trimmed_text(text, 100))(value)));
    let zones = fields.optional("zones", list(MAX_ANTENNAS, zone));
    if let Some(zones) = &zones {
        let twice = zones.iter().enumerate().any(|(index, zone)| {
            zones[..index].iter().any(|before| before.antenna.key() == zone.antenna.key())
        });
        if twice {
            fields.add_fault("zones", Invalid::new("duplicate_antenna", "must not name an antenna twice"));
        }
    }
    Some(StatusReport { at: at?, firmware, battery, faults: faults?, zones })
}

fn zone(value: Json<'_>) -> Result<AntennaZones, Invalid> {
    let Json::Object(entries) = value else {
        return Err(Invalid::new("wrong_type", "must be an object with antenna, warning_m and danger_m"));
    };
    // None of the fields of a zone is a time.
    let window = TimeWindow { from: Timestamp::from_micros(0), to: Timestamp::from_micros(0) };
    let mut fields = Fields::new(entries, window)?;
    let antenna = fields.required("antenna", text(PartName::parse));
    let warning = fields.required("warning_m", |value| ZoneRadius::from_metres(number(&value)?));
    let danger = fields.required("danger_m", |value| ZoneRadius::from_metres(number(&value)?));
    if let (Some(warning), Some(danger)) = (warning, danger)
        && danger > warning
    {
        fields.add_fault("danger_m", Invalid::new("out_of_range", "must not be greater than warning_m"));
    }
    let zones = match (antenna, warning, danger) {
        (Some(antenna), Some(warning), Some(danger)) => Some(AntennaZones { antenna, warning, danger }),
        _ => None,
    };
    fields.finish(zones)
}

/// Text of 1 to `limit` characters without control characters.
fn trimmed_text(words: &str, limit: usize) -> Result<String, Invalid> {
    let words = words.trim();
    if words.is_empty() {
        return Err(Invalid::new("required", "must not be empty"));
    }
    domain::text::check(words, limit)?;
    Ok(words.to_owned())
}

fn log_entry(fields: &mut Fields<'_>, kind: LogEntryKind) -> Option<LogEntry> {
    let at = fields.required_time("at");
    let code = fields.required("code", text(|text| trimmed_text(text, 64)));
    let severity = fields.required("severity", text(Severity::parse));
    let text = fields.required("text", text(|text| trimmed_text(text, 1_000)));
    Some(LogEntry { kind, at: at?, code: code?, severity: severity?, text: text? })
}

fn tag_battery(fields: &mut Fields<'_>) -> Option<TagBatteryReport> {
    let at = fields.required_time("at");
    let tag = fields.required("tag", text(Serial::parse));
    let percent = fields.required("percent", |value| Percent::new(integer(&value)?));
    Some(TagBatteryReport { at: at?, tag: tag?, percent: percent? })
}

fn tag_test(fields: &mut Fields<'_>) -> Option<TagTestReport> {
    let at = fields.required_time("at");
    let tag = fields.required("tag", text(Serial::parse));
    let passed = fields.required("passed", boolean);
    Some(TagTestReport { at: at?, tag: tag?, passed: passed? })
}

fn receipt(fields: &mut Fields<'_>) -> Option<Receipt> {
    let at = fields.required_time("at");
    let message = fields.required("message_id", integer_within(1, i64::MAX));
    let state = fields.required("state", text(ReceiptState::parse));
    Some(Receipt { at: at?, message: MessageId(message?), state: state? })
}
