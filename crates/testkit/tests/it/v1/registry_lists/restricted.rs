//! Incremental sync of callers who are restricted to projects.

use http::Method;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{get, ids, patch, post, set_up, sign_in_restricted};

on_both_engines!(
    a_machine_that_leaves_and_returns_is_noticed,
    a_worksite_that_changes_its_project_takes_its_machines_along,
    a_project_change_in_the_past_moves_visits,
    departures_are_read_page_by_page,
    departures_from_before_the_beginning_are_not_returned,
    a_record_that_moves_often_leaves_one_trace_in_each_project,
    other_projects_are_not_disclosed,
);

/// Worksite 1 in project 1, worksite 2 in project 2, and machine 1 with station 1 at worksite 1.
async fn set_up_yard(app: &TestApp) -> (Account, Account) {
    let admin = set_up(app).await;
    post(app, &admin, "/api/v1/projects", &json!({ "name": "South" })).await.expect(201);
    for (name, project) in [("East", 1), ("West", 2)] {
        let site = json!({
            "name": name, "colour": "#ff8800", "kind": "other", "time_zone": "UTC", "project_id": project,
        });
        post(app, &admin, "/api/v1/worksites", &site).await.expect(201);
    }
    let machine = json!({ "name": "Crane", "kind": "crane", "worksite_id": 1 });
    post(app, &admin, "/api/v1/machines", &machine).await.expect(201);
    post(app, &admin, "/api/v1/base_stations", &json!({ "serial": "B-1" })).await.expect(201);
    let put = app.request(Method::PUT, "/api/v1/base_stations/1/installation").cookie(&admin.cookie);
    put.json(&json!({ "machine_id": 1 })).send().await.expect(200);
    app.clock.advance(domain::Span::seconds(1));
    let narrow = sign_in_restricted(app, &[1]).await;
    (admin, narrow)
}

/// Returns the changed and the gone ids of a list, and the version to continue from.
async fn changes(app: &TestApp, user: &Account, list: &str, after: i64) -> (Vec<i64>, Value, i64) {
    let page = get(app, user, &format!("/api/v1/{list}?after_version={after}")).await;
    (ids(&page), page["page"]["gone"].clone(), page["page"]["registry_version"].as_i64().unwrap())
}

async fn a_machine_that_leaves_and_returns_is_noticed(app: TestApp) {
    let (admin, narrow) = set_up_yard(&app).await;
    let (seen, gone, version) = changes(&app, &narrow, "machines", 0).await;
    assert_eq!((seen, gone), (vec![1], json!([])));
    assert_eq!(changes(&app, &narrow, "base_stations", 0).await.0, [1]);
    patch(&app, &admin, "/api/v1/machines/1", &json!({ "worksite_id": 2 })).await.expect(200);
    for list in ["machines", "base_stations"] {
        let (seen, gone, _) = changes(&app, &narrow, list, version).await;
        assert_eq!((seen, gone), (vec![], json!([1])), "{list}");
    }
    // For those who see both projects it has only changed.
    let (seen, gone, _) = changes(&app, &admin, "machines", version).await;
    assert_eq!((seen, gone), (vec![1], json!([])));
    let away = changes(&app, &narrow, "machines", version).await.2;
    app.clock.advance(domain::Span::seconds(1));
    patch(&app, &admin, "/api/v1/machines/1", &json!({ "worksite_id": 1 })).await.expect(200);
    for list in ["machines", "base_stations"] {
        for since in [version, away] {
            let (seen, gone, _) = changes(&app, &narrow, list, since).await;
            assert_eq!((seen, gone), (vec![1], json!([])), "{list}");
        }
    }
}

async fn a_worksite_that_changes_its_project_takes_its_machines_along(app: TestApp) {
    let (admin, narrow) = set_up_yard(&app).await;
    let version = changes(&app, &narrow, "worksites", 0).await.2;
    patch(&app, &admin, "/api/v1/worksites/1", &json!({ "project_id": 2 })).await.expect(200);
    for list in ["worksites", "machines", "base_stations"] {
        let (seen, gone, _) = changes(&app, &narrow, list, version).await;
        assert_eq!((seen, gone), (vec![], json!([1])), "{list}");
    }
    let away = changes(&app, &narrow, "worksites", version).await.2;
    app.clock.advance(domain::Span::seconds(1));
    patch(&app, &admin, "/api/v1/worksites/1", &json!({ "project_id": 1 })).await.expect(200);
    for list in ["worksites", "machines", "base_stations"] {
        assert_eq!(changes(&app, &narrow, list, away).await.0, [1], "{list}");
    }
}

async fn a_project_change_in_the_past_moves_visits(app: TestApp) {
    let (admin, narrow) = set_up_yard(&app).await;
    let visit = json!({ "name": "Vera", "tag_serial": "V-1", "worksite_id": 1 });
    post(&app, &admin, "/api/v1/visitor_sessions", &visit).await.expect(201);
    let (seen, _, version) = changes(&app, &narrow, "visitor_sessions", 0).await;
    assert_eq!(seen, [1]);
    app.clock.advance(domain::Span::seconds(1));
    let change = async |fields: Value| {
        patch(&app, &admin, "/api/v1/worksites/1", &fields).await.expect(200);
        app.clock.advance(domain::Span::seconds(1));
    };
    change(json!({ "project_id": 2, "effective_from": "2026-03-01T12:00:30Z" })).await;
    let (seen, gone, away) = changes(&app, &narrow, "visitor_sessions", version).await;
    assert_eq!((seen, gone), (vec![], json!([1])));
    // The worksite returns, but not the visit from before.
    change(json!({ "project_id": 1 })).await;
    let (seen, gone, away) = changes(&app, &narrow, "visitor_sessions", away).await;
    assert_eq!((seen, gone), (vec![], json!([])));
    // The current project stays, and the visit returns.
    change(json!({ "project_id": 1, "effective_from": "2026-03-01T12:00:30Z" })).await;
    let (seen, gone, _) = changes(&app, &narrow, "visitor_sessions", away).await;
    assert_eq!((seen, gone), (vec![1], json!([])));
}

