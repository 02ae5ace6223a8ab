//! Query plans of the lists: they go along an index, however long the tables are.

use domain::{
    AssignmentFilter, Cursor, Direction, LocalBound, PeopleFilter, SortKey, Sorting, TagFilter,
    TagThresholds, Timestamp, VisitFilter, VisitPeriod, Window, WindowPosition,
};
use store::{Projects, Scope, Store};
use testkit::{TestApp, on_both_engines};

on_both_engines!(
    changes_are_read_along_their_index,
    orders_are_read_along_their_indexes,
    days_of_visits_are_read_along_their_index,
);

const FIRST_PAGE: Window = Window { size: 50, position: WindowPosition::Start };

/// Fills the tables whose lists can be long.
async fn set_up(app: &TestApp) -> (Store, Scope) {
    let brand = app.ensure_brand("Acme").await;
    let numbers = "with recursive n (n) as (select 1 union all select n + 1 from n where n < 20000)";
    let statements = format!(
        "insert into people (brand_id, kind, name, name_key, created_at, updated_at, registry_version)
             {numbers} select {0}, 'staff', 'P' || n, 'p' || n, n, n, n from n;
         insert into machines (brand_id, name, name_key, kind, version, created_at, updated_at, registry_version)
             {numbers} select {0}, 'M' || n, 'm' || n, 'truck', 1, n, n, n from n;
         insert into tags (brand_id, serial, serial_key, role, version, created_at, updated_at, registry_version)
             {numbers} select {0}, 'T' || n, 't' || n, 'pedestrian', 1, n, n, n from n;
         insert into base_stations (brand_id, serial, serial_key, created_at, updated_at, registry_version)
             {numbers} select {0}, 'S' || n, 's' || n, n, n, n from n;
         insert into tag_assignments (brand_id, tag_id, person_id, assigned_at, assigned_by_kind, assigned_by_id, ended_at,
                 created_at, updated_at, registry_version)
             select t.brand_id, t.id, p.id, t.created_at, 'user', 1, t.created_at + 1, t.created_at, t.updated_at,
                 t.registry_version from tags t join people p on p.id = t.id;
         insert into visitor_sessions (brand_id, person_id, tag_assignment_id, checked_in_at, checked_in_by_kind,
                 checked_in_by_id, checked_out_at, created_at, updated_at, registry_version)
             select a.brand_id, a.person_id, a.id, a.assigned_at, 'user', 1, a.ended_at, a.created_at, a.updated_at,
                 a.registry_version from tag_assignments a;
         analyze people; analyze machines; analyze tags; analyze base_stations; analyze tag_assignments;
         analyze visitor_sessions",
        brand.id
    );
    testkit::execute_raw_sql(app.database(), &statements).await.unwrap();
    let (store, platform) = app.database().open().await;
    (store, platform.scope(brand.id, Projects::All))
}

fn thresholds() -> TagThresholds {
    TagThresholds::at(Timestamp::from_seconds(1), 7, (20, 10), 24)
}

/// Asserts that a plan reads the index in its order.
fn assert_along(plan: &[String], index: &str) {
    let text = plan.join("\n");
    assert!(text.contains(index), "{index}: {text}");
    assert!(!text.contains("Sort") && !text.contains("TEMP B-TREE FOR ORDER BY"), "{index}: {text}");
}

async fn changes_are_read_along_their_index(app: TestApp) {
    let (store, scope) = set_up(&app).await;
    let (window, limits) = (FIRST_PAGE, thresholds());
    let mut tx = store.begin().await.unwrap();
    let plans = [
        ("machines", tx.machines(&scope).explain_changes(&window).await.unwrap()),
        ("tags", tx.tags_in_detail(&scope).explain_changes(&limits, &window).await.unwrap()),
        ("base_stations", tx.base_stations(&scope).explain_changes(&window).await.unwrap()),
        ("visitor_sessions", tx.visitor_sessions(&scope).explain_changes(&window).await.unwrap()),
    ];
    drop(tx);
    for (table, plan) in plans {
        assert_along(&plan, &format!("{table}_by_change"));
    }
    // A cursor of another list is refused, whatever the order.
    let foreign = Window { size: 50, position: WindowPosition::After(Cursor::from_client("x")) };
    let mut tx = store.begin().await.unwrap();
    assert!(tx.machines(&scope).explain_changes(&foreign).await.is_err());
}

async fn orders_are_read_along_their_indexes(app: TestApp) {
    let (store, scope) = set_up(&app).await;
    let (window, limits) = (FIRST_PAGE, thresholds());
    let mut tx = store.begin().await.unwrap();
    for direction in [Direction::Ascending, Direction::Descending] {
        for (key, order) in [(SortKey::CreatedAt, "by_creation"), (SortKey::UpdatedAt, "by_update")] {
            let by = Sorting::by(key, direction);
            let people = PeopleFilter::default();
            let plan = tx.people(&scope).explain_slice(&people, by, &window).await.unwrap();
            assert_along(&plan, &format!("people_{order}"));
            let tags = TagFilter::default();
            let plan = tx.tags_in_detail(&scope).explain_slice(&tags, &limits, by, &window).await.unwrap();
            assert_along(&plan, &format!("tags_{order}"));
        }
        for (key, order) in [
            (SortKey::StartedAt, "by_start"),
            (SortKey::CreatedAt, "by_creation"),
            (SortKey::UpdatedAt, "by_update"),
        ] {
            let by = Sorting::by(key, direction);
            let assignments = AssignmentFilter::default();
            let plan = tx.tag_assignments(&scope).explain_slice(&assignments, by, &window).await.unwrap();
            assert_along(&plan, &format!("tag_assignments_{order}"));
            let visits = VisitFilter::default();
            let plan = tx.visitor_sessions(&scope).explain_slice(&visits, by, &window).await.unwrap();
            assert_along(&plan, &format!("visitor_sessions_{order}"));
        }
    }
}

async fn days_of_visits_are_read_along_their_index(app: TestApp) {
    let (store, scope) = set_up(&app).await;
    let bound = |at: i64| LocalBound {
        by_zone: vec![("Asia/Tokyo".to_owned(), Timestamp::from_micros(at - 9))],
        otherwise: Timestamp::from_micros(at),
    };
    let period = VisitPeriod { from: Some(bound(15_000)), to: Some(bound(15_100)) };
    let filter = VisitFilter { period, ..VisitFilter::default() };
    let mut tx = store.begin().await.unwrap();
    for key in [SortKey::Id, SortKey::StartedAt] {
        let by = Sorting::by(key, Direction::Descending);
        let plan = tx.visitor_sessions(&scope).explain_slice(&filter, by, &FIRST_PAGE).await.unwrap();
        let text = plan.join("\n");
        assert!(text.contains("visitor_sessions_by_start"), "{text}");
        // Only the days are read, and not all visits from the newest on.
        let is_range = |line: &&String| line.contains("Index Cond") || line.contains("SEARCH v ");
        assert!(plan.iter().filter(is_range).any(|line| line.contains("checked_in_at")), "{text}");
    }
    let found = tx.visitor_sessions(&scope).count(&filter).await.unwrap();
    assert_eq!(found, 100, "none of them has a worksite");
}
