//! Counting the incursions of each tag, and those at whose start it was in test.

use std::collections::BTreeMap;

use domain::insights::IncursionFilter;
use domain::{
    BaseStationId, ChangeCause, IncursionDetails, IncursionId, Period, PeriodBound, ProjectId, Span, TagId,
    Timestamp, Zone,
};
use store::{AsOfCountRequest, AsOfPageRequest, NewTagTest};
use testkit::insights::SeededRandom;
use testkit::{TestApp, on_both_engines};

use crate::v1::insights::Yard;

on_both_engines!(counts_are_those_of_the_single_rows, of_tests_at_the_same_instant_the_last_counts);

const INTERVAL: Span = Span::minutes(2 * 24 * 60);
const LAST: Timestamp = Timestamp::from_seconds(9_000_000_000);

/// Incursions and those of them in test, by tag.
type Counts = BTreeMap<TagId, (i64, i64)>;

async fn counts(yard: &Yard, filter: &IncursionFilter, seq: i64, started: (Timestamp, Timestamp)) -> Counts {
    let (store, scope) = yard.facts.store_and_scope();
    let mut snapshot = store.snapshot().await.unwrap();
    let of = AsOfCountRequest { filter, seq, started, test_interval: INTERVAL };
    let found = snapshot.incursions_as_of(scope).count_by_tag(of, yard.app.clock.now()).await.unwrap();
    snapshot.end().await.unwrap();
    let counts: Counts = found.iter().map(|one| (one.tag, (one.incursions, one.in_test))).collect();
    assert_eq!(counts.len(), found.len(), "a tag comes once");
    counts
}

/// Returns all rows as of a sequence number.
async fn rows(yard: &Yard, filter: &IncursionFilter, seq: i64) -> Vec<IncursionDetails> {
    let (store, scope) = yard.facts.store_and_scope();
    let mut snapshot = store.snapshot().await.unwrap();
    let after = (Timestamp::from_micros(0), IncursionId(0));
    let of = AsOfPageRequest { filter, seq, after, until: LAST, limit: 1_000 };
    let rows = snapshot.incursions_as_of(scope).page(of, yard.app.clock.now()).await.unwrap();
    snapshot.end().await.unwrap();
    rows
}

/// Counts rows one by one.
fn counts_of(rows: &[IncursionDetails], tests: &[NewTagTest]) -> Counts {
    let mut counts = Counts::new();
    for row in rows.iter().map(|details| &details.stored.row) {
        let earlier = tests.iter().filter(|test| test.tag == row.tag && test.tested_at <= row.started_at);
        let last = earlier.max_by_key(|test| test.tested_at);
        let is_in_test = last.is_some_and(|test| test.passed && row.started_at - test.tested_at < INTERVAL);
        let count = counts.entry(row.tag).or_default();
        *count = (count.0 + 1, count.1 + i64::from(is_in_test));
    }
    counts
}

async fn add_tests(yard: &Yard, tests: &[NewTagTest]) {
    let (store, scope) = yard.facts.store_and_scope();
    let mut tx = store.begin().await.unwrap();
    for test in tests {
        tx.tag_tests(scope).add(test, yard.app.clock.now()).await.unwrap();
    }
    tx.commit().await.unwrap();
}

fn test_of(tag: i64, tested_at: Timestamp, passed: bool) -> NewTagTest {
    NewTagTest { tag: TagId(tag), device: None, base_station: None, tested_at, passed, battery: None }
}

async fn last_seq(yard: &Yard) -> i64 {
    let (store, scope) = yard.facts.store_and_scope();
    store.read().await.unwrap().counters(scope).await.unwrap().last_seq
}

