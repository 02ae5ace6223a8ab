//! GET /api/v1/incursions

use domain::{PersonId, Role, Span, TagId, Zone};
use serde_json::json;
use testkit::{TestApp, on_both_engines, utc_day};

use super::{Yard, at};

on_both_engines!(
    an_incursion_is_shown_with_the_names_of_what_it_joins,
    pages_hold_everything_once_while_more_comes_in,
    a_cursor_stays_good_while_the_clock_goes_on,
    a_cursor_stays_in_its_period_after_midnight,
    bare_dates_cut_by_each_sites_own_day,
    those_who_see_some_projects_see_only_theirs,
    the_list_says_from_where_the_feed_goes_on,
    few_and_many_values_find_the_same_in_the_same_order,
);

async fn an_incursion_is_shown_with_the_names_of_what_it_joins(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut row = yard.row(60, Some(1));
    row.uid = "u-1".to_owned();
    row.zone = Zone::Danger;
    row.closest_cm = Some(180);
    row.position = Some(domain::Coordinates { lat_e7: 525_200_001, lon_e7: -134_050_000 });
    row.operator_tag = Some(TagId(3));
    row.attribution.operator = Some(PersonId(4));
    row.acknowledged_at = Some(row.started_at + Span::millis(3_100));
    row.ended_at = Some(row.started_at + Span::from_micros(12_500_999));
    let mut bare = yard.row(120, None);
    bare.uid = "u-2".to_owned();
    bare.ended_at = None;
    bare.closed_at = Some(yard.app.clock.now());
    bare.attribution = domain::Attribution { local_day: utc_day(bare.started_at), ..Default::default() };
    yard.facts.add_incursions(vec![row, bare]).await;
    let clip = "insert into video_clips (brand_id, base_station_id, incursion_id, camera, from_at, to_at, state, requested_by,
            expires_at, version, created_at, updated_at)
        values (1, 1, 1, 'rear', 1, 2, 'available', 1, 3, 1, 1, 1)";
    testkit::execute_raw_sql(yard.app.database(), clip).await.unwrap();
    let list = yard.get(&yard.admin, "").await.expect(200).json();
    let expected = json!([{
        "id": 1, "seq": 1, "uid": "u-1", "started_at": "2026-03-01T11:00:37Z", "ended_at": "2026-03-01T11:00:49.500999Z",
        "closed_without_end": false, "duration_ms": 12_500, "local_day": "2026-03-01", "acknowledged": true,
        "acknowledged_at": "2026-03-01T11:00:40.1Z", "ack_ms": 3_100, "zone": "danger", "closest_cm": 180,
        "position": { "lat": 52.520_000_1, "lon": -13.405 }, "machine": { "id": 1, "name": "Crane 1" },
        "base_station": { "id": 1, "serial": "BS-1" }, "tag": { "id": 1, "serial": "T-1" },
        "operator_tag": { "id": 3, "serial": "T-3" }, "pedestrian": { "id": 1, "name": "Ada", "kind": "staff" },
        "operator": { "id": 4, "name": "Dan", "kind": "staff" }, "worksite": { "id": 1, "name": "Site 1" },
        "project": { "id": 1, "name": "Project 1" },
        "review": { "state": "unreviewed", "by": null, "at": null, "comment": null },
        "received_at": "2026-03-01T12:00:37Z", "clips": [{ "id": 1, "camera": "rear", "state": "available" }],
        "created_at": "2026-03-01T12:00:37Z", "updated_at": "2026-03-01T12:00:37Z",
    }, {
        "id": 2, "seq": 2, "uid": "u-2", "started_at": "2026-03-01T10:00:37Z", "ended_at": null,
        "closed_without_end": true, "duration_ms": null, "local_day": "2026-03-01", "acknowledged": false,
        "acknowledged_at": null, "ack_ms": null, "zone": "warning", "closest_cm": null, "position": null, "machine": null,
        "base_station": { "id": 1, "serial": "BS-1" }, "tag": { "id": 1, "serial": "T-1" }, "operator_tag": null,
        "pedestrian": null, "operator": null, "worksite": null, "project": null,
        "review": { "state": "unreviewed", "by": null, "at": null, "comment": null },
        "received_at": "2026-03-01T12:00:37Z", "clips": [], "created_at": "2026-03-01T12:00:37Z",
        "updated_at": "2026-03-01T12:00:37Z",
    }]);
    assert_eq!(list["data"], expected);
    assert_eq!(list["page"], json!({ "limit": 50, "next": null }));
}

