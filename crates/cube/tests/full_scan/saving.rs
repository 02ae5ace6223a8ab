//! Saved data is read unchanged, and damaged data is refused.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use cube::{ChunkSource, Cube, Error, Settings, Snapshot};
use domain::insights::{Dimension, Grouping, IncursionFilter, Measure, Question};
use domain::{Day, PeriodBound, Timestamp};
use proptest::prelude::*;

use crate::facts::{FIRST_DAY, attributes, batches};
use crate::questions::question;
use crate::reference::Rows;
use crate::{answer, pool};

/// Parts in memory, and how many were requested.
#[derive(Default)]
struct Saved {
    parts: HashMap<u64, Vec<u8>>,
    reads: AtomicUsize,
}

impl ChunkSource for Saved {
    fn read(&self, part: u64) -> Result<Vec<u8>, String> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.parts.get(&part).cloned().ok_or_else(|| format!("there is no part {part}"))
    }
}

fn save(snapshot: &Snapshot) -> Saved {
    let parts = snapshot.parts().map(|part| (part.id().0, part.encode().unwrap())).collect();
    Saved { parts, reads: AtomicUsize::new(0) }
}

fn open(outline: &[u8], saved: &Arc<Saved>, chunk_rows: usize) -> Cube {
    let source: Arc<dyn ChunkSource> = Arc::clone(saved) as _;
    Cube::open(outline, &source, Settings { chunk_rows }).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn a_cube_that_was_saved_goes_on_as_if_nothing_had_been(
        batches in batches(60),
        question in question(),
        chunk_rows in 1..30_usize,
    ) {
        let (pool, attributes) = (pool(), attributes());
        let mut cube = Cube::new(Settings { chunk_rows });
        let mut rows = Rows::default();
        for batch in &batches {
            cube.apply(&batch.0, &batch.1).unwrap();
            rows.apply(batch);
            let snapshot = cube.snapshot();
            let saved = Arc::new(save(&snapshot));
            cube = open(&snapshot.outline(), &saved, chunk_rows);
            prop_assert_eq!(saved.reads.load(Ordering::Relaxed), 0);
            prop_assert_eq!(cube.snapshot().outline(), snapshot.outline());
            prop_assert_eq!(answer(&cube.snapshot(), &question, &attributes, &pool), rows.answer(&question, &attributes));
        }
        let snapshot = cube.snapshot();
        let encoded = |snapshot: &Snapshot| snapshot.parts().map(|part| part.encode().unwrap()).collect::<Vec<_>>();
        let again = open(&snapshot.outline(), &Arc::new(save(&snapshot)), chunk_rows);
        prop_assert_eq!(encoded(&snapshot), encoded(&again.snapshot()));
    }

    #[test]
    fn damaged_bytes_are_refused(
        batches in batches(40),
        question in question(),
        place in any::<prop::sample::Index>(),
        value in 1..=u8::MAX,
        is_cut in any::<bool>(),
        is_outline in any::<bool>(),
    ) {
        let mut cube = Cube::new(Settings { chunk_rows: 20 });
        for (incursions, runtime) in &batches {
            cube.apply(incursions, runtime).unwrap();
        }
        let snapshot = cube.snapshot();
        let mut saved = save(&snapshot);
        let mut outline = snapshot.outline();
        let damage = |bytes: &mut Vec<u8>| {
            let at = place.index(bytes.len());
            if is_cut { bytes.truncate(at) } else { bytes[at] ^= value }
        };
        if is_outline { damage(&mut outline) } else { saved.parts.values_mut().for_each(damage) }
        let saved = Arc::new(saved);
        let source: Arc<dyn ChunkSource> = Arc::clone(&saved) as _;
        let (pool, attributes) = (pool(), attributes());
        let opened = Cube::open(&outline, &source, Settings { chunk_rows: 20 });
        prop_assert_eq!(opened.is_err(), is_outline);
        if let Ok(mut cube) = opened {
            let scan = cube::ScanContext { pool: &pool, attributes: &attributes, max_memory_bytes: crate::MEMORY_BYTES, is_cancelled: &|| false };
            let answered = cube.snapshot().answer(&question, &scan);
            let is_read = saved.reads.load(Ordering::Relaxed) > 0;
            prop_assert!(!is_read || answered.is_err(), "a part was taken for what was written");
            let _ = cube.apply(&batches[0].0, &batches[0].1);
            let _ = cube.drop_incursions_before(Timestamp::from_micros((FIRST_DAY + 20) * crate::facts::DAY_US));
        }
    }
}

#[test]
fn only_the_parts_that_are_needed_are_read() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let batches = batches(400).new_tree(&mut runner).unwrap();
    let batches = proptest::strategy::ValueTree::current(&batches);
    let mut cube = Cube::new(Settings { chunk_rows: 20 });
    for (incursions, runtime) in &batches {
        let usual = |day: Day| (FIRST_DAY - 2..FIRST_DAY + 60).contains(&day.number());
        let incursions: Vec<_> = incursions.iter().copied().filter(|fact| usual(fact.local_day)).collect();
        cube.apply(&incursions, runtime).unwrap();
    }
    let snapshot = cube.snapshot();
    let saved = Arc::new(save(&snapshot));
    let cube = open(&snapshot.outline(), &saved, 20);
    let question = Question {
        from: Some(PeriodBound::Day(Day::from_number(FIRST_DAY + 10))),
        to: Some(PeriodBound::Day(Day::from_number(FIRST_DAY + 12))),
        filter: IncursionFilter::default(),
        visible_projects: None,
        measures: vec![Measure::Incursions],
        groupings: vec![Grouping::by([Dimension::Day])],
    };
    let (pool, attributes) = (pool(), attributes());
    let first = answer(&cube.snapshot(), &question, &attributes, &pool);
    let reads = saved.reads.load(Ordering::Relaxed);
    assert!(reads > 0 && reads < saved.parts.len() / 2, "{reads} of {}", saved.parts.len());
    assert_eq!(answer(&cube.snapshot(), &question, &attributes, &pool), first);
    assert_eq!(saved.reads.load(Ordering::Relaxed), reads);
}

