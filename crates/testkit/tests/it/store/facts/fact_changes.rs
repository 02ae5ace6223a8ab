//! Reading the changes of facts in order of their sequence numbers.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use domain::insights::{IncursionFact, RuntimeFact};
use domain::{
    BaseStationId, ChangeCause, IncursionId, MachineId, Review, RuntimePieceId, Span, TagId, Timestamp,
};
use store::{FactState, FactWatermark, FactWindow, RetentionKind, Scope, Store};
use testkit::insights::{FactRows, SeededRandom};
use testkit::{Facts, TestApp, on_both_engines};

on_both_engines!(
    facts_come_back_as_they_were_put,
    pages_by_number_and_by_time_have_the_same_rows,
    windows_from_the_newest_backwards_have_the_same_rows,
    what_changes_during_a_walk_is_met_by_the_next_round,
    many_facts_are_told_from_few,
    what_was_taken_away_by_age_is_told,
    a_watermark_that_has_moved_is_not_deleted,
    a_snapshot_that_is_dropped_leaves_nothing_behind,
);

/// A copy of a brand's facts that catches up with their changes, a few rows at a time.
#[derive(Debug, Default, PartialEq, Eq)]
struct Follower {
    seq: i64,
    incursions: BTreeMap<IncursionId, IncursionFact>,
    runtime: BTreeMap<RuntimePieceId, RuntimeFact>,
}

const PAGE_ROWS: usize = 7;

async fn state(store: &Store, scope: &Scope) -> FactState {
    store.read().await.unwrap().fact_changes(scope).state().await.unwrap()
}

impl Follower {
    /// Catches up by sequence numbers, each page in a snapshot of its own; other work can run between pages.
    async fn follow(&mut self, store: &Store, scope: &Scope, mut meanwhile: impl AsyncFnMut()) {
        let last = state(store, scope).await.last_seq;
        let mut after = self.seq;
        loop {
            let mut snapshot = store.snapshot().await.unwrap();
            let page = snapshot.fact_changes(scope).incursions(after, last, PAGE_ROWS).await.unwrap();
            snapshot.end().await.unwrap();
            assert!(page.is_sorted_by_key(|change| change.seq) && page.iter().all(|row| row.seq <= last));
            self.incursions.extend(page.iter().map(|change| (change.fact.id, change.fact)));
            meanwhile().await;
            match page.last() {
                Some(row) if page.len() == PAGE_ROWS => after = row.seq,
                _ => break,
            }
        }
        let mut after = self.seq;
        loop {
            let mut snapshot = store.snapshot().await.unwrap();
            let page = snapshot.fact_changes(scope).runtime(after, last, PAGE_ROWS).await.unwrap();
            snapshot.end().await.unwrap();
            self.runtime.extend(page.iter().map(|change| (change.fact.id, change.fact)));
            match page.last() {
                Some(row) if page.len() == PAGE_ROWS => after = row.seq,
                _ => break,
            }
        }
        self.seq = last;
    }

    /// Builds a copy from nothing, in order of time.
    async fn build(store: &Store, scope: &Scope, mut meanwhile: impl AsyncFnMut()) -> Self {
        let mut copy = Self { seq: state(store, scope).await.last_seq, ..Self::default() };
        let mut after = None;
        loop {
            let mut snapshot = store.snapshot().await.unwrap();
            let page =
                snapshot.fact_changes(scope).incursions_by_time(after, copy.seq, PAGE_ROWS).await.unwrap();
            snapshot.end().await.unwrap();
            assert!(page.is_sorted_by_key(|change| (change.fact.started_at, change.fact.id)));
            copy.incursions.extend(page.iter().map(|change| (change.fact.id, change.fact)));
            meanwhile().await;
            after = page.last().map(|change| (change.fact.started_at, change.fact.id));
            if page.len() < PAGE_ROWS {
                break;
            }
        }
        let (rows, _) = FactRows::read(store, scope, PAGE_ROWS).await;
        copy.runtime = rows.runtime.into_iter().map(|fact| (fact.id, fact)).collect();
        copy
    }

    async fn read_current(store: &Store, scope: &Scope) -> Self {
        let (rows, seq) = FactRows::read(store, scope, 1_000).await;
        Self {
            seq,
            incursions: rows.incursions.into_iter().map(|fact| (fact.id, fact)).collect(),
            runtime: rows.runtime.into_iter().map(|fact| (fact.id, fact)).collect(),
        }
    }
}

async fn random_facts(app: &TestApp, seed: u64) -> (Facts, FactRows) {
    let rows = FactRows::random(&SeededRandom::new(seed), 100, 60);
    let facts = app.facts("Acme").await;
    facts.add_rows(&rows).await;
    app.facts("Other").await.add_rows(&rows).await;
    (facts, rows)
}

