//! Random questions over all dimensions, measures, filters, orders and limits.

use domain::insights::{Dimension, GroupOrder, Grouping, IncursionFilter, Measure, Question, Resolution};
use domain::{
    BaseStationId, Day, MachineId, MachineKind, PeriodBound, PersonId, ProjectId, Review, Span, TagId,
    Timestamp, WorksiteId, WorksiteKind, Zone,
};

use super::SeededRandom;

/// Generates a question within the given projects.
pub fn random_question(dice: &SeededRandom, within: Option<Vec<ProjectId>>) -> Question {
    let measures = dice.choose_up_to(&Measure::ALL, 5);
    let groupings = (0..dice.in_range(1, 4)).map(|_| random_grouping(dice, measures.len())).collect();
    let (from, to) = (random_bound(dice), random_bound(dice));
    Question { from, to, filter: random_filter(dice), visible_projects: within, measures, groupings }
}

fn random_grouping(dice: &SeededRandom, measures: usize) -> Grouping {
    let by: Vec<Dimension> = (0..dice.below(4)).map(|_| random_dimension(dice)).collect();
    let place =
        |dice: &SeededRandom| usize::try_from(dice.below(i64::try_from(measures).unwrap_or(1))).unwrap_or(0);
    let order = match dice.below(3) {
        0 => GroupOrder::ByKeys,
        1 => GroupOrder::Ascending(place(dice)),
        _ => GroupOrder::Descending(place(dice)),
    };
    let limit = dice.one_in(3).then(|| usize::try_from(dice.below(12)).unwrap_or(0));
    Grouping { dimensions: by, order, limit }
}

fn random_dimension(dice: &SeededRandom) -> Dimension {
    match dice.below(21) {
        17 => Dimension::BaseStation,
        18 => Dimension::Tag,
        19 => Dimension::Duration,
        20 => Dimension::Cell(Resolution::new(dice.in_range(9, 14)).expect("a resolution")),
        _ => dice.choose(&Dimension::PIVOTABLE),
    }
}

/// Generates no bound, or one within the weeks that contain most facts.
fn random_bound(dice: &SeededRandom) -> Option<PeriodBound> {
    let day = dice.in_range(20_470, 20_515);
    match dice.below(4) {
        0 => Some(PeriodBound::Day(Day::from_number(day))),
        1 => Some(PeriodBound::Instant(Timestamp::from_micros(
            day * 86_400_000_000 + dice.below(86_400_000_000),
        ))),
        _ => None,
    }
}

fn random_filter(dice: &SeededRandom) -> IncursionFilter {
    IncursionFilter {
        period: None,
        projects: random_ids(dice, ProjectId),
        worksites: random_ids(dice, WorksiteId),
        worksite_kinds: random_values(dice, &WorksiteKind::ALL),
        machines: random_ids(dice, MachineId),
        machine_kinds: random_values(dice, &MachineKind::ALL),
        base_stations: random_ids(dice, BaseStationId),
        people: random_ids(dice, PersonId),
        pedestrians: random_ids(dice, PersonId),
        operators: random_ids(dice, PersonId),
        tags: random_ids(dice, TagId),
        zones: random_values(dice, &Zone::ALL),
        acknowledged: dice.one_in(8).then(|| dice.one_in(2)),
        min_duration: dice.one_in(8).then(|| Span::from_micros(dice.below(60_000_000))),
        max_duration: dice.one_in(8).then(|| Span::from_micros(dice.below(300_000_000))),
        reviews: random_values(dice, &Review::ALL),
    }
}

fn random_ids<T>(dice: &SeededRandom, make: fn(i64) -> T) -> Vec<T> {
    match dice.one_in(9) {
        true => (0..dice.in_range(1, 5)).map(|_| make(dice.in_range(1, 8))).collect(),
        false => Vec::new(),
    }
}

fn random_values<T: Copy>(dice: &SeededRandom, of: &[T]) -> Vec<T> {
    if dice.one_in(6) { dice.choose_up_to(of, 3) } else { Vec::new() }
}
