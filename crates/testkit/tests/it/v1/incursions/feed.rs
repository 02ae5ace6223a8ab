//! GET /api/v1/incursions?after_seq=…

use std::collections::{BTreeMap, BTreeSet};

use domain::{ChangeCause, ProjectId, Review, Role, Zone};
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::Yard;

on_both_engines!(
    the_feed_tells_every_change_once_at_its_number,
    the_feed_has_no_default_filter,
    what_leaves_the_callers_projects_is_gone,
    one_that_left_is_told_even_if_it_changed_since,
    whoever_follows_in_any_steps_knows_what_there_is,
    following_while_others_write_misses_nothing,
    a_number_that_is_ahead_is_refused,
    a_call_goes_through_so_many_numbers_at_most,
);

async fn the_feed_tells_every_change_once_at_its_number(app: TestApp) {
    let yard = Yard::new(app).await;
    let rows: Vec<_> = (0..3).map(|number| yard.row(number, Some(1))).collect();
    let uid = rows[0].uid.clone();
    yard.facts.add_incursions(rows).await;
    let mut first = yard.facts.find_incursion(domain::BaseStationId(1), &uid).await;
    assert_eq!(
        yard.facts.change_incursion(&mut first, ChangeCause::Report, |row| row.zone = Zone::Danger).await,
        4
    );
    let feed = yard.get(&yard.admin, "?after_seq=0").await.expect(200).json();
    assert_eq!(super::ids(&feed), [2, 3, 1]);
    assert_eq!(feed["data"][2]["zone"], "danger");
    assert_eq!(
        (&feed["seq"], &feed["last_seq"], &feed["page"]["next"]),
        (&json!(4), &json!(4), &json!(null))
    );
    // The default may be given.
    assert_eq!(yard.get(&yard.admin, "?after_seq=0&include_total=false").await.expect(200).json(), feed);
    // Page by page, by sequence number and by cursor.
    let page = yard.get(&yard.admin, "?after_seq=0&limit=2").await.expect(200).json();
    assert_eq!(super::ids(&page), [2, 3]);
    assert_eq!((&page["seq"], &page["last_seq"]), (&json!(3), &json!(4)));
    assert_eq!(yard.ids(&yard.admin, "?after_seq=3&limit=2").await, [1]);
    let next = page["page"]["next"].as_str().unwrap();
    assert_eq!(yard.ids(&yard.admin, &format!("?after_seq=0&limit=2&cursor={next}")).await, [1]);
    let refused = yard.get(&yard.admin, &format!("?after_seq=1&cursor={next}")).await.expect(400);
    assert_eq!(refused.code(), "invalid_cursor");
    assert_eq!(yard.get(&yard.admin, &format!("?cursor={next}")).await.expect(400).code(), "invalid_cursor");
    let end = yard.get(&yard.admin, "?after_seq=4").await.expect(200).json();
    assert_eq!((&end["data"], &end["seq"]), (&json!([]), &json!(4)));
}

async fn the_feed_has_no_default_filter(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut old = yard.row(60 * 24 * 365 * 7, Some(1));
    old.review = Review::FalseDetection;
    yard.facts.add_incursions(vec![old]).await;
    assert_eq!(yard.ids(&yard.admin, "").await, [0; 0]);
    assert_eq!(yard.ids(&yard.admin, "?after_seq=0").await, [1]);
}

/// Returns the changes that a caller gets after a sequence number: ids, and `-id` of those removed from view.
async fn changes_after(yard: &Yard, user: &Account, after: i64) -> Vec<i64> {
    let feed = yard.get(user, &format!("?after_seq={after}")).await.expect(200).json();
    let rows = feed["data"].as_array().unwrap();
    let id = |row: &Value| row["id"].as_i64().unwrap() * if row["gone"] == true { -1 } else { 1 };
    rows.iter().map(id).collect()
}