async fn facts_come_back_as_they_were_put(app: TestApp) {
    let (facts, mut put) = random_facts(&app, 1).await;
    let (store, scope) = facts.store_and_scope();
    let (mut found, seq) = FactRows::read(store, scope, 9).await;
    assert_eq!(seq, 160);
    // They got new ids in this order.
    found.incursions.sort_by_key(|fact| fact.id);
    found.runtime.sort_by_key(|fact| fact.id);
    for (put, found) in put.incursions.iter_mut().zip(&found.incursions) {
        put.id = found.id;
    }
    for (put, found) in put.runtime.iter_mut().zip(&found.runtime) {
        put.id = found.id;
    }
    assert_eq!((found.incursions, found.runtime), (put.incursions, put.runtime));
    assert_eq!(found.kinds, store::RegistryKinds::default());
}

async fn pages_by_number_and_by_time_have_the_same_rows(app: TestApp) {
    let (facts, _) = random_facts(&app, 2).await;
    let (store, scope) = facts.store_and_scope();
    let mut followed = Follower::default();
    followed.follow(store, scope, async || {}).await;
    assert_eq!(followed, Follower::build(store, scope, async || {}).await);
    assert_eq!(followed, Follower::read_current(store, scope).await);
    assert_eq!((followed.incursions.len(), followed.runtime.len()), (100, 60));
}

async fn windows_from_the_newest_backwards_have_the_same_rows(app: TestApp) {
    let (facts, _) = random_facts(&app, 7).await;
    let (store, scope) = facts.store_and_scope();
    let (mut expected, last) = FactRows::read(store, scope, 1_000).await;
    expected.incursions.sort_by_key(|fact| Reverse((fact.started_at, fact.id)));
    expected.runtime.sort_by_key(|fact| Reverse((fact.started_at, fact.id)));
    let mut snapshot = store.snapshot().await.unwrap();
    let mut changes = snapshot.fact_changes(scope);
    let oldest = changes.oldest().await.unwrap();
    assert_eq!(oldest.incursion, expected.incursions.last().map(|fact| fact.started_at));
    assert_eq!(oldest.runtime, expected.runtime.last().map(|fact| fact.started_at));
    // From the end, page by page, and then the rest of a window that has a beginning.
    let end = (Timestamp::from_micros(i64::MAX), i64::MAX);
    let (mut incursions, mut before) = (Vec::new(), end);
    loop {
        let window = FactWindow { from: None, before, limit: PAGE_ROWS };
        let page = changes.incursions_of(window, last).await.unwrap().decode().unwrap();
        let Some(first) = page.last() else { break };
        before = (first.started_at, first.id.0);
        incursions.extend(page);
    }
    assert_eq!(incursions, expected.incursions);
    let middle = expected.runtime[20].started_at;
    let mut window = FactWindow { from: Some(middle), before: end, limit: 1_000 };
    let newer = changes.runtime_of(window, last).await.unwrap().decode().unwrap();
    window = FactWindow { from: oldest.runtime, before: (middle, i64::MIN), limit: 1_000 };
    let older = changes.runtime_of(window, last).await.unwrap().decode().unwrap();
    assert!(!older.is_empty() && !newer.is_empty());
    assert_eq!([newer, older].concat(), expected.runtime);
    // Rows that changed later are left out.
    let none = FactWindow { from: None, before: end, limit: 1_000 };
    assert_eq!(changes.incursions_of(none, 0).await.unwrap().decode().unwrap(), []);
    let first_fifty = changes.incursions_of(none, 50).await.unwrap().decode().unwrap();
    assert_eq!(first_fifty.len(), 50);
    snapshot.end().await.unwrap();
}

async fn many_facts_are_told_from_few(app: TestApp) {
    let (facts, _) = random_facts(&app, 8).await;
    let (store, scope) = facts.store_and_scope();
    let (rows, _) = FactRows::read(store, scope, 1_000).await;
    let starts = || {
        let incursions = rows.incursions.iter().map(|fact| fact.started_at);
        incursions.chain(rows.runtime.iter().map(|fact| fact.started_at))
    };
    let (first, middle) = (starts().min().unwrap(), rows.incursions[50].started_at);
    let mut snapshot = store.snapshot().await.unwrap();
    for bounds in [(None, None), (Some(middle), None), (None, Some(middle)), (Some(first), Some(middle))] {
        let is_in =
            |at: &Timestamp| bounds.0.is_none_or(|from| *at >= from) && bounds.1.is_none_or(|to| *at < to);
        let count = starts().filter(is_in).count();
        for (limit, expected) in [(0, true), (count - 1, true), (count, false), (1_000, false)] {
            let are_more = snapshot.fact_changes(scope).are_more_than(limit, bounds).await.unwrap();
            assert_eq!(are_more, expected, "{limit} of {count} in {bounds:?}");
        }
    }
    let mut changes = snapshot.fact_changes(scope);
    assert!(changes.are_more_than_within(0, (None, None), Duration::from_secs(60)).await.unwrap());
}

