//! What an event should be, kind by kind.

use domain::antenna::MOST_ANTENNAS;
use domain::event::{
    IncursionReport, Receipt, ReceiptState, Remark, RemarkKind, RuntimeReport, Severity, StationTest,
    StatusReport, TagBattery,
};
use domain::{
    AntennaZones, Event, Fix, Invalid, MessageId, PartName, Percent, Place, Reach, Report, Serial, Span,
    TimeWindow, Timestamp, Uid, Zone,
};

use crate::fields::{Fields, flag, list, number, text, time, whole, whole_within};
use crate::json::Json;

/// The longest that an incursion or a stretch of runtime may last.
const LONGEST_MS: i64 = 7 * 24 * 60 * 60 * 1_000;

/// The most fixes of one event: an hour of one a second.
const MOST_FIXES: usize = 3_600;

/// An event that was refused, with its uid as far as it could be read.
#[derive(Debug)]
pub struct Refused {
    /// What it is called.
    pub uid: Option<String>,
    /// Why.
    pub invalid: Invalid,
}

/// Reads one event.
pub fn event(value: Json<'_>, window: TimeWindow) -> Result<Event, Refused> {
    if value == Json::TooMuch {
        let invalid = Invalid::new("too_many", "has more values than any event");
        return Err(Refused { uid: None, invalid });
    }
    let Json::Object(entries) = value else {
        return Err(Refused { uid: None, invalid: Invalid::new("wrong_type", "must be a JSON object") });
    };
    let uid = entries.iter().find_map(|(name, value)| match value {
        Json::Text(text) if name == "uid" => Some(text.chars().take(64).collect::<String>()),
        _ => None,
    });
    let read = Fields::new(entries, window).and_then(|mut fields| {
        let event = fields_of_event(&mut fields);
        fields.finish(event)
    });
    read.map_err(|invalid| Refused { uid, invalid })
}

fn fields_of_event(fields: &mut Fields<'_>) -> Option<Event> {
    let uid = fields.required("uid", text(Uid::parse));
    let base_station = fields.optional("base_station", text(Serial::parse));
    let kind = fields.required("kind", text(|kind| Ok(kind.to_owned())))?;
    let report = match kind.as_str() {
        "incursion" => incursion(fields).map(Report::Incursion),
        "runtime" => runtime(fields).map(Report::Runtime),
        "gps" => gps(fields).map(Report::Gps),
        "status" => status(fields).map(Report::Status),
        "alarm" => remark(fields, RemarkKind::Alarm).map(Report::Remark),
        "log" => remark(fields, RemarkKind::Log).map(Report::Remark),
        "tag_battery" => tag_battery(fields).map(Report::TagBattery),
        "tag_test" => tag_test(fields).map(Report::TagTest),
        "receipt" => receipt(fields).map(Report::Receipt),
        _ => {
            let kinds = "incursion, runtime, gps, status, alarm, log, tag_battery, tag_test, receipt";
            fields.fault("kind", Invalid::new("unknown_kind", format!("must be one of {kinds}")));
            None
        }
    };
    Some(Event { uid: uid?, base_station, report: report? })
}