async fn pages_hold_everything_once_while_more_comes_in(app: TestApp) {
    let yard = Yard::new(app).await;
    // Many start at the same time.
    let rows = (0..60).map(|number| yard.row(100 + number / 7, Some(1))).collect();
    let mut expected: Vec<i64> = yard.facts.add_incursions(rows).await.into_iter().map(|id| id.0).collect();
    expected.sort_by_key(|id| ((id - 1) / 7, -id));
    let (mut seen, mut query) = (Vec::new(), "?limit=7".to_owned());
    loop {
        let page = yard.get(&yard.admin, &query).await.expect(200).json();
        seen.extend(super::ids(&page));
        let Some(next) = page["page"]["next"].as_str() else { break };
        query = format!("?limit=7&cursor={next}");
        // Newer incursions, and late ones that are older than all others.
        yard.facts.add_incursions(vec![yard.row(1, Some(1)), yard.row(5_000, Some(1))]).await;
    }
    let (first, late): (Vec<i64>, Vec<i64>) = seen.into_iter().partition(|id| *id <= 60);
    assert_eq!(first, expected);
    assert!(!late.is_empty(), "late ones stand at the end");
}

async fn a_cursor_stays_good_while_the_clock_goes_on(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.facts.add_incursions((0..4).map(|number| yard.row(number, None)).collect()).await;
    let page = yard.get(&yard.admin, "?limit=2").await.expect(200).json();
    yard.app.clock.advance(Span::minutes(10));
    let next = page["page"]["next"].as_str().unwrap();
    assert_eq!(yard.ids(&yard.admin, &format!("?limit=2&cursor={next}")).await, [3, 4]);
    // A cursor belongs to its filter, in whatever order the values are written.
    let page = yard.get(&yard.admin, "?limit=2&tag_id=1&tag_id=2").await.expect(200).json();
    let next = page["page"]["next"].as_str().unwrap();
    yard.get(&yard.admin, &format!("?limit=2&tag_id=2&tag_id=1&tag_id=2&cursor={next}")).await.expect(200);
    for other in ["tag_id=1", "tag_id=1&tag_id=2&zone=danger", "tag_id=1&tag_id=2&from=2026-02-20"] {
        let refused = yard.get(&yard.admin, &format!("?limit=2&{other}&cursor={next}")).await.expect(400);
        assert_eq!(refused.code(), "invalid_cursor");
    }
}

async fn a_cursor_stays_in_its_period_after_midnight(app: TestApp) {
    let yard = Yard::new(app).await;
    // The last one happened on the first of the 28 days.
    yard.facts.add_incursions([1, 2, 27 * 24 * 60].map(|minutes| yard.row(minutes, Some(1))).to_vec()).await;
    let mut pages = Vec::new();
    for sort in ["-started_at", "started_at", "duration_ms", "-ack_ms"] {
        let query = format!("?limit=1&include_total=true&sort={sort}");
        let page = yard.get(&yard.admin, &query).await.expect(200).json();
        assert_eq!(page["page"]["total"], 3, "{sort}");
        pages.push((query, super::ids(&page), page["page"]["next"].as_str().unwrap().to_owned()));
    }
    yard.app.clock.advance(Span::minutes(12 * 60));
    let later = yard.app.sign_in_new_user("later@example.com", Role::Admin).await;
    assert_eq!(yard.ids(&later, "").await, [1, 2], "a new list begins a day later");
    for (query, mut seen, mut next) in pages {
        while seen.len() < 3 {
            let page = yard.get(&later, &format!("{query}&cursor={next}")).await.expect(200).json();
            assert_eq!(page["page"]["total"], 3, "{query}");
            seen.extend(super::ids(&page));
            next = page["page"]["next"].as_str().unwrap_or_default().to_owned();
            // Where the worksites are does not matter to a list that has begun.
            let zone = "update worksites set time_zone = 'Pacific/Auckland'";
            testkit::execute_raw_sql(yard.app.database(), zone).await.unwrap();
        }
        assert_eq!(next, "", "{query}");
        seen.sort_unstable();
        assert_eq!(seen, [1, 2, 3], "{query}");
    }
}

