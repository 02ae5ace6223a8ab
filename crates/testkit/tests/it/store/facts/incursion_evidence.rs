//! The newest incursions of many filters, which are read together.

use domain::insights::IncursionFilter;
use domain::{
    BaseStationId, IncursionId, MachineId, Period, PeriodBound, PersonId, ProjectId, Span, TagId, Timestamp,
    WorksiteId,
};
use serde_json::json;
use store::{EvidenceRequest, Projects};
use testkit::{TestApp, on_both_engines};

use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(the_newest_of_each_request_are_found_together);

async fn the_newest_of_each_request_are_found_together(app: TestApp) {
    let world = AlertWorld::new(app).await;
    for (machine, tag) in [(1, "TAG-1"), (1, "TAG-2"), (1, "TAG-1"), (3, "TAG-1"), (2, "TAG-3")] {
        world.incursion(machine, &json!({ "tag": tag })).await;
        world.advance_minutes(1);
    }
    let now = world.app.clock.now();
    let (store, platform) = world.app.database().open().await;
    let brand = world.app.ensure_brand("Acme").await.id;
    let since = |minutes: i64| {
        let from = PeriodBound::Instant(now - Span::minutes(minutes));
        Some(Period { from: Some(from), to: Some(PeriodBound::Instant(now)) })
    };
    let request = |projects: Projects, filter: IncursionFilter, limit: u16| EvidenceRequest {
        scope: platform.scope(brand, projects),
        filter: IncursionFilter { period: filter.period.or(since(60)), ..filter },
        limit,
    };
    let all = IncursionFilter::default;
    let requests = [
        request(Projects::All, all(), 2),
        request(Projects::All, IncursionFilter { machines: vec![MachineId(1)], ..all() }, 20),
        request(Projects::All, IncursionFilter { pedestrians: vec![PersonId(1)], ..all() }, 20),
        request(Projects::All, IncursionFilter { tags: vec![TagId(3)], ..all() }, 20),
        request(Projects::All, IncursionFilter { base_stations: vec![BaseStationId(3)], ..all() }, 20),
        request(Projects::Only(vec![ProjectId(2)]), all(), 20),
        request(Projects::All, IncursionFilter { period: since(2), ..all() }, 20),
        request(Projects::All, IncursionFilter { worksites: vec![WorksiteId(9)], ..all() }, 20),
    ];
    let mut tx = store.read().await.unwrap();
    let before = tx.statement_count();
    let found = tx.newest_incursions(&requests, now).await.unwrap();
    // One for the tags of people, one for the stations of machines, and one for all requests.
    assert_eq!(tx.statement_count() - before, 3);
    let ids: Vec<Vec<i64>> = found.iter().map(|rows| rows.iter().map(|row| row.id.0).collect()).collect();
    // One more than wanted says that there are more.
    let expected: [&[i64]; 8] = [&[5, 4, 3], &[3, 2, 1], &[4, 3, 1], &[5], &[4], &[4], &[5, 4], &[]];
    assert_eq!(ids, expected);
    let (truck, started_at) = (found[4][0], now - Span::minutes(2));
    assert_eq!((truck.id, truck.started_at, truck.ended_at), (IncursionId(4), started_at, None::<Timestamp>));
    assert_eq!((truck.worksite, truck.project), (Some(WorksiteId(2)), Some(ProjectId(2))));
    assert!(tx.newest_incursions(&[], now).await.unwrap().is_empty());
    drop(tx);
    store.close().await;
}