/// Adds worksites 3 to 8 to project 1.
async fn add_worksites(app: &TestApp, admin: &Account) {
    for number in 3..=8 {
        let name = format!("Site {number}");
        let site = json!({ "name": name, "kind": "other", "time_zone": "UTC", "project_id": 1 });
        post(app, admin, "/api/v1/worksites", &site).await.expect(201);
    }
    app.clock.advance(domain::Span::seconds(1));
}

async fn departures_are_read_page_by_page(app: TestApp) {
    let (admin, narrow) = set_up_yard(&app).await;
    add_worksites(&app, &admin).await;
    let version = changes(&app, &narrow, "worksites", 0).await.2;
    for id in [1, 3, 4, 5, 6, 7, 8] {
        let path = format!("/api/v1/worksites/{id}");
        patch(&app, &admin, &path, &json!({ "project_id": 2 })).await.expect(200);
    }
    let path = format!("/api/v1/worksites?after_version={version}&limit=3");
    let first = get(&app, &narrow, &path).await;
    assert_eq!((ids(&first), &first["page"]["gone"]), (vec![], &json!([1, 3, 4])));
    // Continuing from the version before the last page would repeat, but lose nothing.
    assert_eq!(first["page"]["registry_version"], version);
    app.clock.advance(domain::Span::seconds(1));
    patch(&app, &admin, "/api/v1/worksites/5", &json!({ "project_id": 1 })).await.expect(200);
    let cursor = first["page"]["next"].as_str().unwrap();
    let second = get(&app, &narrow, &format!("{path}&cursor={cursor}")).await;
    assert_eq!((ids(&second), &second["page"]["gone"]), (vec![], &json!([6, 7])));
    let next = second["page"]["next"].as_str().unwrap();
    let last = get(&app, &narrow, &format!("{path}&cursor={next}")).await;
    assert_eq!((&last["page"]["gone"], &last["page"]["next"]), (&json!([8]), &json!(null)));
    // The worksite that returned meanwhile is a later change.
    let reached = last["page"]["registry_version"].as_i64().unwrap();
    let (seen, gone, _) = changes(&app, &narrow, "worksites", reached).await;
    assert_eq!((seen, gone), (vec![5], json!([])));
    for other in ["worksites?after_version=0".to_owned(), format!("machines?after_version={version}")] {
        let call = app.get(&format!("/api/v1/{other}&cursor={cursor}")).cookie(&narrow.cookie);
        assert_eq!(call.send().await.expect(400).json()["errors"][0]["code"], "invalid_cursor", "{other}");
    }
}

async fn departures_from_before_the_beginning_are_not_returned(app: TestApp) {
    let (admin, narrow) = set_up_yard(&app).await;
    add_worksites(&app, &admin).await;
    patch(&app, &admin, "/api/v1/worksites/3", &json!({ "project_id": 2 })).await.expect(200);
    let path = "/api/v1/worksites?after_version=0&limit=5";
    let first = get(&app, &narrow, path).await;
    assert_eq!(ids(&first), [1, 4, 5, 6, 7]);
    // A worksite that has been returned leaves before the last page.
    patch(&app, &admin, "/api/v1/worksites/4", &json!({ "project_id": 2 })).await.expect(200);
    let cursor = first["page"]["next"].as_str().unwrap();
    let last = get(&app, &narrow, &format!("{path}&cursor={cursor}")).await;
    assert_eq!((ids(&last), &last["page"]["gone"]), (vec![8], &json!([4])));
}

async fn a_record_that_moves_often_leaves_one_trace_in_each_project(app: TestApp) {
    let (admin, _) = set_up_yard(&app).await;
    for _ in 0..3 {
        for worksite in [2, 1] {
            app.clock.advance(domain::Span::seconds(1));
            let change = json!({ "worksite_id": worksite });
            patch(&app, &admin, "/api/v1/machines/1", &change).await.expect(200);
        }
    }
    // The machine and its base station left each of the two projects.
    assert_eq!(testkit::count_rows(app.database()).await["registry_departures"], 4);
}

async fn other_projects_are_not_disclosed(app: TestApp) {
    let (admin, narrow) = set_up_yard(&app).await;
    let version = changes(&app, &narrow, "machines", 0).await.2;
    let other = json!({ "name": "Roller", "kind": "roller", "worksite_id": 2 });
    post(&app, &admin, "/api/v1/machines", &other).await.expect(201);
    app.clock.advance(domain::Span::seconds(1));
    app.post("/api/v1/machines/2/archive").cookie(&admin.cookie).send().await.expect(200);
    patch(&app, &admin, "/api/v1/worksites/2", &json!({ "name": "Far West" })).await.expect(200);
    patch(&app, &admin, "/api/v1/projects/2", &json!({ "code": "S" })).await.expect(200);
    for list in ["machines", "worksites", "projects", "base_stations"] {
        let (seen, gone, _) = changes(&app, &narrow, list, version).await;
        assert_eq!((seen, gone), (vec![], json!([])), "{list}");
    }
}
