//! The subtitle and notes of an image, so that it can be read without its page: period, time zones and filters.

use domain::insights::IncursionFilter;
use domain::preferences::Preferences;
use domain::{Day, PeriodBound, Review, TimeZone};

use super::format_count;
use crate::insights::{Chart, ChartDetails};

/// Up to this many time zones are named.
const MAX_NAMED_ZONES: usize = 3;

/// Returns the period, its time zones and the filters.
pub(super) fn subtitle(chart: &Chart, preferences: &Preferences) -> String {
    let asked = &chart.result;
    let zones = &asked.time_zones;
    let clock = if let [zone] = &zones[..] { Some(zone) } else { None };
    let from = format_bound(asked.from, clock, preferences);
    let to = match asked.to {
        // The end is exclusive, so that the last day shown is the one before it.
        PeriodBound::Day(day) => preferences.date_format.format_day(Day::from_number(day.number() - 1)),
        PeriodBound::Instant(_) => format_bound(asked.to, clock, preferences),
    };
    let mut parts = vec![if from == to { from } else { format!("{from} – {to}") }];
    parts.push(match zones.len() {
        0..=MAX_NAMED_ZONES => zones.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        many => format!("{many} time zones, each worksite in its own"),
    });
    parts.extend(describe_filter(&chart.filter));
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// Returns the notes that do not depend on how the chart is drawn.
pub(super) fn notes(chart: &Chart) -> Vec<String> {
    let mut notes = Vec::new();
    let is_map = matches!(chart.details, ChartDetails::Map { .. });
    if chart.more > 0 && !is_map {
        notes.push(format!("{} more with lower values are not shown", format_count(chart.more)));
    }
    if let ChartDetails::Durations { without_end, .. } = chart.details
        && let Ok(count @ 1..) = u64::try_from(without_end)
    {
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

/// Describes a filter without names, because the caller may not be allowed to see them.
fn describe_filter(filter: &IncursionFilter) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut count = |number: usize, one: &str, many: &str| match number {
        0 => {}
        1 => parts.push(format!("1 {one}")),
        number => parts.push(format!("{number} {many}")),
    };
    count(filter.projects.len(), "project", "projects");
    count(filter.worksites.len(), "worksite", "worksites");
    count(filter.machines.len(), "machine", "machines");
    count(filter.base_stations.len(), "base station", "base stations");
    count(filter.people.len(), "person", "people");
    count(filter.pedestrians.len(), "person on foot", "people on foot");
    count(filter.operators.len(), "operator", "operators");
    count(filter.tags.len(), "tag", "tags");
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