#[test]
fn a_part_that_cannot_be_read_says_so_and_changes_nothing() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let batches = batches(60).new_tree(&mut runner).unwrap();
    let batches = proptest::strategy::ValueTree::current(&batches);
    let mut cube = Cube::new(Settings { chunk_rows: 20 });
    cube.apply(&batches[0].0, &batches[0].1).unwrap();
    let outline = cube.snapshot().outline();
    let source: Arc<dyn ChunkSource> = Arc::new(Saved::default());
    let mut cube = Cube::open(&outline, &source, Settings { chunk_rows: 20 }).unwrap();
    assert!(matches!(cube.apply(&batches[0].0, &[]), Err(Error::Unreadable(_))));
    assert_eq!(cube.snapshot().incursion_count(), {
        let mut rows = Rows::default();
        rows.apply(&batches[0]);
        rows.incursions.len()
    });
}

/// Parts of which some are elsewhere.
struct Distant {
    saved: Saved,
    brought: Mutex<HashSet<u64>>,
}

impl ChunkSource for Distant {
    fn read(&self, part: u64) -> Result<Vec<u8>, String> {
        self.saved.read(part)
    }

    fn is_at_hand(&self, part: u64) -> bool {
        self.brought.lock().unwrap().contains(&part)
    }
}

/// Repeats something, and brings the parts that it misses. Returns the result and how often parts were brought.
fn bring<T>(distant: &Distant, mut run: impl FnMut() -> Result<T, Error>) -> (T, usize) {
    for rounds in 0.. {
        match run() {
            Ok(found) => return (found, rounds),
            Err(Error::NotAtHand(parts)) => distant.brought.lock().unwrap().extend(parts),
            Err(other) => panic!("{other}"),
        }
    }
    unreachable!("there are fewer parts than rounds")
}

#[test]
fn what_is_not_at_hand_is_told_before_anything_is_done() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let batches = batches(200).new_tree(&mut runner).unwrap();
    let batches = proptest::strategy::ValueTree::current(&batches);
    let mut cube = Cube::new(Settings { chunk_rows: 20 });
    let mut rows = Rows::default();
    for batch in &batches {
        cube.apply(&batch.0, &batch.1).unwrap();
        rows.apply(batch);
    }
    let snapshot = cube.snapshot();
    let distant = Arc::new(Distant { saved: save(&snapshot), brought: Mutex::default() });
    let source: Arc<dyn ChunkSource> = Arc::clone(&distant) as _;
    let mut cube = Cube::open(&snapshot.outline(), &source, Settings { chunk_rows: 20 }).unwrap();
    let (pool, attributes) = (pool(), attributes());
    let scan = cube::ScanContext {
        pool: &pool,
        attributes: &attributes,
        max_memory_bytes: crate::MEMORY_BYTES,
        is_cancelled: &|| false,
    };
    let question = Question {
        from: None,
        to: None,
        filter: IncursionFilter::default(),
        visible_projects: None,
        measures: vec![Measure::Incursions, Measure::RuntimeHours],
        groupings: vec![Grouping::by([Dimension::Day])],
    };
    // Both name what they miss at once. A change may miss more when parts have to be merged.
    let (change, before) = (&batches[0], cube.snapshot().outline());
    assert!(matches!(cube.apply(&change.0, &change.1), Err(Error::NotAtHand(parts)) if !parts.is_empty()));
    // After a checksum and the next number.
    assert_eq!(cube.snapshot().outline()[24..], before[24..], "nothing was changed but the next number");
    let (found, rounds) = bring(&distant, || cube.snapshot().answer(&question, &scan));
    assert_eq!((found, rounds), (rows.answer(&question, &attributes), 1));
    bring(&distant, || cube.apply(&change.0, &change.1));
    rows.apply(change);
    assert_eq!(answer(&cube.snapshot(), &question, &attributes, &pool), rows.answer(&question, &attributes));
    // So does a list.
    let distant = Arc::new(Distant { saved: save(&snapshot), brought: Mutex::default() });
    let source: Arc<dyn ChunkSource> = Arc::clone(&distant) as _;
    let cube = Cube::open(&snapshot.outline(), &source, Settings { chunk_rows: 20 }).unwrap();
    let all = (Timestamp::from_micros(i64::MIN / 2), Timestamp::from_micros(i64::MAX / 2));
    let (listed, rounds) =
        bring(&distant, || cube.snapshot().list_incursions(all, 10_000, |fact| Some(fact.id)));
    assert_eq!((listed.map(|ids| ids.len()), rounds), (Some(snapshot.incursion_count()), 1));
}