async fn what_changes_during_a_walk_is_met_by_the_next_round(app: TestApp) {
    let (facts, _) = random_facts(&app, 3).await;
    let (store, scope) = facts.store_and_scope();
    let dice = SeededRandom::new(4);
    let (rows, _) = FactRows::read(store, scope, 1_000).await;
    // Some facts change, and some are added, both old and recent.
    let meanwhile = async || {
        let fact = rows.incursions[usize::try_from(dice.below(100)).unwrap()];
        let mut walk = store.read().await.unwrap();
        let before = (fact.started_at, IncursionId(fact.id.0 - 1));
        let to = fact.started_at + Span::from_micros(1);
        let kept = walk.incursion_scans(scope).next_page(store::ScanBy::Time, before, to, 1).await.unwrap();
        drop(walk);
        facts
            .change_incursion(&mut kept[0].clone(), ChangeCause::Review, |row| {
                row.review = dice.choose(&Review::ALL);
                row.attribution.machine = Some(MachineId(dice.below(9)));
            })
            .await;
        let at = [app.clock.now(), Timestamp::from_seconds(1_000_000 + dice.below(1_000_000_000))];
        facts.add_incursions(at.map(|at| facts.incursion(BaseStationId(1), TagId(1), at)).to_vec()).await;
    };
    let mut built = Follower::build(store, scope, meanwhile).await;
    let mut followed = Follower::default();
    followed.follow(store, scope, meanwhile).await;
    assert_ne!(followed, Follower::read_current(store, scope).await);
    for copy in [&mut built, &mut followed] {
        copy.follow(store, scope, async || {}).await;
        assert_eq!(*copy, Follower::read_current(store, scope).await);
    }
}

async fn what_was_taken_away_by_age_is_told(app: TestApp) {
    let (facts, _) = random_facts(&app, 5).await;
    let (store, scope) = facts.store_and_scope();
    let before = state(store, scope).await;
    assert_eq!((before.incursions_kept_from, before.runtime_kept_from), (None, None));
    let mut copy = Follower::build(store, scope, async || {}).await;
    let kept_from = app.clock.now() - Span::minutes(20 * 24 * 60);
    let mut tx = store.begin().await.unwrap();
    let mut retention = tx.fact_retention(scope);
    for (fact, mark) in [
        (RetentionKind::Incursions, FactWatermark::IncursionsKeptFrom),
        (RetentionKind::Runtime, FactWatermark::RuntimeKeptFrom),
    ] {
        assert!(retention.delete_expired(fact, kept_from, 1_000).await.unwrap() > 10);
        retention.raise_watermark(mark, kept_from).await.unwrap();
    }
    tx.commit().await.unwrap();
    let after = state(store, scope).await;
    assert_eq!((after.incursions_kept_from, after.runtime_kept_from), (Some(kept_from), Some(kept_from)));
    assert_eq!((after.last_seq, after.registry_version), (before.last_seq, before.registry_version));
    copy.follow(store, scope, async || {}).await;
    copy.incursions.retain(|_, fact| Some(fact.started_at) >= after.incursions_kept_from);
    copy.runtime.retain(|_, fact| Some(fact.started_at) >= after.runtime_kept_from);
    assert_eq!(copy, Follower::read_current(store, scope).await);
}

async fn a_watermark_that_has_moved_is_not_deleted(app: TestApp) {
    let (facts, _) = random_facts(&app, 8).await;
    let (store, scope) = facts.store_and_scope();
    let (mark, now) = (FactWatermark::IncursionsKeptFrom, app.clock.now());
    let mut tx = store.begin().await.unwrap();
    let mut retention = tx.fact_retention(scope);
    retention.raise_watermark(mark, now).await.unwrap();
    assert!(!retention.delete_watermark(mark, now - Span::seconds(1)).await.unwrap());
    assert!(!retention.delete_watermark(FactWatermark::RuntimeKeptFrom, now).await.unwrap());
    tx.commit().await.unwrap();
    let before = state(store, scope).await;
    assert_eq!((before.incursions_kept_from, before.copies_since), (Some(now), 0));
    let mut tx = store.begin().await.unwrap();
    let mut retention = tx.fact_retention(scope);
    assert!(retention.delete_watermark(mark, now).await.unwrap());
    for seq in [7, 5] {
        retention.outdate_copies(seq).await.unwrap();
    }
    tx.commit().await.unwrap();
    let after = state(store, scope).await;
    assert_eq!((after.incursions_kept_from, after.copies_since), (None, 7));
}

async fn a_snapshot_that_is_dropped_leaves_nothing_behind(app: TestApp) {
    let (facts, _) = random_facts(&app, 6).await;
    let (store, scope) = facts.store_and_scope();
    for _ in 0..12 {
        let mut snapshot = store.snapshot().await.unwrap();
        assert_eq!(snapshot.fact_changes(scope).state().await.unwrap().last_seq, 160);
        drop(snapshot);
    }
    facts.add_incursions(vec![facts.incursion(BaseStationId(1), TagId(1), app.clock.now())]).await;
    for _ in 0..12 {
        assert_eq!(state(store, scope).await.last_seq, 161);
    }
}
