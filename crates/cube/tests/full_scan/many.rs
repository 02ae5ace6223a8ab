//! Many groups: too many for codes of two bytes, for bitmaps and counters, and for dense arrays.

use cube::{Cube, IncursionFact, Settings};
use domain::insights::{Dimension, GroupOrder, Grouping, IncursionFilter, Measure, Question, Resolution};
use domain::{PersonId, TagId, Timestamp, Zone};
use proptest::strategy::{Strategy, ValueTree};

use crate::facts::{attributes, incursion};
use crate::reference::Rows;
use crate::{answer_once, pool};

const ROWS: i64 = 100_000;
/// More than two bytes can count.
const TAGS: i64 = 70_000;

/// Incursions of nearly as many tags and people; some last for weeks.
fn facts() -> Vec<IncursionFact> {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let few: Vec<_> = (0..500).map(|_| incursion(40).new_tree(&mut runner).unwrap().current()).collect();
    let one = |(id, like): (i64, &IncursionFact)| {
        let mut fact = *like;
        fact.id.0 = id;
        fact.started_at = Timestamp::from_micros(1_772_000_000_000_000 + id * 20_000_000);
        let length_us = if id % 5 < 3 { 4_100_000_000_000 - id * 1_000 } else { id % 70_000 * 1_000_000 };
        fact.ended_at = (id % 7 != 0).then(|| Timestamp::from_micros(fact.started_at.micros() + length_us));
        fact.acknowledged_at =
            (id % 3 != 0).then(|| Timestamp::from_micros(fact.started_at.micros() + length_us / 2));
        fact.tag = TagId(id * 31 % TAGS);
        fact.pedestrian = (id % 11 != 0).then_some(PersonId(id * 17 % TAGS));
        fact
    };
    (0..ROWS).zip(few.iter().cycle()).map(one).collect()
}

fn question(measures: &[Measure], groupings: Vec<Grouping>) -> Question {
    let filter = IncursionFilter::default();
    Question { from: None, to: None, filter, visible_projects: None, measures: measures.to_vec(), groupings }
}

#[test]
fn many_groups_answer_alike() {
    use Dimension as D;
    use Measure as M;
    let (pool, attributes) = (pool(), attributes());
    let facts = facts();
    let mut cube = Cube::new(Settings::default());
    let mut rows = Rows::default();
    for batch in facts.chunks(40_000) {
        cube.apply(batch, &[]).unwrap();
        rows.apply(&(batch.to_vec(), Vec::new()));
    }
    let sums = [M::Incursions, M::AverageDuration, M::AverageAckTime, M::AcknowledgementRate];
    let hard = [M::Incursions, M::Pedestrians, M::MedianDuration, M::P95Duration, M::Machines];
    let top = |by: &[D], at: usize| Grouping {
        order: GroupOrder::Descending(at),
        limit: Some(100),
        ..Grouping::by(by)
    };
    let groupings = [
        vec![Grouping::by([D::Tag])],
        vec![Grouping::by([D::Tag, D::Zone]), Grouping::by([D::Tag]), Grouping::by([])],
        vec![Grouping::by([D::Pedestrian, D::Tag]), Grouping::by([D::Pedestrian])],
        vec![Grouping::by([D::Tag, D::Pedestrian, D::Hour, D::Machine, D::Operator, D::BaseStation, D::Day])],
        vec![
            top(&[D::Tag], 0),
            top(&[D::Pedestrian, D::Day], 0),
            top(&[D::Pedestrian], 1),
            top(&[D::Machine], 2),
        ],
        vec![Grouping::by([D::Machine, D::Zone, D::Duration]), Grouping::by([D::Month]), Grouping::by([])],
        vec![Grouping::by([D::Cell(Resolution::new(12).unwrap()), D::Week])],
    ];
    let snapshot = cube.snapshot();
    for groupings in groupings {
        for measures in [&sums[..], &hard[..]] {
            for zones in [vec![], vec![Zone::Danger]] {
                let mut question = question(measures, groupings.clone());
                question.filter.zones = zones;
                let found = answer_once(&snapshot, &question, &attributes, &pool);
                assert!(found == rows.answer(&question, &attributes), "{question:?}");
            }
        }
    }
}