async fn what_leaves_the_callers_projects_is_gone(app: TestApp) {
    let yard = Yard::new(app).await;
    let rows = vec![yard.row(3, Some(1)), yard.row(2, Some(2)), yard.row(1, None)];
    let uids: Vec<String> = rows.iter().map(|row| row.uid.clone()).collect();
    yard.facts.add_incursions(rows).await;
    let some = yard.restricted("some@example.com", Role::Viewer, &[1]).await;
    assert_eq!(changes_after(&yard, &some, 0).await, [1]);
    let mut first = yard.facts.find_incursion(domain::BaseStationId(1), &uids[0]).await;
    let mut third = yard.facts.find_incursion(domain::BaseStationId(1), &uids[2]).await;
    let to = |project: Option<i64>| {
        move |row: &mut domain::IncursionRow| row.attribution.project = project.map(ProjectId)
    };
    assert_eq!(yard.facts.change_incursion(&mut first, ChangeCause::Attribution, to(None)).await, 4);
    yard.facts.change_incursion(&mut third, ChangeCause::Attribution, to(Some(1))).await;
    let feed = yard.get(&some, "?after_seq=3").await.expect(200).json();
    assert_eq!(feed["data"][0], json!({ "id": 1, "seq": 4, "gone": true }));
    assert_eq!(changes_after(&yard, &some, 3).await, [-1, 3]);
    // Other callers see where it is now.
    assert_eq!(changes_after(&yard, &yard.admin, 3).await, [1, 3]);
    // Reported once: what happens to it elsewhere is not visible to them.
    yard.facts.change_incursion(&mut first, ChangeCause::Attribution, to(Some(2))).await;
    assert_eq!(changes_after(&yard, &some, 5).await, [0; 0]);
    // It comes back into view and leaves again.
    yard.facts.change_incursion(&mut first, ChangeCause::Attribution, to(Some(1))).await;
    assert_eq!(changes_after(&yard, &some, 5).await, [1]);
    yard.facts.change_incursion(&mut first, ChangeCause::Attribution, to(None)).await;
    assert_eq!(changes_after(&yard, &some, 0).await, [3, -1]);
    assert_eq!(changes_after(&yard, &some, 7).await, [-1]);
    let nobody = yard.restricted("none@example.com", Role::Viewer, &[]).await;
    assert_eq!(changes_after(&yard, &nobody, 0).await, [0; 0]);
}

async fn one_that_left_is_told_even_if_it_changed_since(app: TestApp) {
    let yard = Yard::new(app).await;
    let rows: Vec<_> = (0..4).map(|number| yard.row(number, Some(1))).collect();
    let uid = rows[0].uid.clone();
    yard.facts.add_incursions(rows).await;
    let some = yard.restricted("some@example.com", Role::Viewer, &[1]).await;
    let mut first = yard.facts.find_incursion(domain::BaseStationId(1), &uid).await;
    yard.facts
        .change_incursion(&mut first, ChangeCause::Attribution, |row| row.attribution.project = None)
        .await;
    yard.facts.add_incursions((0..3).map(|number| yard.row(number, Some(1))).collect()).await;
    // Its last change is after the end of the second page.
    yard.facts.change_incursion(&mut first, ChangeCause::Report, |row| row.zone = Zone::Danger).await;
    let (mut after, mut gone) = (4, 0);
    for _ in 0..4 {
        let feed = yard.get(&some, &format!("?after_seq={after}&limit=1")).await.expect(200).json();
        gone += feed["data"].as_array().unwrap().iter().filter(|row| row["gone"] == true).count();
        after = feed["seq"].as_i64().unwrap();
    }
    assert_eq!((gone, after), (1, 9));
}

/// Follows the feed in pages of `limit` to its end and applies the changes.
async fn follow_feed(
    yard: &Yard,
    user: &Account,
    limit: i64,
    after: &mut i64,
    known: &mut BTreeMap<i64, Value>,
) {
    loop {
        let feed = yard.get(user, &format!("?after_seq={after}&limit={limit}")).await.expect(200).json();
        for row in feed["data"].as_array().unwrap() {
            let id = row["id"].as_i64().unwrap();
            if row["gone"] == true {
                known.remove(&id);
            } else {
                known.insert(id, row.clone());
            }
        }
        *after = feed["seq"].as_i64().unwrap();
        if feed["seq"] == feed["last_seq"] {
            return;
        }
    }
}