async fn bare_dates_cut_by_each_sites_own_day(app: TestApp) {
    let yard = Yard::new(app).await;
    // The same instant, on 28 February in Honolulu and on 1 March in Auckland.
    let started_at = at("2026-02-28T18:00:00Z");
    let mut rows = Vec::new();
    for hours in [-10, 13] {
        let mut row = yard.facts.incursion(domain::BaseStationId(1), TagId(1), started_at);
        row.attribution.local_day = utc_day(started_at + Span::minutes(60 * hours));
        rows.push(row);
    }
    yard.facts.add_incursions(rows).await;
    for (query, expected) in [
        ("?from=2026-03-01", &[2][..]),
        ("?from=2026-02-28", &[2, 1]),
        ("?to=2026-03-01", &[1]),
        ("?to=2026-02-28", &[]),
        ("?from=2026-02-28&to=2026-03-01", &[1]),
        ("?from=2026-02-28T18:00:00Z", &[2, 1]),
        ("?to=2026-02-28T18:00:00Z", &[]),
        ("?from=2026-02-28T18:00:00Z&to=2026-03-01", &[1]),
        ("?from=2026-02-28T19:00:00%2B01:00", &[2, 1]),
    ] {
        assert_eq!(yard.ids(&yard.admin, query).await, expected, "{query}");
    }
}

async fn those_who_see_some_projects_see_only_theirs(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.facts.add_incursions(vec![yard.row(3, Some(1)), yard.row(2, Some(2)), yard.row(1, None)]).await;
    let some = yard.restricted("some@example.com", Role::Viewer, &[2]).await;
    assert_eq!(yard.ids(&yard.admin, "").await, [3, 2, 1]);
    assert_eq!(yard.ids(&some, "").await, [2]);
    assert_eq!(yard.ids(&some, "?project_id=1").await, [0; 0]);
    assert_eq!(yard.ids(&some, "?project_id=1&project_id=2").await, [2]);
    assert_eq!(yard.ids(&some, "?machine_id=99").await, [0; 0]);
    for id in [1, 3] {
        yard.get(&some, &format!("/{id}")).await.expect(404);
    }
    // They see no names either.
    let shown = yard.get(&some, "").await.expect(200).json();
    assert_eq!(shown["data"][0]["pedestrian"]["name"], "Person 1");
    let other = yard.app.sign_in_new_user_in_brand("Other", "o@example.com", Role::Admin).await;
    assert_eq!(yard.ids(&other, "").await, [0; 0]);
}

async fn the_list_says_from_where_the_feed_goes_on(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.facts.add_incursions(vec![yard.row(3, Some(1)), yard.row(2, Some(1))]).await;
    let list = yard.get(&yard.admin, "").await.expect(200).json();
    assert_eq!((&list["seq"], &list["last_seq"]), (&json!(2), &json!(2)));
    yard.facts.add_incursions(vec![yard.row(1, Some(1))]).await;
    assert_eq!(yard.ids(&yard.admin, "?after_seq=2").await, [3]);
}

async fn few_and_many_values_find_the_same_in_the_same_order(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut rows: Vec<_> = (0..30).map(|number| yard.row(number, Some(1))).collect();
    for (number, row) in rows.iter_mut().enumerate() {
        row.tag = TagId(1 + number as i64 % 3);
    }
    yard.facts.add_incursions(rows).await;
    let expected: Vec<i64> = (1..=30).collect();
    // Numbers below and above the limit for merged queries.
    for most in [3, 4, 16, 17, 100] {
        let tags: Vec<String> = (1..=most).map(|tag| format!("tag_id={tag}")).collect();
        let filter = tags.join("&");
        let first = yard.get(&yard.admin, &format!("?limit=20&{filter}")).await.expect(200).json();
        let next = first["page"]["next"].as_str().unwrap();
        let mut found = super::ids(&first);
        found.extend(yard.ids(&yard.admin, &format!("?limit=20&cursor={next}&{filter}")).await);
        assert_eq!(found, expected, "with {most} tags");
    }
}