async fn counts_are_those_of_the_single_rows(app: TestApp) {
    const DAYS: i64 = 20;
    let yard = Yard::new(app).await;
    let dice = SeededRandom::new(16);
    let now = yard.app.clock.now();
    let any_time = || now - Span::minutes(1 + dice.below(DAYS * 24 * 60));
    let any_row = || {
        let mut row = yard.row(1 + dice.below(DAYS * 24 * 60), Some(1 + dice.below(2)));
        row.tag = TagId(1 + dice.below(3));
        row.base_station = BaseStationId(1 + dice.below(3));
        row.zone = dice.choose(&[Zone::Warning, Zone::Danger]);
        row
    };
    yard.facts.add_incursions((0..300).map(|_| any_row()).collect()).await;
    // Tag 3 is never tested.
    let tests: Vec<NewTagTest> =
        (0..24).map(|number| test_of(1 + number % 2, any_time(), !dice.one_in(4))).collect();
    add_tests(&yard, &tests).await;
    let then = last_seq(&yard).await;
    // Afterwards, some rows change, one of them twice, and others are added.
    let known = rows(&yard, &IncursionFilter::default(), then).await;
    for details in known.iter().step_by(7) {
        let mut stored = details.stored.clone();
        let elsewhere = |row: &mut domain::IncursionRow| row.attribution.project = Some(ProjectId(3));
        yard.facts.change_incursion(&mut stored, ChangeCause::Attribution, elsewhere).await;
        if dice.one_in(3) {
            let zone = |row: &mut domain::IncursionRow| row.zone = Zone::Danger;
            yard.facts.change_incursion(&mut stored, ChangeCause::Report, zone).await;
        }
    }
    yard.facts.add_incursions((0..20).map(|_| any_row()).collect()).await;

    let days = ["2026-02-15", "2026-02-25"].map(|day| Some(PeriodBound::parse(day).unwrap()));
    let none = IncursionFilter::default;
    let filters = [
        none(),
        IncursionFilter { period: Some(Period { from: days[0], to: days[1] }), ..none() },
        IncursionFilter { tags: vec![TagId(1), TagId(3)], ..none() },
        IncursionFilter { tags: vec![TagId(2)], base_stations: vec![BaseStationId(1)], ..none() },
        IncursionFilter { base_stations: vec![BaseStationId(2), BaseStationId(3)], ..none() },
        IncursionFilter { projects: vec![ProjectId(1)], zones: vec![Zone::Danger], ..none() },
    ];
    let middle = now - Span::minutes(DAYS / 2 * 24 * 60);
    for (place, filter) in filters.iter().enumerate() {
        for seq in [then, last_seq(&yard).await] {
            let single = rows(&yard, filter, seq).await;
            let expected = counts_of(&single, &tests);
            assert!(expected.values().any(|(all, in_test)| *in_test > 0 && in_test < all), "{expected:?}");
            let begin = Timestamp::from_micros(0);
            assert_eq!(counts(&yard, filter, seq, (begin, LAST)).await, expected, "{place}");
            // Parts of the time add up.
            let (early, late): (Vec<_>, Vec<_>) =
                single.into_iter().partition(|details| details.stored.row.started_at < middle);
            for (part, started) in [(early, (begin, middle)), (late, (middle, LAST))] {
                let expected = counts_of(&part, &tests);
                assert_eq!(counts(&yard, filter, seq, started).await, expected, "{place}");
            }
        }
    }
}

async fn of_tests_at_the_same_instant_the_last_counts(app: TestApp) {
    let yard = Yard::new(app).await;
    let at = yard.app.clock.now() - Span::minutes(60);
    // One that begins with the test, and one that begins when its cover has just ended.
    let mut rows = [at, at + INTERVAL].map(|started_at| {
        let mut row = yard.row(0, Some(1));
        row.started_at = started_at;
        row
    });
    rows[1].tag = TagId(2);
    yard.facts.add_incursions(rows.to_vec()).await;
    add_tests(&yard, &[test_of(1, at, false), test_of(1, at, true), test_of(2, at, true)]).await;
    let (none, seq) = (IncursionFilter::default(), last_seq(&yard).await);
    let all = (Timestamp::from_micros(0), LAST);
    assert_eq!(counts(&yard, &none, seq, all).await, Counts::from([(TagId(1), (1, 1)), (TagId(2), (1, 0))]));
    add_tests(&yard, &[test_of(1, at, false)]).await;
    assert_eq!(counts(&yard, &none, seq, all).await[&TagId(1)], (1, 0));
}
