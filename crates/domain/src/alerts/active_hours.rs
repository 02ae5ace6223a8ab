//! The days and hours at which people are notified of alarms.

use serde::Deserialize;

use crate::{Invalid, ScheduleRule, TimeZone};

/// The days and hours at which people are notified, by a local clock. Hours whose end is not later than their beginning end on the next
/// day, and belong to the day on which they begin.
///
/// Clocks that change neither cut nor split them: hours whose beginning is skipped begin with the next local time, and those that begin
/// or end in a time that occurs twice begin with the first and end with the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveHours {
    /// 1 is Monday. Sorted, at least one.
    pub days: Vec<i64>,
    /// 0 to 1439.
    pub from_minute: i64,
    /// 0 to 1439.
    pub to_minute: i64,
    /// None for the clock of the site concerned.
    pub time_zone: Option<TimeZone>,
}

/// As they are stored.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredHours {
    days: Vec<i64>,
    from: String,
    to: String,
    time_zone: Option<String>,
}

impl ActiveHours {
    /// Reads what [`ActiveHours::to_json`] writes.
    pub fn parse_stored(text: &str) -> Result<Self, Invalid> {
        let invalid = || Invalid::new("invalid_active_hours", "must have days, from, to and time_zone");
        let stored: StoredHours = serde_json::from_str(text).map_err(|_| invalid())?;
        let mut days = stored.days;
        days.sort_unstable();
        days.dedup();
        if days.is_empty() || !days.iter().all(|day| (1..=7).contains(day)) {
            return Err(invalid());
        }
        Ok(Self {
            days,
            from_minute: ScheduleRule::parse_time(&stored.from)?,
            to_minute: ScheduleRule::parse_time(&stored.to)?,
            time_zone: stored.time_zone.as_deref().map(TimeZone::parse).transpose()?,
        })
    }

    pub fn to_json(&self) -> String {
        let value = serde_json::json!({
            "days": self.days,
            "from": ScheduleRule::format_time(self.from_minute),
            "to": ScheduleRule::format_time(self.to_minute),
            "time_zone": self.time_zone,
        });
        value.to_string()
    }
}

/// What becomes of an alarm outside active hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutsideHours {
    /// People are notified when they begin, unless it has cleared.
    Hold,
    /// Nobody is notified.
    Drop,
}

impl OutsideHours {
    pub const ALL: [Self; 2] = [Self::Hold, Self::Drop];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hold => "hold",
            Self::Drop => "drop",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|choice| choice.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_outside_hours", "must be hold or drop"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(time_zone: Option<TimeZone>) -> ActiveHours {
        ActiveHours { days: vec![1, 5], from_minute: 7 * 60, to_minute: 18 * 60 + 30, time_zone }
    }

    #[test]
    fn stored_hours_go_both_ways() {
        for time_zone in [None, Some(TimeZone::parse("America/New_York").unwrap())] {
            let given = hours(time_zone);
            assert_eq!(ActiveHours::parse_stored(&given.to_json()), Ok(given));
        }
        let unsorted = r#"{"days":[5,1,5],"from":"07:00","to":"18:30","time_zone":null}"#;
        assert_eq!(ActiveHours::parse_stored(unsorted), Ok(hours(None)));
        for bad in [
            "",
            "{}",
            r#"{"days":[],"from":"07:00","to":"18:30","time_zone":null}"#,
            r#"{"days":[0],"from":"07:00","to":"18:30","time_zone":null}"#,
            r#"{"days":[8],"from":"07:00","to":"18:30","time_zone":null}"#,
            r#"{"days":[1],"from":"7","to":"18:30","time_zone":null}"#,
            r#"{"days":[1],"from":"07:00","to":"24:00","time_zone":null}"#,
            r#"{"days":[1],"from":"07:00","to":"18:30","time_zone":"Mars/Olympus"}"#,
        ] {
            assert!(ActiveHours::parse_stored(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn words_go_both_ways() {
        for choice in OutsideHours::ALL {
            assert_eq!(OutsideHours::parse(choice.as_str()), Ok(choice));
        }
        let code = OutsideHours::parse("wait").map_err(|invalid| invalid.code);
        assert_eq!(code, Err("invalid_outside_hours"));
    }
}