fn incursion(fields: &mut Fields<'_>) -> Option<IncursionReport> {
    // Its own times say when it was; `at` may be sent along, and is checked.
    fields.optional_time("at");
    let tag = fields.required("tag", text(Serial::parse));
    let operator_tag = fields.optional("operator_tag", text(Serial::parse));
    let started_at = fields.required_time("started_at");
    let ended_at = fields.optional_time("ended_at");
    let duration_ms = fields.optional("duration_ms", whole_within(0, LONGEST_MS));
    let acknowledged_at = fields.optional_time("acknowledged_at");
    let zone = fields.required("zone", text(Zone::parse));
    let closest_cm = fields.optional("closest_cm", whole_within(0, 100_000));
    let place = place(fields);
    let started_at = started_at?;
    let ended_at = match (ended_at, duration_ms) {
        (Some(ended_at), None) => Some(ended_at),
        (None, Some(duration)) => Some(started_at + Span::millis(duration)),
        (Some(ended_at), Some(duration)) => {
            if (ended_at - (started_at + Span::millis(duration))).micros().abs() >= 1_000 {
                fields.fault(
                    "duration_ms",
                    Invalid::new("contradiction", "does not fit started_at and ended_at"),
                );
            }
            Some(ended_at)
        }
        (None, None) => None,
    };
    if let Some(ended_at) = ended_at {
        check_end(fields, started_at, ended_at);
        // What lasted so long as to end tomorrow was given as a length.
        if let Err(invalid) = fields.window().check(ended_at) {
            fields.fault("duration_ms", invalid);
        }
    }
    if acknowledged_at.is_some_and(|at| at < started_at) {
        fields.fault("acknowledged_at", Invalid::new("bad_order", "must not be before started_at"));
    }
    Some(IncursionReport {
        tag: tag?,
        operator_tag,
        started_at,
        ended_at,
        acknowledged_at,
        zone: zone?,
        closest_cm,
        place,
    })
}

fn check_end(fields: &mut Fields<'_>, started_at: Timestamp, ended_at: Timestamp) {
    if ended_at < started_at {
        fields.fault("ended_at", Invalid::new("bad_order", "must not be before started_at"));
    } else if ended_at - started_at > Span::millis(LONGEST_MS) {
        fields.fault("ended_at", Invalid::new("out_of_range", "must be at most 7 days after started_at"));
    }
}

fn place(fields: &mut Fields<'_>) -> Option<Place> {
    let lat = fields.optional("lat", |value| Place::latitude(number(&value)?));
    let lon = fields.optional("lon", |value| Place::longitude(number(&value)?));
    match (lat, lon) {
        (Some(lat_e7), Some(lon_e7)) => Some(Place { lat_e7, lon_e7 }),
        (None, None) => None,
        (one, _) => {
            let missing = if one.is_some() { "lon" } else { "lat" };
            fields.fault(
                missing,
                Invalid::new("required", "must be given with the other half of the position"),
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
        fields.fault("ended_at", Invalid::new("bad_order", "must be after started_at"));
    }
    check_end(fields, started_at, ended_at);
    Some(RuntimeReport { started_at, ended_at, operator_tag })
}

fn gps(fields: &mut Fields<'_>) -> Option<Vec<Fix>> {
    fields.optional_time("at");
    let window = fields.window();
    let fixes = fields.required("fixes", list(MOST_FIXES, |value| fix(value, window)))?;
    if fixes.is_empty() {
        fields.fault("fixes", Invalid::new("required", "must not be empty"));
    }
    Some(fixes)
}

/// `[at, lat, lon, speed_kmh?, heading?, accuracy_m?]`
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
    let lat = number(&parts[1]).and_then(Place::latitude).map_err(named("lat"))?;
    let lon = number(&parts[2]).and_then(Place::longitude).map_err(named("lon"))?;
    let step = |index: usize, name: &'static str, most: f64, step: f64| match parts.get(index) {
        None | Some(Json::Null) => Ok(None),
        Some(value) => {
            let number = number(value).map_err(named(name))?;
            if !(0.0..=most).contains(&number) {
                return Err(Invalid::new("out_of_range", format!("{name}: must be from 0 to {most}")));
            }
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 10,000")]
            Ok(Some((number / step).round() as u16))
        }
    };
    let (speed, heading) = (step(3, "speed_kmh", 400.0, 0.5)?, step(4, "heading", 360.0, 5.0)?);
    Ok(Fix {
        at_ms: at.micros().div_euclid(1_000),
        lat_e6: to_millionths(lat),
        lon_e6: to_millionths(lon),
        speed,
        heading: heading.and_then(|steps| u8::try_from(steps % 72).ok()),
        accuracy_m: step(5, "accuracy_m", 10_000.0, 1.0)?,
    })
}

