//! The hours in which people are notified, as bodies and answers have them.

use domain::{ActiveHours, Change, Invalid, ScheduleRule, TimeZone};
use serde_json::Value;
use web::Fields;

/// Hours in which people are notified.
#[web::body(parts)]
pub struct NewAlertHours {
    /// Days, 1 for Monday to 7 for Sunday.
    #[schema(value_type = Vec<i64>, min_items = 1, max_items = 7, example = json!([1, 2, 3, 4, 5]))]
    #[field(read = read_days)]
    days: Vec<i64>,
    /// Local time at which the hours begin, from 00:00 to 23:59.
    #[schema(example = "07:00", min_length = 5, max_length = 5)]
    #[field(parse = ScheduleRule::parse_time)]
    from: i64,
    /// Local time at which they end. One that is earlier than `from` is on the next day and belongs to the day of `from`; the same time
    /// means the whole day.
    #[schema(example = "18:00", min_length = 5, max_length = 5)]
    #[field(parse = ScheduleRule::parse_time)]
    to: i64,
    /// Time zone of the clock. The default is the one of the site concerned.
    #[schema(example = "Europe/Berlin")]
    time_zone: Option<TimeZone>,
}

/// Hours in which people are notified.
#[web::answer]
pub struct AlertHours {
    /// Days, 1 for Monday to 7 for Sunday.
    #[schema(example = json!([1, 2, 3, 4, 5]))]
    days: Vec<i64>,
    /// Local time at which the hours begin.
    #[schema(example = "07:00")]
    from: String,
    /// Local time at which they end; one that is earlier than `from` is on the next day, and the same time means the whole day.
    #[schema(example = "18:00")]
    to: String,
    /// Time zone of the clock; null for the one of the site concerned.
    #[schema(example = "Europe/Berlin")]
    time_zone: Option<String>,
}

impl From<ActiveHours> for AlertHours {
    fn from(hours: ActiveHours) -> Self {
        Self {
            days: hours.days,
            from: ScheduleRule::format_time(hours.from_minute),
            to: ScheduleRule::format_time(hours.to_minute),
            time_zone: hours.time_zone.map(|zone| zone.to_string()),
        }
    }
}

/// Reads active hours, which may be left out or null for all hours. The outer `None` means that an error was recorded.
pub fn read_active_hours(fields: &mut Fields, name: &str) -> Option<Option<ActiveHours>> {
    match fields.take(name) {
        None | Some(Value::Null) => Some(None),
        Some(value) => fields.object(name, value, read_hours).map(Some),
    }
}

fn read_hours(fields: &mut Fields) -> Option<ActiveHours> {
    let parts = NewAlertHours::read_parts(fields);
    Some(ActiveHours {
        days: parts.days?,
        from_minute: parts.from?,
        to_minute: parts.to?,
        time_zone: parts.time_zone?,
    })
}

/// Reads the days, sorted and each once.
fn read_days(fields: &mut Fields, name: &str) -> Option<Vec<i64>> {
    let given = fields.change_list(name, 7, |fields, path, value| fields.item(path, &value, read_day))?;
    let mut days = match given {
        Change::Set(days) => days,
        Change::Keep => Vec::new(),
    };
    days.sort_unstable();
    days.dedup();
    match days.is_empty() {
        true => fields.add_fault(name, Invalid::new("required", "must have at least one day")),
        false => Some(days),
    }
}

fn read_day(value: &Value) -> Result<i64, Invalid> {
    match value.as_i64() {
        Some(day @ 1..=7) => Ok(day),
        _ => Err(Invalid::new("invalid_day", "must be a whole number from 1 for Monday to 7 for Sunday")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(hours: &Value) -> Result<Option<ActiveHours>, Vec<String>> {
        let Value::Object(body) = json!({ "active_hours": hours }) else { panic!("an object") };
        web::read_fields(body, |fields| read_active_hours(fields, "active_hours")).map_err(|error| {
            error.fields.iter().map(|fault| format!("{}: {}", fault.field, fault.invalid.code)).collect()
        })
    }

    #[test]
    fn hours_go_both_ways() {
        let night = |days: &[i64], zone: &str| json!({ "days": days, "from": "22:00", "to": "06:30", "time_zone": zone });
        let hours = read(&night(&[5, 1, 5], "europe/berlin")).unwrap().unwrap();
        assert_eq!((&hours.days[..], hours.from_minute, hours.to_minute), (&[1, 5][..], 1_320, 390));
        let shown = serde_json::to_value(AlertHours::from(hours.clone())).unwrap();
        assert_eq!(shown, night(&[1, 5], "Europe/Berlin"));
        assert_eq!(read(&shown), Ok(Some(hours)));
        assert_eq!(read(&Value::Null), Ok(None));
    }

    #[test]
    fn faults_are_named_by_their_place() {
        let with = |name: &str, value: Value| {
            let mut hours = json!({ "days": [1], "from": "07:00", "to": "18:00" });
            hours[name] = value;
            hours
        };
        for (hours, fault) in [
            (json!("always"), "active_hours: wrong_type"),
            (with("days", json!([])), "active_hours.days: required"),
            (with("days", Value::Null), "active_hours.days: required"),
            (with("days", json!([1, 8])), "active_hours.days.1: invalid_day"),
            (with("days", json!(["monday"])), "active_hours.days.0: invalid_day"),
            (with("from", json!("7:00")), "active_hours.from: invalid_time_of_day"),
            (with("to", json!("24:00")), "active_hours.to: invalid_time_of_day"),
            (with("time_zone", json!("Europe/Atlantis")), "active_hours.time_zone: invalid_time_zone"),
            (with("zone", json!("UTC")), "active_hours.zone: unknown_field"),
        ] {
            assert_eq!(read(&hours.clone()).unwrap_err(), [fault], "{hours}");
        }
    }
}
