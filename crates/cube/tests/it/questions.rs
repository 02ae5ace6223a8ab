//! Random questions.

use domain::insights::{Dimension, Grouping, IncursionFilter, Measure, Order, Question, Resolution};
use domain::{
    BaseStationId, Cut, Day, MachineId, PersonId, ProjectId, Review, Span, TagId, Timestamp, WorksiteId, Zone,
};
use proptest::prelude::*;

use crate::facts::{DAY_US, FIRST_DAY};

fn dimension() -> impl Strategy<Value = Dimension> {
    let mut all = Dimension::OF_PIVOTS.to_vec();
    all.extend([Dimension::BaseStation, Dimension::Tag, Dimension::Duration]);
    all.extend([9, 11, 12, 13].map(|number| Dimension::Cell(Resolution::new(number).unwrap())));
    prop::sample::select(all)
}

fn grouping(measures: usize) -> impl Strategy<Value = Grouping> {
    let by = prop_oneof![9 => prop::collection::vec(dimension(), 0..4), 1 => prop::collection::vec(dimension(), 4..9)];
    let order = prop_oneof![
        2 => Just(Order::Keys),
        2 => (0..=measures).prop_map(Order::Falling),
        1 => (0..=measures).prop_map(Order::Rising),
    ];
    let limit = prop_oneof![3 => Just(None), 1 => (0..8_usize).prop_map(Some)];
    (by, order, limit).prop_map(|(by, order, limit)| Grouping { by, order, limit })
}

/// Groupings, some of which are coarser than others, as those of tables with subtotals.
fn groupings(measures: usize) -> impl Strategy<Value = Vec<Grouping>> {
    let with_totals = grouping(measures).prop_map(|finest| {
        (0..=finest.by.len().min(4))
            .rev()
            .map(|n| Grouping { by: finest.by[..n].to_vec(), ..finest.clone() })
            .collect()
    });
    prop_oneof![2 => prop::collection::vec(grouping(measures), 0..4), 1 => with_totals]
}

fn cut() -> impl Strategy<Value = Option<Cut>> {
    let day = (-3..45_i64).prop_map(|day| Some(Cut::Day(Day::from_number(FIRST_DAY + day))));
    let at = (-3 * 24..45 * 24_i64, 0..3_600_000_000_i64).prop_map(|(hour, rest)| {
        Some(Cut::At(Timestamp::from_micros(FIRST_DAY * DAY_US + hour * 3_600_000_000 + rest)))
    });
    prop_oneof![3 => Just(None), 1 => day, 1 => at]
}

/// Mostly no condition; some ids are of nobody.
fn some<T: std::fmt::Debug + Clone>(of: fn(i64) -> T, most: i64) -> impl Strategy<Value = Vec<T>> {
    let list = prop::collection::vec((1..=most + 1).prop_map(of), 1..4);
    prop_oneof![6 => Just(Vec::new()), 1 => list]
}

fn filter() -> impl Strategy<Value = IncursionFilter> {
    let things = (
        some(ProjectId, 4),
        some(WorksiteId, 6),
        some(|id| MachineId(id * 10), 9),
        some(|id| BaseStationId(id * 3), 9),
    );
    let people = (
        some(|id| PersonId(100 - id), 7),
        some(|id| PersonId(100 - id), 7),
        some(|id| PersonId(100 - id), 7),
        some(TagId, 8),
    );
    let span =
        || prop_oneof![4 => Just(None), 1 => (-2_000..400_000_i64).prop_map(|ms| Some(Span::millis(ms)))];
    let own = (
        prop_oneof![3 => Just(vec![]), 1 => Just(vec![Zone::Danger]), 1 => Just(Zone::ALL.to_vec())],
        prop_oneof![3 => Just(None), 1 => any::<bool>().prop_map(Some)],
        (span(), span()),
        prop_oneof![3 => Just(vec![]), 1 => Just(Review::COUNTED.to_vec()), 1 => Just(vec![Review::Dismissed])],
    );
    (things, people, own).prop_map(|(things, people, own)| IncursionFilter {
        period: None,
        projects: things.0,
        worksites: things.1,
        machines: things.2,
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
    let measures = prop::collection::vec(prop::sample::select(Measure::ALL.to_vec()), 0..6);
    let within = prop_oneof![5 => Just(None), 1 => some(ProjectId, 4).prop_map(Some)];
    measures.prop_flat_map(move |measures| {
        (cut(), cut(), filter(), within.clone(), groupings(measures.len())).prop_map(
            move |(from, to, filter, within, groupings)| Question {
                from,
                to,
                filter,
                within,
                measures: measures.clone(),
                groupings,
            },
        )
    })
}
