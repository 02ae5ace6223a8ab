//! Random questions.

use domain::insights::{Dimension, GroupOrder, Grouping, IncursionFilter, Measure, Question, Resolution};
use domain::{
    BaseStationId, Day, MachineId, MachineKind, PeriodBound, PersonId, ProjectId, Review, Span, TagId,
    Timestamp, WorksiteId, WorksiteKind, Zone,
};
use proptest::prelude::*;

use crate::facts::{DAY_US, FIRST_DAY};

fn dimension() -> impl Strategy<Value = Dimension> {
    let mut all = Dimension::PIVOTABLE.to_vec();
    all.extend([Dimension::BaseStation, Dimension::Tag, Dimension::Duration]);
    all.extend([9, 11, 12, 13].map(|number| Dimension::Cell(Resolution::new(number).unwrap())));
    prop::sample::select(all)
}

fn grouping(measures: usize) -> impl Strategy<Value = Grouping> {
    let by = prop_oneof![9 => prop::collection::vec(dimension(), 0..4), 1 => prop::collection::vec(dimension(), 4..9)];
    let order = prop_oneof![
        2 => Just(GroupOrder::ByKeys),
        2 => (0..=measures).prop_map(GroupOrder::Descending),
        1 => (0..=measures).prop_map(GroupOrder::Ascending),
    ];
    let limit = prop_oneof![3 => Just(None), 1 => (0..8_usize).prop_map(Some)];
    (by, order, limit).prop_map(|(by, order, limit)| Grouping { dimensions: by, order, limit })
}

/// Groupings, some of which are coarser than others, like those of tables with subtotals.
fn groupings(measures: usize) -> impl Strategy<Value = Vec<Grouping>> {
    let with_totals = grouping(measures).prop_map(|finest| {
        (0..=finest.dimensions.len().min(4))
            .rev()
            .map(|n| Grouping { dimensions: finest.dimensions[..n].to_vec(), ..finest.clone() })
            .collect()
    });
    prop_oneof![2 => prop::collection::vec(grouping(measures), 0..4), 1 => with_totals]
}

fn cut() -> impl Strategy<Value = Option<PeriodBound>> {
    let day = (-3..45_i64).prop_map(|day| Some(PeriodBound::Day(Day::from_number(FIRST_DAY + day))));
    let at = (-3 * 24..45 * 24_i64, 0..3_600_000_000_i64).prop_map(|(hour, rest)| {
        Some(PeriodBound::Instant(Timestamp::from_micros(FIRST_DAY * DAY_US + hour * 3_600_000_000 + rest)))
    });
    prop_oneof![3 => Just(None), 1 => day, 1 => at]
}

/// Mostly an empty list; some ids do not occur.
fn id_list<T: std::fmt::Debug + Clone>(of: fn(i64) -> T, max_id: i64) -> impl Strategy<Value = Vec<T>> {
    let list = prop::collection::vec((1..=max_id + 1).prop_map(of), 1..4);
    prop_oneof![6 => Just(Vec::new()), 1 => list]
}

fn filter() -> impl Strategy<Value = IncursionFilter> {
    let things = (
        id_list(ProjectId, 4),
        id_list(WorksiteId, 6),
        id_list(|id| MachineId(id * 10), 9),
        id_list(|id| BaseStationId(id * 3), 9),
    );
    let people = (
        id_list(|id| PersonId(100 - id), 7),
        id_list(|id| PersonId(100 - id), 7),
        id_list(|id| PersonId(100 - id), 7),
        id_list(TagId, 8),
    );
    let span =
        || prop_oneof![4 => Just(None), 1 => (-2_000..400_000_i64).prop_map(|ms| Some(Span::millis(ms)))];
    let own = (
        prop_oneof![3 => Just(vec![]), 1 => Just(vec![Zone::Danger]), 1 => Just(Zone::ALL.to_vec())],
        prop_oneof![3 => Just(None), 1 => any::<bool>().prop_map(Some)],
        (span(), span()),
        prop_oneof![3 => Just(vec![]), 1 => Just(Review::COUNTED.to_vec()), 1 => Just(vec![Review::Dismissed])],
    );
    let kinds = (
        prop_oneof![4 => Just(vec![]), 1 => Just(WorksiteKind::ALL[..3].to_vec())],
        prop_oneof![4 => Just(vec![]), 1 => Just(MachineKind::ALL[1..4].to_vec())],
    );
    (things, kinds, people, own).prop_map(|(things, kinds, people, own)| IncursionFilter {
        period: None,
        projects: things.0,
        worksites: things.1,
        worksite_kinds: kinds.0,
        machines: things.2,
        machine_kinds: kinds.1,
        base_stations: things.3,
        people: people.0,
        pedestrians: people.1,
        operators: people.2,
        tags: people.3,
        zones: own.0,
        acknowledged: own.1,
        min_duration: own.2.0,
        max_duration: own.2.1,
        reviews: own.3,
    })
}

/// A question over all dimensions, measures and filters.
pub fn question() -> impl Strategy<Value = Question> {
    let measures = [&Measure::ALL[..], &[Measure::LongestDuration]].concat();
    let measures = prop::collection::vec(prop::sample::select(measures), 0..6);
    let within = prop_oneof![5 => Just(None), 1 => id_list(ProjectId, 4).prop_map(Some)];
    measures.prop_flat_map(move |measures| {
        (cut(), cut(), filter(), within.clone(), groupings(measures.len())).prop_map(
            move |(from, to, filter, within, groupings)| Question {
                from,
                to,
                filter,
                visible_projects: within,
                measures: measures.clone(),
                groupings,
            },
        )
    })
}
