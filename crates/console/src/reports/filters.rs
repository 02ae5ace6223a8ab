//! The filters of a report: as the fields of its form, and as the address of the incursions that it counts.

use domain::insights::IncursionFilter;
use domain::{MachineKind, Review, Span, Zone};
use texts::console::incursions as words;
use texts::console::reports as t;
use texts::values;

use crate::address::Address;
use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{Choice, Field, Input};

/// The longest length in seconds that can be asked for.
const MAX_LENGTH_S: i64 = 366 * 24 * 60 * 60;

/// The values that the form shows of stored filters.
pub fn form_values(filter: &IncursionFilter) -> Vec<(&'static str, String)> {
    let mut values: Vec<(&'static str, String)> = Vec::new();
    values.extend(filter.zones.iter().map(|zone| ("filters.zone", zone.as_str().to_owned())));
    values.extend(filter.acknowledged.map(|is_it| ("filters.acknowledged", is_it.to_string())));
    if filter.reviews[..] != Review::COUNTED[..] {
        values.extend(filter.reviews.iter().map(|review| ("filters.review", review.as_str().to_owned())));
    }
    values.extend(filter.machine_kinds.iter().map(|kind| ("filters.machine_kind", kind.as_str().to_owned())));
    values.extend(filter.min_duration.map(|length| ("filters.min_duration_s", in_seconds(length))));
    values.extend(filter.max_duration.map(|length| ("filters.max_duration_s", in_seconds(length))));
    values
}

fn in_seconds(length: Span) -> String {
    length.whole_seconds().to_string()
}

pub fn fields(frame: &Frame, view: &FormView) -> Vec<Field> {
    let language = frame.language;
    let field = |name, label, input| Field::new(frame, view, name, label, input);
    let zones = Zone::ALL.map(|zone| Choice::new(zone.as_str(), values::zone(language, zone.as_str())));
    let reviews =
        Review::ALL.map(|review| Choice::new(review.as_str(), values::review(language, review.as_str())));
    let kinds = MachineKind::ALL.iter().map(|kind| kind.as_str());
    let kinds = kinds.map(|kind| Choice::new(kind, values::machine_kind(language, kind))).collect();
    let acknowledged = vec![
        Choice::blank(frame.text(words::EITHER)),
        Choice::new("true", values::acknowledged(language, true)),
        Choice::new("false", values::acknowledged(language, false)),
    ];
    let seconds = || Input::Number { min: 0, max: MAX_LENGTH_S };
    vec![
        field("filters.zone", words::ZONE, Input::Checks(zones.into())).headed(frame.text(t::FILTERS)),
        field("filters.acknowledged", words::ACKNOWLEDGED, Input::Select(acknowledged)),
        field("filters.review", words::REVIEW, Input::Checks(reviews.into())),
        field("filters.machine_kind", words::MACHINE_KIND, Input::Checks(kinds)),
        field("filters.min_duration_s", words::MIN_LENGTH, seconds()),
        field("filters.max_duration_s", words::MAX_LENGTH, seconds()),
    ]
}

/// Puts what the form shows of filters into others, whose further filters stay.
pub fn keep_others(shown: &IncursionFilter, others: &IncursionFilter) -> IncursionFilter {
    IncursionFilter {
        zones: shown.zones.clone(),
        acknowledged: shown.acknowledged,
        reviews: shown.reviews.clone(),
        machine_kinds: shown.machine_kinds.clone(),
        min_duration: shown.min_duration,
        max_duration: shown.max_duration,
        period: shown.period,
        ..others.clone()
    }
}

/// Returns the address of the incursions that a report counts.
pub fn incursions(filter: &IncursionFilter) -> String {
    let mut address = Address::new("/incursions").and("period", "custom");
    let period = filter.period.unwrap_or_default();
    let bounds = [("from", period.from), ("to", period.to)];
    for (name, bound) in bounds.into_iter().filter_map(|(name, bound)| Some((name, bound?))) {
        address = address.and(name, &bound.to_string());
    }
    let lists = [
        ("project_id", filter.projects.iter().map(|id| id.0).collect::<Vec<i64>>()),
        ("worksite_id", filter.worksites.iter().map(|id| id.0).collect()),
        ("machine_id", filter.machines.iter().map(|id| id.0).collect()),
        ("base_station_id", filter.base_stations.iter().map(|id| id.0).collect()),
        ("person_id", filter.people.iter().map(|id| id.0).collect()),
        ("pedestrian_id", filter.pedestrians.iter().map(|id| id.0).collect()),
        ("operator_id", filter.operators.iter().map(|id| id.0).collect()),
        ("tag_id", filter.tags.iter().map(|id| id.0).collect()),
    ];
    for (name, ids) in lists {
        address = ids.into_iter().fold(address, |address, id| address.and(name, &id.to_string()));
    }
    for kind in &filter.worksite_kinds {
        address = address.and("worksite_kind", kind.as_str());
    }
    for (name, value) in form_values(filter) {
        address = address.and(name.strip_prefix("filters.").unwrap_or(name), &value);
    }
    address.to_string()
}

#[cfg(test)]
mod tests {
    use domain::{Period, PeriodBound, WorksiteId};

    use super::*;

    #[test]
    fn the_incursions_of_a_report_have_an_address() {
        let bound = |text: &str| Some(PeriodBound::parse(text).unwrap());
        let filter = IncursionFilter {
            period: Some(Period { from: bound("2026-02-01"), to: bound("2026-03-01") }),
            worksites: vec![WorksiteId(3)],
            zones: vec![Zone::Danger],
            reviews: Review::COUNTED.to_vec(),
            min_duration: Some(Span::seconds(5)),
            ..IncursionFilter::default()
        };
        assert_eq!(
            incursions(&filter),
            "/incursions?period=custom&from=2026-02-01&to=2026-03-01&worksite_id=3&zone=danger&min_duration_s=5"
        );
        let shown = IncursionFilter { reviews: Review::COUNTED.to_vec(), ..IncursionFilter::default() };
        let kept = keep_others(&shown, &filter);
        assert_eq!((kept.worksites, kept.zones, kept.min_duration), (vec![WorksiteId(3)], Vec::new(), None));
    }
}
