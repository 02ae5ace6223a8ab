//! Questions by chance: over all dimensions, measures, filters, orders and limits.

use domain::insights::{Dimension, Grouping, IncursionFilter, Measure, Order, Question, Resolution};
use domain::{
    BaseStationId, Cut, Day, MachineId, PersonId, ProjectId, Review, Span, TagId, Timestamp, WorksiteId, Zone,
};

use super::Dice;

/// A question of the facts that chance makes, within these projects.
pub fn question(dice: &Dice, within: Option<Vec<ProjectId>>) -> Question {
    let measures = dice.some(&Measure::ALL, 5);
    let groupings = (0..dice.within(1, 4)).map(|_| grouping(dice, measures.len())).collect();
    let (from, to) = (cut(dice), cut(dice));
    Question { from, to, filter: filter(dice), within, measures, groupings }
}

fn grouping(dice: &Dice, measures: usize) -> Grouping {
    let by: Vec<Dimension> = (0..dice.below(4)).map(|_| dimension(dice)).collect();
    let place = |dice: &Dice| usize::try_from(dice.below(i64::try_from(measures).unwrap_or(1))).unwrap_or(0);
    let order = match dice.below(3) {
        0 => Order::Keys,
        1 => Order::Rising(place(dice)),
        _ => Order::Falling(place(dice)),
    };
    let limit = dice.once_in(3).then(|| usize::try_from(dice.below(12)).unwrap_or(0));
    Grouping { by, order, limit }
}

fn dimension(dice: &Dice) -> Dimension {
    match dice.below(21) {
        17 => Dimension::BaseStation,
        18 => Dimension::Tag,
        19 => Dimension::Duration,
        20 => Dimension::Cell(Resolution::new(dice.within(9, 14)).expect("a resolution")),
        _ => dice.one(&Dimension::OF_PIVOTS),
    }
}

/// None, or within the weeks that most facts lie in.
fn cut(dice: &Dice) -> Option<Cut> {
    let day = dice.within(20_470, 20_515);
    match dice.below(4) {
        0 => Some(Cut::Day(Day::from_number(day))),
        1 => Some(Cut::At(Timestamp::from_micros(day * 86_400_000_000 + dice.below(86_400_000_000)))),
        _ => None,
    }
}

fn filter(dice: &Dice) -> IncursionFilter {
    IncursionFilter {
        period: None,
        projects: ids(dice, ProjectId),
        worksites: ids(dice, WorksiteId),
        machines: ids(dice, MachineId),
        base_stations: ids(dice, BaseStationId),
        people: ids(dice, PersonId),
        pedestrians: ids(dice, PersonId),
        operators: ids(dice, PersonId),
        tags: ids(dice, TagId),
        zones: few(dice, &Zone::ALL),
        acknowledged: dice.once_in(8).then(|| dice.once_in(2)),
        min_duration: dice.once_in(8).then(|| Span::from_micros(dice.below(60_000_000))),
        max_duration: dice.once_in(8).then(|| Span::from_micros(dice.below(300_000_000))),
        reviews: few(dice, &Review::ALL),
    }
}

fn ids<T>(dice: &Dice, make: fn(i64) -> T) -> Vec<T> {
    match dice.once_in(9) {
        true => (0..dice.within(1, 5)).map(|_| make(dice.within(1, 8))).collect(),
        false => Vec::new(),
    }
}

fn few<T: Copy>(dice: &Dice, of: &[T]) -> Vec<T> {
    if dice.once_in(6) { dice.some(of, 3) } else { Vec::new() }
}
