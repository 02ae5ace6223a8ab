//! An export shows the data at one sequence number, whatever changes while it is written.

use domain::insights::IncursionFilter;
use domain::{
    BaseStationId, ChangeCause, IncursionDetails, IncursionId, MachineId, Review, Span, TagId, Timestamp,
    Zone,
};
use store::{AsOfPageRequest, Projects};
use testkit::{TestApp, on_both_engines};

use crate::v1::insights::Yard;

on_both_engines!(
    rows_are_as_they_were_at_a_number,
    pages_go_through_everything_once,
    it_begins_anew_for_another_worker
);

const NO_FILTER: IncursionFilter = IncursionFilter {
    period: None,
    projects: Vec::new(),
    worksites: Vec::new(),
    worksite_kinds: Vec::new(),
    machines: Vec::new(),
    machine_kinds: Vec::new(),
    base_stations: Vec::new(),
    people: Vec::new(),
    pedestrians: Vec::new(),
    operators: Vec::new(),
    tags: Vec::new(),
    zones: Vec::new(),
    acknowledged: None,
    min_duration: None,
    max_duration: None,
    reviews: Vec::new(),
};

/// Returns all incursions as of a sequence number, page by page.
async fn as_of(yard: &Yard, filter: &IncursionFilter, seq: i64, page_size: i64) -> Vec<IncursionDetails> {
    let (store, scope) = yard.facts.store_and_scope();
    let (mut after, until) =
        ((Timestamp::from_micros(0), IncursionId(0)), Timestamp::from_seconds(9_000_000_000));
    let mut all: Vec<IncursionDetails> = Vec::new();
    loop {
        let mut snapshot = store.snapshot().await.unwrap();
        let of = AsOfPageRequest { filter, seq, after, until, limit: page_size };
        let page = snapshot.incursions_as_of(scope).page(of, yard.app.clock.now()).await.unwrap();
        snapshot.end().await.unwrap();
        let is_last = i64::try_from(page.len()).unwrap() < page_size;
        all.extend(page);
        let Some(last) = all.last().filter(|_| !is_last) else { return all };
        after = (last.stored.row.started_at, last.stored.id);
    }
}

async fn rows_are_as_they_were_at_a_number(app: TestApp) {
    let yard = Yard::new(app).await;
    let ids =
        yard.facts.add_incursions((0..4).map(|minutes| yard.row(10 - minutes, Some(1))).collect()).await;
    let (store, scope) = yard.facts.store_and_scope();
    let then = store.read().await.unwrap().counters(scope).await.unwrap().last_seq;
    let before = as_of(&yard, &NO_FILTER, then, 100).await;
    assert_eq!(before.iter().map(|row| row.stored.id).collect::<Vec<_>>(), ids);

    // One is reviewed, one changes twice and moves to another machine, and one is added.
    let body = serde_json::json!({ "state": "dismissed", "comment": "A drill" });
    let path = format!("/api/v1/incursions/{}/review", ids[0]);
    yard.app.post(&path).cookie(&yard.admin.cookie).json(&body).send().await.expect(200);
    let mut moved = before[1].stored.clone();
    yard.facts.change_incursion(&mut moved, ChangeCause::Report, |row| row.zone = Zone::Danger).await;
    let machine = |row: &mut domain::IncursionRow| row.attribution.machine = Some(MachineId(2));
    let last = yard.facts.change_incursion(&mut moved, ChangeCause::Attribution, machine).await;
    yard.facts.add_incursions(vec![yard.row(5, Some(1))]).await;

    let same = |found: &[IncursionDetails], wanted: &[IncursionDetails]| {
        assert_eq!(found.len(), wanted.len());
        for (found, wanted) in found.iter().zip(wanted) {
            assert_eq!(
                (&found.stored, &found.machine, &found.last_review),
                (&wanted.stored, &wanted.machine, &wanted.last_review)
            );
        }
    };
    same(&as_of(&yard, &NO_FILTER, then, 100).await, &before);
    // Filters apply to the earlier values, too.
    let only = |machine, zones: &[Zone], reviews: &[Review]| IncursionFilter {
        machines: vec![MachineId(machine)],
        zones: zones.to_vec(),
        reviews: reviews.to_vec(),
        ..NO_FILTER
    };
    same(&as_of(&yard, &only(1, &[Zone::Warning], &Review::COUNTED), then, 100).await, &before);
    assert!(as_of(&yard, &only(2, &[], &[]), then, 100).await.is_empty());
    let now = as_of(&yard, &only(2, &[Zone::Danger], &[]), last, 100).await;
    assert_eq!(now.iter().map(|row| row.stored.id).collect::<Vec<_>>(), [ids[1]]);
    let dismissed = as_of(&yard, &only(1, &[], &[Review::Dismissed]), last, 100).await;
    assert_eq!(dismissed[0].last_review.as_ref().unwrap().comment.as_deref(), Some("A drill"));
}

