//! What stands under a picture's title, so that it can be read apart from the page it was on: period, clocks, filters.

use domain::insights::IncursionFilter;
use domain::preferences::Preferences;
use domain::{Cut, Day, Review, TimeZone};

use super::written;
use crate::insights::{Chart, ChartDetails};

/// So many clocks are named one by one.
const MOST_ZONES: usize = 3;

/// The period, the clocks it is told by, and what it was narrowed to.
pub(super) fn of(chart: &Chart, preferences: &Preferences) -> String {
    let asked = &chart.asked;
    let zones = &asked.time_zones;
    let clock = if let [zone] = &zones[..] { Some(zone) } else { None };
    let from = shown(asked.from, clock, preferences);
    let to = match asked.to {
        // What ends is not part of it.
        Cut::Day(day) => preferences.date_format.day(Day::from_number(day.number() - 1)),
        Cut::At(_) => shown(asked.to, clock, preferences),
    };
    let mut parts = vec![if from == to { from } else { format!("{from} – {to}") }];
    parts.push(match zones.len() {
        0..=MOST_ZONES => zones.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        many => format!("{many} time zones, each site by its own"),
    });
    parts.extend(narrowed(&chart.filter));
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// What there is to know about it, beside what only its own drawing knows.
pub(super) fn notes(chart: &Chart) -> Vec<String> {
    let mut notes = Vec::new();
    let is_map = matches!(chart.details, ChartDetails::Map { .. });
    if chart.more > 0 && !is_map {
        notes.push(format!("{} more are left out, those with the least", written(chart.more)));
    }
    if let ChartDetails::Durations { without_end, .. } = chart.details
        && let Ok(count @ 1..) = u64::try_from(without_end)
    {
        notes.push(format!("Incursions without an end are left out: {}", written(count)));
    }
    notes
}

/// An instant by the clock of the sites, if they have one in common; else by the reader's own, which is named.
fn shown(cut: Cut, clock: Option<&TimeZone>, preferences: &Preferences) -> String {
    let format = preferences.date_format;
    match (cut, clock) {
        (Cut::Day(day), _) => format.day(day),
        (Cut::At(at), Some(clock)) => format.minute(clock.local(at)),
        (Cut::At(at), None) => {
            let own = &preferences.time_zone;
            format!("{} {own}", format.minute(own.local(at)))
        }
    }
}

/// What a filter narrows it to, without names: those it names need not be the caller's to see.
fn narrowed(filter: &IncursionFilter) -> Option<String> {
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
