//! Changes, and readers that do not see them.

use std::cmp::Reverse;

use cube::{Cube, Settings};
use proptest::prelude::*;

use crate::facts::{attributes, batches};
use crate::questions::question;
use crate::reference::Rows;
use crate::{answer, pool};

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn a_snapshot_stays_as_it_was(
        batches in batches(60),
        question in question(),
        chunk_rows in 1..30_usize,
    ) {
        let (pool, attributes) = (pool(), attributes());
        let mut cube = Cube::new(Settings { chunk_rows });
        let mut rows = Rows::default();
        let mut held = vec![(cube.snapshot(), rows.clone())];
        for batch in &batches {
            cube.apply(&batch.0, &batch.1).unwrap();
            rows.apply(batch);
            held.push((cube.snapshot(), rows.clone()));
        }
        cube.drop_incursions_before(domain::Timestamp::from_micros(i64::MAX)).unwrap();
        prop_assert_eq!(cube.snapshot().incursion_count(), 0);
        for (snapshot, rows) in held {
            prop_assert_eq!(answer(&snapshot, &question, &attributes, &pool), rows.answer(&question, &attributes));
        }
    }

    #[test]
    fn it_does_not_matter_how_facts_come_in(
        batches in batches(60),
        question in question(),
        chunk_rows in 1..30_usize,
    ) {
        let (pool, attributes) = (pool(), attributes());
        let mut in_batches = Cube::new(Settings { chunk_rows });
        let mut one_by_one = Cube::new(Settings { chunk_rows });
        for (incursions, runtime) in &batches {
            in_batches.apply(incursions, runtime).unwrap();
            incursions.iter().for_each(|fact| one_by_one.apply(&[*fact], &[]).unwrap());
            runtime.iter().for_each(|piece| one_by_one.apply(&[], &[*piece]).unwrap());
        }
        let mut at_once = Cube::new(Settings { chunk_rows });
        let (incursions, runtime): (Vec<_>, Vec<_>) = batches.into_iter().unzip();
        at_once.apply(&incursions.concat(), &runtime.concat()).unwrap();
        let of = |cube: &Cube| answer(&cube.snapshot(), &question, &attributes, &pool);
        prop_assert_eq!(of(&in_batches), of(&one_by_one));
        prop_assert_eq!(of(&in_batches), of(&at_once));
    }

    #[test]
    fn a_cube_is_built_from_the_newest_facts_backwards(
        batches in batches(60),
        later in batches(20),
        question in question(),
        chunk_rows in 1..30_usize,
        page in 1..40_usize,
    ) {
        let (pool, attributes) = (pool(), attributes());
        let mut rows = Rows::default();
        batches.iter().for_each(|batch| rows.apply(batch));
        let mut incursions: Vec<_> = rows.incursions.values().copied().collect();
        let mut runtime: Vec<_> = rows.runtime.values().copied().collect();
        incursions.sort_by_key(|fact| Reverse((fact.started_at, fact.id)));
        runtime.sort_by_key(|piece| Reverse((piece.started_at, piece.id)));
        let mut cube = Cube::new(Settings { chunk_rows });
        incursions.chunks(page).for_each(|page| cube.prepend(page, &[]).unwrap());
        runtime.chunks(page).for_each(|page| cube.prepend(&[], page).unwrap());
        let of = |cube: &Cube| answer(&cube.snapshot(), &question, &attributes, &pool);
        prop_assert_eq!(of(&cube), rows.answer(&question, &attributes));
        // Later changes find the rows, and pages that are not older are inserted as well.
        for batch in &later {
            let backwards: Vec<_> = batch.1.iter().rev().copied().collect();
            cube.apply(&batch.0, &[]).unwrap();
            cube.prepend(&[], &backwards).unwrap();
            rows.apply(batch);
        }
        prop_assert_eq!(of(&cube), rows.answer(&question, &attributes));
    }
}