/// From ten-millionths to the nearest millionth.
fn to_millionths(parts: i32) -> i32 {
    (parts + if parts < 0 { -5 } else { 5 }) / 10
}

fn status(fields: &mut Fields<'_>) -> Option<StatusReport> {
    let at = fields.required_time("at");
    let firmware = fields.optional("firmware", text(|text| words(text, 64)));
    let battery = fields.optional("battery", |value| Percent::new(whole(&value)?));
    let faults = fields.required("faults", list(32, |value| text(|text| words(text, 100))(value)));
    let zones = fields.optional("zones", list(MOST_ANTENNAS, zone));
    if let Some(zones) = &zones {
        let twice = zones.iter().enumerate().any(|(index, zone)| {
            zones[..index].iter().any(|before| before.antenna.key() == zone.antenna.key())
        });
        if twice {
            fields.fault("zones", Invalid::new("duplicate_antenna", "names an antenna twice"));
        }
    }
    Some(StatusReport { at: at?, firmware, battery, faults: faults?, zones })
}

fn zone(value: Json<'_>) -> Result<AntennaZones, Invalid> {
    let Json::Object(entries) = value else {
        return Err(Invalid::new("wrong_type", "must be an object with antenna, warning_m and danger_m"));
    };
    // None of its fields is a time.
    let window = TimeWindow { from: Timestamp::from_micros(0), to: Timestamp::from_micros(0) };
    let mut fields = Fields::new(entries, window)?;
    let antenna = fields.required("antenna", text(PartName::parse));
    let warning = fields.required("warning_m", |value| Reach::from_metres(number(&value)?));
    let danger = fields.required("danger_m", |value| Reach::from_metres(number(&value)?));
    if let (Some(warning), Some(danger)) = (warning, danger)
        && danger > warning
    {
        fields.fault("danger_m", Invalid::new("out_of_range", "must not be beyond warning_m"));
    }
    let zones = match (antenna, warning, danger) {
        (Some(antenna), Some(warning), Some(danger)) => Some(AntennaZones { antenna, warning, danger }),
        _ => None,
    };
    fields.finish(zones)
}

/// Text of 1 to `limit` characters without control characters.
fn words(words: &str, limit: usize) -> Result<String, Invalid> {
    let words = words.trim();
    if words.is_empty() {
        return Err(Invalid::new("required", "must not be empty"));
    }
    domain::text::check(words, limit)?;
    Ok(words.to_owned())
}

fn remark(fields: &mut Fields<'_>, kind: RemarkKind) -> Option<Remark> {
    let at = fields.required_time("at");
    let code = fields.required("code", text(|text| words(text, 64)));
    let severity = fields.required("severity", text(Severity::parse));
    let text = fields.required("text", text(|text| words(text, 1_000)));
    Some(Remark { kind, at: at?, code: code?, severity: severity?, text: text? })
}

fn tag_battery(fields: &mut Fields<'_>) -> Option<TagBattery> {
    let at = fields.required_time("at");
    let tag = fields.required("tag", text(Serial::parse));
    let percent = fields.required("percent", |value| Percent::new(whole(&value)?));
    Some(TagBattery { at: at?, tag: tag?, percent: percent? })
}

fn tag_test(fields: &mut Fields<'_>) -> Option<StationTest> {
    let at = fields.required_time("at");
    let tag = fields.required("tag", text(Serial::parse));
    let passed = fields.required("passed", flag);
    Some(StationTest { at: at?, tag: tag?, passed: passed? })
}

fn receipt(fields: &mut Fields<'_>) -> Option<Receipt> {
    let at = fields.required_time("at");
    let message = fields.required("message_id", whole_within(1, i64::MAX));
    let state = fields.required("state", text(ReceiptState::parse));
    Some(Receipt { at: at?, message: MessageId(message?), state: state? })
}