async fn whoever_follows_in_any_steps_knows_what_there_is(app: TestApp) {
    let yard = Yard::new(app).await;
    let some = yard.restricted("some@example.com", Role::Viewer, &[1]).await;
    let mut kept = Vec::new();
    for number in 0..12 {
        let row = yard.row(number, [Some(1), Some(2), None][number as usize % 3]);
        let uid = row.uid.clone();
        yard.facts.add_incursions(vec![row]).await;
        kept.push(yard.facts.find_incursion(domain::BaseStationId(1), &uid).await);
    }
    let mut followers: Vec<_> = [1, 2, 3, 500].map(|limit| (limit, 0, BTreeMap::new())).into();
    let mut dice = 7_usize;
    for round in 0..60 {
        dice = dice.wrapping_mul(1_103_515_245).wrapping_add(12_345) % (1 << 31);
        let (which, project) = (dice / 64 % kept.len(), [Some(1), Some(1), Some(2), None][dice / 4096 % 4]);
        let change = |row: &mut domain::IncursionRow| row.attribution.project = project.map(ProjectId);
        yard.facts.change_incursion(&mut kept[which], ChangeCause::Attribution, change).await;
        for (limit, after, known) in &mut followers {
            // Some callers poll often, some rarely.
            if round % *limit == 0 {
                follow_feed(&yard, &some, *limit, after, known).await;
            }
        }
    }
    let now: BTreeSet<i64> = yard.ids(&some, "").await.into_iter().collect();
    for (limit, after, known) in &mut followers {
        follow_feed(&yard, &some, *limit, after, known).await;
        let known: BTreeSet<i64> = known.keys().copied().collect();
        assert_eq!(known, now, "in pages of {limit}");
    }
}

async fn following_while_others_write_misses_nothing(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut writers = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let facts = yard.app.facts("Acme").await;
        let rows: Vec<_> = (0..30).map(|number| yard.row(number, Some(1))).collect();
        writers.spawn(async move {
            for row in rows {
                let (station, uid) = (row.base_station, row.uid.clone());
                facts.add_incursions(vec![row]).await;
                let mut kept = facts.find_incursion(station, &uid).await;
                facts.change_incursion(&mut kept, ChangeCause::Report, |row| row.zone = Zone::Danger).await;
            }
        });
    }
    let (mut after, mut known) = (0, BTreeMap::new());
    while !writers.is_empty() {
        follow_feed(&yard, &yard.admin, 7, &mut after, &mut known).await;
        while writers.try_join_next().is_some_and(|done| done.is_ok()) {}
    }
    follow_feed(&yard, &yard.admin, 7, &mut after, &mut known).await;
    assert_eq!((known.len(), after), (120, 240));
    assert!(known.values().all(|row| row["zone"] == "danger"), "a change was missed");
}

async fn a_number_that_is_ahead_is_refused(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.facts.add_incursions(vec![yard.row(1, Some(1))]).await;
    let refused = yard.get(&yard.admin, "?after_seq=2").await.expect(400).json();
    assert_eq!(
        (&refused["errors"][0]["field"], &refused["code"]),
        (&json!("after_seq"), &json!("out_of_range"))
    );
}

async fn a_call_goes_through_so_many_numbers_at_most(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.facts.add_incursions(vec![yard.row(2, Some(1))]).await;
    let sql = "update brand_counters set last_seq = 150000";
    testkit::execute_raw_sql(yard.app.database(), sql).await.unwrap();
    yard.facts.add_incursions(vec![yard.row(1, Some(1))]).await;
    let feed = yard.get(&yard.admin, "?after_seq=1").await.expect(200).json();
    assert_eq!(
        (&feed["data"], &feed["seq"], &feed["last_seq"]),
        (&json!([]), &json!(100_001), &json!(150_001))
    );
    let next = feed["page"]["next"].as_str().unwrap();
    assert_eq!(yard.ids(&yard.admin, &format!("?after_seq=1&cursor={next}")).await, [2]);
    let (mut after, mut known) = (0, BTreeMap::new());
    follow_feed(&yard, &yard.admin, 50, &mut after, &mut known).await;
    assert_eq!((known.len(), after), (2, 150_001));
}
