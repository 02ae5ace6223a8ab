//! The subtitle and notes of an image, so that it can be read without its page: period, time zones and filters.

use domain::insights::{Dimension, IncursionFilter};
use domain::preferences::Preferences;
use domain::{Day, PeriodBound, PersonId, Review, Span, TimeZone, Timestamp};

use super::filter_names::FilterNames;
use super::format_count;
use crate::insights::{Chart, ChartDetails};

/// Up to this many time zones are named.
const MAX_NAMED_ZONES: usize = 3;

/// Returns the period, its time zones, the filters and the period that it is compared with.
pub(super) fn subtitle(chart: &Chart, names: &FilterNames, preferences: &Preferences) -> String {
    let asked = &chart.result;
    let zones = &asked.time_zones;
    let mut parts = vec![format_period((asked.from, asked.to), zones, preferences)];
    parts.push(match zones.len() {
        0..=MAX_NAMED_ZONES => zones.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        many => format!("{many} time zones, each worksite in its own"),
    });
    parts.extend(describe_filter(&chart.filter, names));
    if let ChartDetails::Trends { previous: Some(previous), .. } = &chart.details {
        let before = format_period((previous.from, previous.to), zones, preferences);
        parts.push(format!("previous period {before}"));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// Formats a period so that it agrees with the local days of the worksites, which charts show.
fn format_period(
    (from, to): (PeriodBound, PeriodBound),
    zones: &[TimeZone],
    preferences: &Preferences,
) -> String {
    let clock = if let [zone] = zones { Some(zone) } else { None };
    let format = preferences.date_format;
    let start = format_bound(from, clock, preferences);
    let end = match to {
        // The end is exclusive, so that the last day shown is the one before it.
        PeriodBound::Day(day) => format.format_day(Day::from_number(day.number() - 1)),
        PeriodBound::Instant(_) => format_bound(to, clock, preferences),
    };
    let day_of = |at: Timestamp| clock.unwrap_or(&preferences.time_zone).local(at).day;
    // The end without its date, if it is on this day.
    let end_on = |day: i64| {
        let date = format!("{} ", format.format_day(Day::from_number(day)));
        end.strip_prefix(&date).unwrap_or(&end).to_owned()
    };
    match (from, to) {
        _ if start == end => start,
        (PeriodBound::Day(first), PeriodBound::Instant(at)) => {
            // In several time zones, the last day of the worksites need not be the reader's.
            let days = zones.iter().map(|zone| zone.local(at - Span::from_micros(1)).day);
            let last = days.max().unwrap_or_else(|| day_of(at));
            if last <= first.number() {
                format!("{start}, until {}", end_on(first.number()))
            } else if last == day_of(at) {
                format!("{start} – {end}")
            } else {
                format!("{start} – {}, until {end}", format.format_day(Day::from_number(last)))
            }
        }
        (PeriodBound::Instant(first), PeriodBound::Instant(_)) => {
            format!("{start} – {}", end_on(day_of(first)))
        }
        _ => format!("{start} – {end}"),
    }
}

/// Returns the notes that do not depend on how the chart is drawn.
pub(super) fn notes(chart: &Chart) -> Vec<String> {
    let mut notes = Vec::new();
    // A map has its own notes; other groups are drawn as one bar or as a band.
    let shows_others = matches!(
        chart.details,
        ChartDetails::Map { .. } | ChartDetails::Rest(_) | ChartDetails::Runtime { operators: None, .. }
    );
    if chart.more > 0 && !shows_others {
        notes.push(format!("{} more with lower values are not shown", format_count(chart.more)));
    }
    if let Ok(count @ 1..) = u64::try_from(chart.without_end) {
        notes.push(format!("Incursions without an end, not shown: {}", format_count(count)));
    }
    notes
}

/// Formats a bound in the time zone of the worksites if they share one, otherwise in the reader's own, which is named.
fn format_bound(cut: PeriodBound, clock: Option<&TimeZone>, preferences: &Preferences) -> String {
    let format = preferences.date_format;
    match (cut, clock) {
        (PeriodBound::Day(day), _) => format.format_day(day),
        (PeriodBound::Instant(at), Some(clock)) => format.format_minute(clock.local(at)),
        (PeriodBound::Instant(at), None) => {
            let own = &preferences.time_zone;
            format!("{} {own}", format.format_minute(own.local(at)))
        }
    }
}

/// Describes a filter, with names where the caller may see them and there are few.
fn describe_filter(filter: &IncursionFilter, names: &FilterNames) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    // The words before and after the names, and the noun for one and for many.
    let mut records =
        |field, dimension, ids: Vec<i64>, (before, after): (&str, &str), nouns: (&str, &str)| match (
            names.name_all(field, dimension, &ids),
            ids.len(),
        ) {
            (_, 0) => {}
            (Some(named), _) => parts.push(format!("{before}{named}{after}")),
            (None, 1) => parts.push(format!("1 {}", nouns.0)),
            (None, number) => parts.push(format!("{number} {}", nouns.1)),
        };
    let ids = |people: &[PersonId]| people.iter().map(|person| person.0).collect::<Vec<i64>>();
    let (projects, worksites) = (filter.projects.iter(), filter.worksites.iter());
    let (machines, stations) = (filter.machines.iter(), filter.base_stations.iter());
    let tags = filter.tags.iter();
    let plain = ("", "");
    let person = Dimension::Pedestrian;
    let nouns = ("project", "projects");
    records("project_id", Dimension::Project, projects.map(|id| id.0).collect(), plain, nouns);
    let nouns = ("worksite", "worksites");
    records("worksite_id", Dimension::Worksite, worksites.map(|id| id.0).collect(), plain, nouns);
    let nouns = ("machine", "machines");
    records("machine_id", Dimension::Machine, machines.map(|id| id.0).collect(), plain, nouns);
    let nouns = ("base station", "base stations");
    let before = ("base station ", "");
    records("base_station_id", Dimension::BaseStation, stations.map(|id| id.0).collect(), before, nouns);
    records("person_id", person, ids(&filter.people), plain, ("person", "people"));
    let nouns = ("person on foot", "people on foot");
    records("pedestrian_id", person, ids(&filter.pedestrians), ("", " on foot"), nouns);
    records("operator_id", person, ids(&filter.operators), ("", " driving"), ("operator", "operators"));
    records("tag_id", Dimension::Tag, tags.map(|id| id.0).collect(), ("tag ", ""), ("tag", "tags"));
    let kinds = |words: Vec<&str>| words.join(" or ").replace('_', " ");
    if !filter.worksite_kinds.is_empty() {
        let words = filter.worksite_kinds.iter().map(|kind| kind.as_str()).collect();
        parts.push(format!("worksites of kind {}", kinds(words)));
    }
    if !filter.machine_kinds.is_empty() {
        let words = filter.machine_kinds.iter().map(|kind| kind.as_str()).collect();
        parts.push(format!("machines of kind {}", kinds(words)));
    }
    if !filter.zones.is_empty() {
        let zones: Vec<&str> = filter.zones.iter().map(|zone| zone.as_str()).collect();
        parts.push(format!("{} zone", zones.join(" and ")));
    }
    match filter.acknowledged {
        Some(true) => parts.push("acknowledged".to_owned()),
        Some(false) => parts.push("not acknowledged".to_owned()),
        None => {}
    }
    match (filter.min_duration, filter.max_duration) {
        (Some(least), Some(most)) => {
            parts.push(format!("{} to {} s long", least.whole_seconds(), most.whole_seconds()));
        }
        (Some(least), None) => parts.push(format!("{} s and longer", least.whole_seconds())),
        (None, Some(most)) => parts.push(format!("up to {} s long", most.whole_seconds())),
        (None, None) => {}
    }
    if filter.reviews != Review::COUNTED && !filter.reviews.is_empty() {
        let reviews: Vec<String> =
            filter.reviews.iter().map(|review| review.as_str().replace('_', " ")).collect();
        parts.push(reviews.join(" or "));
    }
    (!parts.is_empty()).then(|| format!("only {}", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use domain::locale::{DateFormat, Locale};
    use domain::preferences::{BrandDefaults, PreferenceOverrides};

    use super::*;

    fn formatted(from: &str, to: &str, zones: &[&str]) -> String {
        let zone = |name: &str| TimeZone::parse(name).unwrap();
        let brand = BrandDefaults {
            language: Locale::parse("en").unwrap(),
            time_zone: TimeZone::utc(),
            date_format: DateFormat::DayMonthYear,
        };
        let preferences = Preferences::resolve(PreferenceOverrides::default(), brand);
        let bound = |text: &str| PeriodBound::parse(text).unwrap();
        let zones: Vec<TimeZone> = zones.iter().map(|name| zone(name)).collect();
        format_period((bound(from), bound(to)), &zones, &preferences)
    }

    #[test]
    fn a_period_is_that_of_the_days_of_the_worksites() {
        let now = "2026-11-16T17:09:00Z";
        let (one, many) = (&["Europe/London"], &["Europe/London", "Pacific/Auckland"]);
        let two = &["Europe/London", "UTC"];
        assert_eq!(formatted("2026-11-01", "2026-11-17", one), "01/11/2026 – 16/11/2026");
        assert_eq!(formatted("2026-11-16", "2026-11-17", one), "16/11/2026");
        assert_eq!(formatted("2026-11-01", now, one), "01/11/2026 – 16/11/2026 17:09");
        assert_eq!(formatted("2026-11-01", now, two), "01/11/2026 – 16/11/2026 17:09 UTC");
        // It is the 17th in Auckland, where the axis ends.
        assert_eq!(formatted("2026-11-01", now, many), "01/11/2026 – 17/11/2026, until 16/11/2026 17:09 UTC");
        // A date is not written twice.
        assert_eq!(formatted("2026-11-16", now, one), "16/11/2026, until 17:09");
        assert_eq!(formatted("2026-11-16", now, many), "16/11/2026 – 17/11/2026, until 16/11/2026 17:09 UTC");
        assert_eq!(formatted("2026-11-16T08:30:00Z", now, one), "16/11/2026 08:30 – 17:09");
        assert_eq!(formatted("2026-11-15T08:30:00Z", now, one), "15/11/2026 08:30 – 16/11/2026 17:09");
    }
}
