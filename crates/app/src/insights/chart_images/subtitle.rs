//! The subtitle and notes of an image, so that it can be read without its page: period, time zones and filters.

use domain::insights::{Dimension, IncursionFilter};
use domain::preferences::Preferences;
use domain::{Day, PeriodBound, PersonId, Review, TimeZone};

use super::filter_names::FilterNames;
use super::format_count;
use crate::insights::{Chart, ChartDetails};

/// Up to this many time zones are named.
const MAX_NAMED_ZONES: usize = 3;

/// Returns the period, its time zones, the filters and the period that it is compared with.
pub(super) fn subtitle(chart: &Chart, names: &FilterNames, preferences: &Preferences) -> String {
    let asked = &chart.result;
    let zones = &asked.time_zones;
    let clock = if let [zone] = &zones[..] { Some(zone) } else { None };
    let mut parts = vec![format_period((asked.from, asked.to), clock, preferences)];
    parts.push(match zones.len() {
        0..=MAX_NAMED_ZONES => zones.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        many => format!("{many} time zones, each worksite in its own"),
    });
    parts.extend(describe_filter(&chart.filter, names));
    if let ChartDetails::Trends { previous: Some(previous), .. } = &chart.details {
        let before = format_period((previous.from, previous.to), clock, preferences);
        parts.push(format!("previous period {before}"));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

fn format_period(
    (from, to): (PeriodBound, PeriodBound),
    clock: Option<&TimeZone>,
    preferences: &Preferences,
) -> String {
    let from = format_bound(from, clock, preferences);
    let to = match to {
        // The end is exclusive, so that the last day shown is the one before it.
        PeriodBound::Day(day) => preferences.date_format.format_day(Day::from_number(day.number() - 1)),
        PeriodBound::Instant(_) => format_bound(to, clock, preferences),
    };
    if from == to { from } else { format!("{from} – {to}") }
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
