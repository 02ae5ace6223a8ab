//! Facts that are listed are those that were applied.

use cube::{Cube, IncursionFact, RuntimeFact, Settings};
use domain::{PersonId, Timestamp};
use proptest::prelude::*;

use crate::facts::{DAY_US, FIRST_DAY, batches};
use crate::reference::Rows;

fn at(days: i64, micros: i64) -> Timestamp {
    Timestamp::from_micros((FIRST_DAY + days) * DAY_US + micros)
}

/// Cuts a time to milliseconds after another one, as columns store it.
fn cut(at: Option<Timestamp>, since: Timestamp) -> Option<Timestamp> {
    at.map(|at| Timestamp::from_micros(since.micros() + (at.micros() - since.micros()) / 1_000 * 1_000))
}

fn as_listed(fact: &IncursionFact) -> IncursionFact {
    IncursionFact {
        ended_at: cut(fact.ended_at, fact.started_at),
        acknowledged_at: cut(fact.acknowledged_at, fact.started_at),
        cell: None,
        ..*fact
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_list_has_the_facts_of_its_time_in_order(
        batches in batches(80),
        chunk_rows in 1..30_usize,
        first_day in 0..40_i64,
        days in 0..20_i64,
        micros in prop::sample::select(vec![0_i64, 500, 3_600_000_000, 7_200_000_501]),
    ) {
        let mut cube = Cube::new(Settings { chunk_rows });
        let mut rows = Rows::default();
        for batch in &batches {
            cube.apply(&batch.0, &batch.1).unwrap();
            rows.apply(batch);
        }
        let (from, to) = (at(first_day, micros), at(first_day + days, micros));
        let snapshot = cube.snapshot();

        let expected: Vec<IncursionFact> = rows
            .incursions
            .values()
            .filter(|fact| from <= fact.started_at && fact.started_at < to)
            .map(as_listed)
            .collect();
        let listed = snapshot.list_incursions((from, to), usize::MAX, |fact| Some(*fact)).unwrap();
        prop_assert_eq!(listed.as_ref(), Some(&expected));

        let expected: Vec<RuntimeFact> = rows
            .runtime
            .values()
            .filter(|piece| piece.ended_at > piece.started_at && piece.started_at < to && from < piece.ended_at)
            .copied()
            .collect();
        let listed = snapshot.list_runtime((from, to), usize::MAX, |piece| Some(*piece)).unwrap();
        prop_assert_eq!(listed.as_ref(), Some(&expected));
    }

    #[test]
    fn a_list_has_only_what_was_selected_and_never_a_part_of_it(
        batches in batches(80),
        chunk_rows in 1..30_usize,
        limit in 0..60_usize,
    ) {
        let mut cube = Cube::new(Settings { chunk_rows });
        let mut rows = Rows::default();
        for batch in &batches {
            cube.apply(&batch.0, &batch.1).unwrap();
            rows.apply(batch);
        }
        let person = Some(PersonId(99));
        let all = (at(-1, 0), at(100, 0));
        let expected: Vec<i64> =
            rows.incursions.values().filter(|fact| fact.pedestrian == person).map(|fact| fact.id.0).collect();
        let listed = cube
            .snapshot()
            .list_incursions(all, limit, |fact| (fact.pedestrian == person).then_some(fact.id.0))
            .unwrap();
        prop_assert_eq!(listed, (expected.len() <= limit).then_some(expected));
        let pieces = rows.runtime.values().filter(|piece| piece.ended_at > piece.started_at).count();
        let listed = cube.snapshot().list_runtime(all, limit, |piece| Some(piece.id)).unwrap();
        prop_assert_eq!(listed.map(|pieces| pieces.len()), (pieces <= limit).then_some(pieces));
    }
}