async fn pages_go_through_everything_once(app: TestApp) {
    let yard = Yard::new(app).await;
    // Many at the same instant, of several stations and tags.
    let rows = (0..60).map(|number| {
        let mut row = yard.row(30 - number / 7, Some(1));
        row.base_station = BaseStationId(1 + number % 3);
        row.tag = TagId(1 + number % 2);
        row.uid = format!("p-{number}");
        row
    });
    yard.facts.add_incursions(rows.collect()).await;
    let (store, scope) = yard.facts.store_and_scope();
    let seq = store.read().await.unwrap().counters(scope).await.unwrap().last_seq;
    for filter in [
        NO_FILTER,
        IncursionFilter { base_stations: vec![BaseStationId(2)], ..NO_FILTER },
        IncursionFilter { base_stations: vec![BaseStationId(1), BaseStationId(3)], ..NO_FILTER },
        IncursionFilter {
            tags: vec![TagId(1), TagId(2)],
            base_stations: vec![BaseStationId(1)],
            ..NO_FILTER
        },
        // More values than are queried one by one.
        IncursionFilter { base_stations: (2..40).map(BaseStationId).collect(), ..NO_FILTER },
        IncursionFilter {
            tags: (2..40).map(TagId).collect(),
            base_stations: vec![BaseStationId(3)],
            ..NO_FILTER
        },
    ] {
        let whole = as_of(&yard, &filter, seq, 1_000).await;
        let wanted = |row: &&IncursionDetails| {
            (filter.base_stations.is_empty() || filter.base_stations.contains(&row.stored.row.base_station))
                && (filter.tags.is_empty() || filter.tags.contains(&row.stored.row.tag))
        };
        let all = as_of(&yard, &NO_FILTER, seq, 1_000).await;
        let expected: Vec<IncursionId> = all.iter().filter(wanted).map(|row| row.stored.id).collect();
        assert!(!expected.is_empty() && all.len() == 60);
        let ids = |rows: &[IncursionDetails]| rows.iter().map(|row| row.stored.id).collect::<Vec<_>>();
        assert_eq!(ids(&whole), expected);
        assert_eq!(ids(&as_of(&yard, &filter, seq, 7).await), expected);
    }
}

/// The first worker loses its lease after it has begun; its further writes are refused, and another worker makes the file.
async fn it_begins_anew_for_another_worker(app: TestApp) {
    let yard = super::busy_yard(app).await;
    let asked = super::post(&yard, &yard.admin, &super::incursions_body("csv")).await.expect(201).json();
    let (store, platform) = yard.app.database().open().await;
    let scope = platform.scope(domain::BrandId(1), Projects::All);
    let id = domain::ExportId(asked["id"].as_i64().unwrap());
    let now = yard.app.clock.now();
    let began = store::ExportStart { seq: 0, projects: None, names_people: true };
    let mut tx = store.begin().await.unwrap();
    let first = tx.exports_of(&scope).begin(id, &began, now).await.unwrap().unwrap();
    tx.commit().await.unwrap();
    yard.app.run_jobs().await;
    let done = super::get(&yard, &yard.admin, &asked["id"]).await;
    assert_eq!((&done["state"], &done["rows"]), (&serde_json::json!("done"), &serde_json::json!(4)));
    let mut tx = store.begin().await.unwrap();
    let content =
        domain::ExportContent { size_bytes: 1, sha256: vec![0; 32], upload: "1-0000000000000001".to_owned() };
    let until = now + Span::minutes(1);
    assert!(!tx.exports_of(&scope).finish(id, first, &content, (1, 1), (now, until)).await.unwrap());
    assert!(!tx.exports_of(&scope).record_progress(id, first, (1, 1), now).await.unwrap());
}
