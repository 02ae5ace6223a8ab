//! The subtitle and notes of an image, so that it can be read without its page: period, time zones and filters.

use domain::insights::{Dimension, IncursionFilter};
use domain::preferences::Preferences;
use domain::{Day, PeriodBound, PersonId, Review, Span, TimeZone, Timestamp};
use texts::{Counted, Language, Text, charts, values};

use super::filter_names::FilterNames;
use super::{Reader, format_count};
use crate::insights::{Chart, ChartDetails};

/// Up to this many time zones are named.
const MAX_NAMED_ZONES: usize = 3;

/// Returns the period, its time zones, the filters and the period that it is compared with.
pub(super) fn subtitle(chart: &Chart, names: &FilterNames, reader: Reader<'_>) -> String {
    let language = reader.language;
    let asked = &chart.result;
    let zones = &asked.time_zones;
    let mut parts = vec![format_period((asked.from, asked.to), zones, reader)];
    parts.push(match zones.len() {
        0..=MAX_NAMED_ZONES => zones.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        many => charts::MANY_TIME_ZONES.fill(language, &[("n", &many.to_string())]),
    });
    parts.extend(describe_filter(&chart.filter, names, language));
    if let ChartDetails::Trends { previous: Some(previous), .. } = &chart.details
        && !previous.from.leaves_no_time(previous.to, zones)
    {
        let before = format_period((previous.from, previous.to), zones, reader);
        parts.push(charts::PREVIOUS_PERIOD.fill(language, &[("period", &before)]));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// Formats a period so that it agrees with the local days of the worksites, which charts show.
fn format_period(
    (from, to): (PeriodBound, PeriodBound),
    zones: &[TimeZone],
    Reader { preferences, language }: Reader<'_>,
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
    let until =
        |period: &str, end: &str| charts::PERIOD_UNTIL.fill(language, &[("period", period), ("end", end)]);
    match (from, to) {
        _ if start == end => start,
        // An empty period does not end on the day before its start.
        (PeriodBound::Day(first), PeriodBound::Day(end)) if end <= first => until(&start, "00:00"),
        (PeriodBound::Day(first), PeriodBound::Instant(at)) => {
            // In several time zones, the last day of the worksites need not be the reader's.
            let days = zones.iter().map(|zone| zone.local(at - Span::from_micros(1)).day);
            let last = days.max().unwrap_or_else(|| day_of(at));
            if last <= first.number() {
                until(&start, &end_on(first.number()))
            } else if last == day_of(at) {
                format!("{start} – {end}")
            } else {
                until(&format!("{start} – {}", format.format_day(Day::from_number(last))), &end)
            }
        }
        (PeriodBound::Instant(first), PeriodBound::Instant(_)) => {
            format!("{start} – {}", end_on(day_of(first)))
        }
        _ => format!("{start} – {end}"),
    }
}

/// Returns the notes that do not depend on how the chart is drawn.
pub(super) fn notes(chart: &Chart, language: Language) -> Vec<String> {
    let mut notes = Vec::new();
    // A map has its own notes; other groups are drawn as one bar or as a band.
    let shows_others = matches!(
        chart.details,
        ChartDetails::Map { .. } | ChartDetails::Rest(_) | ChartDetails::Runtime { operators: None, .. }
    );
    if chart.more > 0 && !shows_others {
        notes.push(charts::MORE_GROUPS.fill(language, &[("n", &format_count(chart.more))]));
    }
    if let Ok(count @ 1..) = u64::try_from(chart.without_end) {
        notes.push(charts::WITHOUT_END.fill(language, &[("n", &format_count(count))]));
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
fn describe_filter(filter: &IncursionFilter, names: &FilterNames, language: Language) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut records = |field, dimension, ids: Vec<i64>, named: Text, counted: Counted| match (
        names.name_all(field, dimension, &ids),
        ids.len(),
    ) {
        (_, 0) => {}
        (Some(all), _) => parts.push(named.fill(language, &[("names", &all)])),
        (None, number) => parts.push(counted.of(language, i64::try_from(number).unwrap_or(i64::MAX), &[])),
    };
    let ids = |people: &[PersonId]| people.iter().map(|person| person.0).collect::<Vec<i64>>();
    let (projects, worksites) = (filter.projects.iter(), filter.worksites.iter());
    let (machines, stations) = (filter.machines.iter(), filter.base_stations.iter());
    let (plain, person) = (charts::NAMED, Dimension::Pedestrian);
    let projects = projects.map(|id| id.0).collect();
    records("project_id", Dimension::Project, projects, plain, charts::PROJECTS);
    let worksites = worksites.map(|id| id.0).collect();
    records("worksite_id", Dimension::Worksite, worksites, plain, charts::WORKSITES);
    let machines = machines.map(|id| id.0).collect();
    records("machine_id", Dimension::Machine, machines, plain, charts::MACHINES);
    let (stations, station) = (stations.map(|id| id.0).collect(), Dimension::BaseStation);
    records("base_station_id", station, stations, charts::NAMED_BASE_STATION, charts::BASE_STATIONS);
    records("person_id", person, ids(&filter.people), plain, charts::PEOPLE);
    let pedestrians = ids(&filter.pedestrians);
    records("pedestrian_id", person, pedestrians, charts::NAMED_ON_FOOT, charts::PEDESTRIANS);
    records("operator_id", person, ids(&filter.operators), charts::NAMED_DRIVING, charts::OPERATORS);
    let tags = filter.tags.iter().map(|id| id.0).collect();
    records("tag_id", Dimension::Tag, tags, charts::NAMED_TAG, charts::TAGS);
    parts.extend(describe_conditions(filter, language));
    (!parts.is_empty()).then(|| charts::ONLY.fill(language, &[("filters", &parts.join(", "))]))
}

/// Describes the conditions of a filter that are not records.
fn describe_conditions(filter: &IncursionFilter, language: Language) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let join = |words: Vec<&'static str>, between: Text| {
        let words: Vec<String> = words.into_iter().map(|word| language.inside_sentence(word)).collect();
        words.join(between.get(language))
    };
    if !filter.worksite_kinds.is_empty() {
        let kinds = filter.worksite_kinds.iter();
        let kinds = kinds.map(|kind| values::worksite_kind(language, kind.as_str())).collect();
        parts.push(charts::WORKSITES_OF_KIND.fill(language, &[("kinds", &join(kinds, charts::OR))]));
    }
    if !filter.machine_kinds.is_empty() {
        let kinds = filter.machine_kinds.iter();
        let kinds = kinds.map(|kind| values::machine_kind(language, kind.as_str())).collect();
        parts.push(charts::MACHINES_OF_KIND.fill(language, &[("kinds", &join(kinds, charts::OR))]));
    }
    if !filter.zones.is_empty() {
        let zones = filter.zones.iter().map(|zone| values::zone(language, zone.as_str())).collect();
        parts.push(charts::IN_ZONES.fill(language, &[("zones", &join(zones, charts::AND))]));
    }
    match filter.acknowledged {
        Some(true) => parts.push(charts::ACKNOWLEDGED.get(language).to_owned()),
        Some(false) => parts.push(charts::NOT_ACKNOWLEDGED.get(language).to_owned()),
        None => {}
    }
    let bounds = (filter.min_duration, filter.max_duration);
    let seconds =
        |bound: Option<Span>| bound.map(|bound| bound.whole_seconds().to_string()).unwrap_or_default();
    let (from, to) = (seconds(bounds.0), seconds(bounds.1));
    let text = match bounds {
        (Some(_), Some(_)) => Some(charts::FROM_TO_LONG),
        (Some(_), None) => Some(charts::FROM_LONG),
        (None, Some(_)) => Some(charts::TO_LONG),
        (None, None) => None,
    };
    parts.extend(text.map(|text| text.fill(language, &[("from", &from), ("to", &to)])));
    if filter.reviews != Review::COUNTED && !filter.reviews.is_empty() {
        let reviews = filter.reviews.iter().map(|review| values::review(language, review.as_str())).collect();
        parts.push(charts::REVIEWED.fill(language, &[("reviews", &join(reviews, charts::OR))]));
    }
    parts
}

#[cfg(test)]
mod tests {
    use domain::locale::{DateFormat, Locale};
    use domain::preferences::{BrandDefaults, PreferenceOverrides};

    use super::*;

    fn formatted_in(language: Language, from: &str, to: &str, zones: &[&str]) -> String {
        let zone = |name: &str| TimeZone::parse(name).unwrap();
        let brand = BrandDefaults {
            language: Locale::parse("en").unwrap(),
            time_zone: TimeZone::utc(),
            date_format: DateFormat::DayMonthYear,
        };
        let preferences = Preferences::resolve(PreferenceOverrides::default(), brand);
        let bound = |text: &str| PeriodBound::parse(text).unwrap();
        let zones: Vec<TimeZone> = zones.iter().map(|name| zone(name)).collect();
        format_period((bound(from), bound(to)), &zones, Reader { preferences: &preferences, language })
    }

    fn formatted(from: &str, to: &str, zones: &[&str]) -> String {
        formatted_in(Language::English, from, to, zones)
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
        // Nothing is written the wrong way round.
        assert_eq!(formatted("2026-11-16", "2026-11-16", one), "16/11/2026, until 00:00");
        // A date is not written twice.
        assert_eq!(formatted("2026-11-16", now, one), "16/11/2026, until 17:09");
        assert_eq!(formatted_in(Language::German, "2026-11-16", now, one), "16/11/2026, bis 17:09");
        assert_eq!(formatted("2026-11-16", now, many), "16/11/2026 – 17/11/2026, until 16/11/2026 17:09 UTC");
        assert_eq!(formatted("2026-11-16T08:30:00Z", now, one), "16/11/2026 08:30 – 17:09");
        assert_eq!(formatted("2026-11-15T08:30:00Z", now, one), "15/11/2026 08:30 – 16/11/2026 17:09");
    }
}
