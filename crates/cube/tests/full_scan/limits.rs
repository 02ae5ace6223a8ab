//! Questions above the memory limit and cancelled questions fail.

use cube::{Cube, Error, ScanContext, Settings};
use domain::insights::{Dimension, Grouping, IncursionFilter, Measure, Question};
use proptest::strategy::{Strategy, ValueTree};

use crate::facts::{attributes, batches};
use crate::pool;

fn question(by: &[Dimension]) -> Question {
    Question {
        from: None,
        to: None,
        filter: IncursionFilter::default(),
        visible_projects: None,
        measures: vec![Measure::Incursions, Measure::Pedestrians, Measure::P95Duration],
        groupings: vec![Grouping::by(by)],
    }
}

fn cube() -> Cube {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let batches = batches(2_000).new_tree(&mut runner).unwrap().current();
    let mut cube = Cube::new(Settings { chunk_rows: 100 });
    for (incursions, runtime) in &batches {
        cube.apply(incursions, runtime).unwrap();
    }
    cube
}

#[test]
fn an_answer_that_needs_too_much_memory_is_refused() {
    let (pool, attributes, cube) = (pool(), attributes(), cube());
    let by = [Dimension::Machine, Dimension::Pedestrian, Dimension::Day, Dimension::Operator];
    for memory_bytes in [0, 1_000, 30_000] {
        let scan = ScanContext {
            pool: &pool,
            attributes: &attributes,
            max_memory_bytes: memory_bytes,
            is_cancelled: &|| false,
        };
        let refused = cube.snapshot().answer(&question(&by), &scan);
        let Err(Error::TooLarge { needed_bytes, limit_bytes }) = refused else { panic!("{refused:?}") };
        assert!(needed_bytes > limit_bytes && limit_bytes == memory_bytes as u64);
    }
}

#[test]
fn more_dimensions_than_can_be_counted_are_refused() {
    let (pool, attributes, cube) = (pool(), attributes(), cube());
    let scan = ScanContext {
        pool: &pool,
        attributes: &attributes,
        max_memory_bytes: 1 << 30,
        is_cancelled: &|| false,
    };
    let refused = cube.snapshot().answer(&question(&[Dimension::Day; 40]), &scan);
    assert!(matches!(refused, Err(Error::TooLarge { .. })), "{refused:?}");
}

#[test]
fn whoever_has_gone_is_not_served() {
    let (pool, attributes, cube) = (pool(), attributes(), cube());
    let scan = ScanContext {
        pool: &pool,
        attributes: &attributes,
        max_memory_bytes: 1 << 30,
        is_cancelled: &|| true,
    };
    assert_eq!(cube.snapshot().answer(&question(&[]), &scan), Err(Error::Cancelled));
}
