//! Answers are equal to those of a plain loop.

use cube::{Cube, IncursionFact, Settings};
use domain::Timestamp;
use proptest::prelude::*;

use crate::facts::{attributes, batches, incursion};
use crate::questions::question;
use crate::reference::Rows;
use crate::{answer, pool};

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_cube_answers_as_a_plain_loop_does(
        batches in batches(60),
        questions in prop::collection::vec(question(), 1..8),
        chunk_rows in 1..30_usize,
    ) {
        let (pool, attributes) = (pool(), attributes());
        let mut cube = Cube::new(Settings { chunk_rows });
        let mut rows = Rows::default();
        for batch in &batches {
            cube.apply(&batch.0, &batch.1).unwrap();
            rows.apply(batch);
        }
        let snapshot = cube.snapshot();
        prop_assert_eq!(snapshot.incursion_count(), rows.incursions.len());
        prop_assert_eq!(snapshot.runtime_piece_count(), rows.runtime.len());
        for question in &questions {
            let found = answer(&snapshot, question, &attributes, &pool);
            prop_assert_eq!(found, rows.answer(question, &attributes), "{:?}", question);
        }
    }

    #[test]
    fn what_is_old_is_forgotten(
        batches in batches(60),
        question in question(),
        chunk_rows in 1..30_usize,
        day in 0..45_i64,
    ) {
        let (pool, attributes) = (pool(), attributes());
        let mut cube = Cube::new(Settings { chunk_rows });
        let mut rows = Rows::default();
        let before = Timestamp::from_micros((crate::facts::FIRST_DAY + day) * crate::facts::DAY_US);
        for batch in &batches {
            cube.apply(&batch.0, &batch.1).unwrap();
            cube.drop_incursions_before(before).unwrap();
            cube.drop_runtime_before(before).unwrap();
            rows.apply(batch);
            rows.incursions.retain(|key, _| key.0 >= before.micros());
            rows.runtime.retain(|key, _| key.0 >= before.micros());
        }
        let found = answer(&cube.snapshot(), &question, &attributes, &pool);
        prop_assert_eq!(found, rows.answer(&question, &attributes));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    /// Chunks of several blocks.
    #[test]
    fn large_chunks_answer_alike(
        few in prop::collection::vec(incursion(400), 200),
        questions in prop::collection::vec(question(), 20),
    ) {
        let (pool, attributes) = (pool(), attributes());
        let mut cube = Cube::new(Settings::default());
        let mut rows = Rows::default();
        let mut many = Vec::new();
        for turn in 0..120 {
            for fact in &few {
                let mut fact = *fact;
                let later = turn * 1_700_000_000;
                fact.id.0 += turn * 1_000;
                let times = [Some(&mut fact.started_at), fact.ended_at.as_mut(), fact.acknowledged_at.as_mut()];
                for at in times.into_iter().flatten() {
                    *at = Timestamp::from_micros(at.micros() + later);
                }
                many.push(fact);
            }
        }
        // Some rows change after the first answers, each in another column.
        let changed = |(at, fact): (usize, &IncursionFact)| {
            let mut fact = *fact;
            let like = &few[at % few.len()];
            match at / 50 % 5 {
                0 => fact.worksite = like.worksite,
                1 => fact.pedestrian = like.operator,
                2 => fact.acknowledged_at = None,
                3 => fact.ended_at = None,
                _ => fact.zone = like.zone,
            }
            fact
        };
        let changes: Vec<_> = many.iter().enumerate().step_by(41).map(changed).collect();
        for part in [&many[..], &changes, &changes[..1]] {
            let batch = (part.to_vec(), Vec::new());
            cube.apply(&batch.0, &[]).unwrap();
            rows.apply(&batch);
            let snapshot = cube.snapshot();
            for question in &questions {
                let found = answer(&snapshot, question, &attributes, &pool);
                prop_assert!(found == rows.answer(question, &attributes), "{:?}", question);
            }
        }
    }
}
