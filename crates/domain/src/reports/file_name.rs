//! The names of the files of reports.

use crate::{Day, PeriodBound, Report, ReportFormat, Span, TimeZone};

impl Report {
    /// Returns the name of a file: letters, digits, dots, hyphens and underscores. It says the kind, the ids of what the report is about,
    /// the first and the last day, and the id. Nobody's name is in it.
    pub fn file_name(&self, format: ReportFormat) -> String {
        let subject = &self.subject;
        let subjects = [
            ("project", subject.project.map(|id| id.0)),
            ("worksite", subject.worksite.map(|id| id.0)),
            ("machine", subject.machine.map(|id| id.0)),
            ("person", subject.person.map(|id| id.0)),
        ];
        let mut parts = vec![self.kind.as_str().to_owned()];
        parts.extend(subjects.into_iter().filter_map(|(word, id)| Some(format!("{word}_{}", id?))));
        parts.extend(days(&self.from, &self.to, self.time_zones.as_deref()));
        parts.push(self.id.to_string());
        format!("{}.{}", parts.join("-"), format.as_str())
    }
}

/// Returns the days of a period, the last of which is inclusive; none if its bounds cannot be read. Days are those of the only time
/// zone of the report, or else of UTC.
fn days(from: &str, to: &str, time_zones: Option<&str>) -> Option<String> {
    let zone = time_zones.and_then(only_zone).unwrap_or_else(TimeZone::utc);
    let first = match PeriodBound::parse(from).ok()? {
        PeriodBound::Day(day) => day.number(),
        PeriodBound::Instant(at) => zone.local(at).day,
    };
    // The end is exclusive: midnight still belongs to the day before.
    let last = match PeriodBound::parse(to).ok()? {
        PeriodBound::Day(day) => day.number() - 1,
        PeriodBound::Instant(at) => zone.local(at - Span::from_micros(1)).day,
    };
    let (first, last) = (Day::from_number(first), Day::from_number(last.max(first)));
    Some(if first == last { first.to_string() } else { format!("{first}-to-{last}") })
}

/// Returns the time zone of a JSON list that has one. Names of time zones need no escapes.
fn only_zone(list: &str) -> Option<TimeZone> {
    TimeZone::parse(list.strip_prefix("[\"")?.strip_suffix("\"]")?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_day_is_the_last_local_day() {
        let brisbane = Some("[\"Australia/Brisbane\"]");
        let several = Some("[\"Australia/Brisbane\",\"Europe/London\"]");
        for (from, to, zones, expected) in [
            ("2026-02-01", "2026-03-01", None, "2026-02-01-to-2026-02-28"),
            ("2026-11-15", "2026-11-16", None, "2026-11-15"),
            // 06:44 on the 17th in Brisbane.
            ("2026-10-20", "2026-11-16T20:44:00Z", brisbane, "2026-10-20-to-2026-11-17"),
            ("2026-10-20", "2026-11-16T20:44:00Z", None, "2026-10-20-to-2026-11-16"),
            ("2026-11-15T14:00:00Z", "2026-11-16T14:00:00Z", brisbane, "2026-11-16"),
            ("2026-11-15", "2026-11-17T00:00:00Z", several, "2026-11-15-to-2026-11-16"),
            ("2026-11-15", "2026-11-15", Some("[]"), "2026-11-15"),
        ] {
            assert_eq!(days(from, to, zones).as_deref(), Some(expected), "{from} {to} {zones:?}");
        }
        assert_eq!(days("../", "2026-11-16", None), None);
    }
}
