//! The parameter `after_version`: incremental sync of the registry.

use std::collections::BTreeSet;

use domain::{Name, NewProject, Timestamp};
use serde_json::json;
use store::Projects;
use testkit::{TestApp, on_both_engines};

use super::{LISTS, add, get, ids, patch, post, set_up, walk};

on_both_engines!(
    each_list_returns_what_changed_and_nothing_else,
    handing_a_tag_out_and_taking_it_back_changes_the_tag,
    archived_and_deleted_records_are_not_lost,
    rows_of_one_change_are_paged,
    a_writer_that_commits_late_is_not_missed,
    nothing_is_missed_while_others_write,
    nothing_else_goes_with_a_version,
);

async fn each_list_returns_what_changed_and_nothing_else(app: TestApp) {
    let admin = set_up(&app).await;
    for (list, template) in LISTS {
        let first = add(&app, &admin, list, template, 1).await;
        let begun = get(&app, &admin, &format!("{list}?after_version=0")).await;
        assert!(ids(&begun).contains(&first), "{list}");
        let version = begun["page"]["registry_version"].as_i64().unwrap();
        assert_eq!(begun["page"]["gone"], json!([]), "{list}");
        let quiet = get(&app, &admin, &format!("{list}?after_version={version}")).await;
        assert_eq!(ids(&quiet), [0; 0], "{list}");
        assert_eq!(quiet["page"]["registry_version"], version, "{list}");
        let second = add(&app, &admin, list, template, 2).await;
        let next = get(&app, &admin, &format!("{list}?after_version={version}")).await;
        assert_eq!(ids(&next), [second], "{list}");
        assert!(next["page"]["registry_version"].as_i64().unwrap() > version, "{list}");
    }
}

async fn handing_a_tag_out_and_taking_it_back_changes_the_tag(app: TestApp) {
    let admin = set_up(&app).await;
    post(&app, &admin, "/api/v1/tags", &json!({ "serial": "T-1" })).await.expect(201);
    let begun = get(&app, &admin, "/api/v1/tags?after_version=0").await;
    let version = &begun["page"]["registry_version"];
    for (tag, number) in [(json!({ "tag_serial": "T-1" }), 1), (json!({ "tag_id": 1 }), 2)] {
        let mut given = tag;
        given["person_id"] = json!(1);
        post(&app, &admin, "/api/v1/tag_assignments", &given).await.expect(201);
        let page = get(&app, &admin, &format!("/api/v1/tags?after_version={version}")).await;
        let shown = &page["data"][0];
        assert_eq!((&shown["state"], &shown["person"]["id"]), (&json!("assigned"), &json!(1)), "{page}");
        let version = &page["page"]["registry_version"];
        app.clock.advance(domain::Span::seconds(1));
        let path = format!("/api/v1/tag_assignments/{number}");
        app.delete(&path).cookie(&admin.cookie).send().await.expect(200);
        let page = get(&app, &admin, &format!("/api/v1/tags?after_version={version}")).await;
        let shown = &page["data"][0];
        assert_eq!((&shown["state"], &shown["person"]), (&json!("stock"), &json!(null)), "{page}");
        app.clock.advance(domain::Span::seconds(1));
    }
}

async fn archived_and_deleted_records_are_not_lost(app: TestApp) {
    let admin = set_up(&app).await;
    let site = json!({ "name": "East", "colour": "#ff8800", "kind": "other", "time_zone": "UTC" });
    post(&app, &admin, "/api/v1/worksites", &site).await.expect(201);
    post(&app, &admin, "/api/v1/machines", &json!({ "name": "Crane", "kind": "crane" })).await.expect(201);
    post(&app, &admin, "/api/v1/tags", &json!({ "serial": "T-1" })).await.expect(201);
    let version =
        get(&app, &admin, "/api/v1/people?after_version=0").await["page"]["registry_version"].clone();
    for path in ["/api/v1/people/1/archive", "/api/v1/machines/1/archive"] {
        app.post(path).cookie(&admin.cookie).send().await.expect(200);
    }
    patch(&app, &admin, "/api/v1/projects/1", &json!({ "archived": true })).await.expect(200);
    patch(&app, &admin, "/api/v1/tags/1", &json!({ "retired": true })).await.expect(200);
    for list in ["people", "machines", "projects", "tags"] {
        let page = get(&app, &admin, &format!("/api/v1/{list}?after_version={version}")).await;
        assert_eq!(ids(&page), [1], "{list}");
    }
    app.request(http::Method::DELETE, "/api/v1/worksites/1").cookie(&admin.cookie).send().await.expect(200);
    let page = get(&app, &admin, &format!("/api/v1/worksites?after_version={version}")).await;
    assert_eq!((ids(&page), &page["page"]["gone"]), (vec![], &json!([1])));
    // Whoever starts later never had it.
    let page = get(&app, &admin, "/api/v1/worksites?after_version=0").await;
    assert_eq!((ids(&page), &page["page"]["gone"]), (vec![], &json!([])));
}

async fn rows_of_one_change_are_paged(app: TestApp) {
    let admin = set_up(&app).await;
    let lines: String = (1..=7).map(|n| format!("T-{n}\n")).collect();
    let file = format!("serial\n{lines}");
    let import = app.post("/api/v1/imports/tags").cookie(&admin.cookie);
    import.bytes("text/csv; charset=utf-8", file.as_str()).send().await.expect(201);
    let first = get(&app, &admin, "/api/v1/tags?after_version=0&limit=3").await;
    assert_eq!(ids(&first), [1, 2, 3]);
    // Before the last page, continuing by the version repeats, but loses nothing.
    assert_eq!((&first["page"]["registry_version"], &first["page"]["gone"]), (&json!(0), &json!(null)));
    let cursor = first["page"]["next"].as_str().unwrap();
    // A row that changes meanwhile moves to the end.
    patch(&app, &admin, "/api/v1/tags/5", &json!({ "role": "operator" })).await.expect(200);
    let path = format!("/api/v1/tags?after_version=0&limit=3&cursor={cursor}");
    let second = get(&app, &admin, &path).await;
    assert_eq!(ids(&second), [4, 6, 7]);
    let cursor = second["page"]["next"].as_str().unwrap();
    let path = format!("/api/v1/tags?after_version=0&limit=3&cursor={cursor}");
    let third = get(&app, &admin, &path).await;
    assert_eq!((ids(&third), &third["page"]["next"]), (vec![5], &json!(null)));
    let refused = app.get(&format!("/api/v1/tags?after_version=1&cursor={cursor}")).cookie(&admin.cookie);
    assert_eq!(refused.send().await.expect(400).json()["errors"][0]["code"], "invalid_cursor");
}

async fn a_writer_that_commits_late_is_not_missed(app: TestApp) {
    let admin = set_up(&app).await;
    let brand = app.ensure_brand("Acme").await;
    let (store, platform) = app.database().open().await;
    let scope = platform.scope(brand.id, Projects::All);
    let new = |name: &str| NewProject { name: Name::parse(name).unwrap(), code: None, archived_at: None };
    let mut late = store.begin().await.unwrap();
    late.lock_and_bump_registry(&scope).await.unwrap();
    // Its time lies before that of everything that is written later.
    late.projects(&scope).add(&new("Late"), Timestamp::from_seconds(1)).await.unwrap();
    let before = get(&app, &admin, "/api/v1/projects?after_version=0").await;
    assert_eq!(ids(&before), [1]);
    late.commit().await.unwrap();
    post(&app, &admin, "/api/v1/projects", &json!({ "name": "Next" })).await.expect(201);
    let version = &before["page"]["registry_version"];
    let after = get(&app, &admin, &format!("/api/v1/projects?after_version={version}")).await;
    assert_eq!(ids(&after), [2, 3]);
}

async fn nothing_is_missed_while_others_write(app: TestApp) {
    let admin = set_up(&app).await;
    let write = async |writer: usize| {
        for number in 0..10 {
            let body = json!({ "name": format!("W{writer}-{number}") });
            post(&app, &admin, "/api/v1/projects", &body).await.expect(201);
        }
    };
    let read = async |mut seen: BTreeSet<i64>, mut version: i64, rounds: usize| {
        for _ in 0..rounds {
            let path = format!("/api/v1/projects?after_version={version}&limit=3");
            let (rows, last) = walk(&app, &admin, &path).await;
            for id in rows {
                assert!(seen.insert(id), "{id} did not change twice");
            }
            version = last["page"]["registry_version"].as_i64().unwrap();
        }
        (seen, version)
    };
    let ((), (), (), (seen, version)) =
        tokio::join!(write(1), write(2), write(3), read(BTreeSet::new(), 0, 20));
    let (seen, _) = read(seen, version, 1).await;
    assert_eq!(seen, (1..=31).collect());
}

async fn nothing_else_goes_with_a_version(app: TestApp) {
    let admin = set_up(&app).await;
    for (query, field, code) in [
        ("after_version=-1", "after_version", "out_of_range"),
        ("after_version=x", "after_version", "out_of_range"),
        ("after_version=999999", "after_version", "out_of_range"),
        ("after_version=0&after_version=1", "after_version", "repeated_parameter"),
        ("after_version=0&sort=name", "sort", "not_with_after_version"),
        ("after_version=0&kind=crane", "kind", "not_with_after_version"),
        ("after_version=0&archived=false", "archived", "not_with_after_version"),
    ] {
        let path = format!("/api/v1/machines?{query}");
        let error = app.get(&path).cookie(&admin.cookie).send().await.expect(400).json()["errors"][0].clone();
        assert_eq!((error["field"].as_str(), error["code"].as_str()), (Some(field), Some(code)), "{query}");
    }
    let page = get(&app, &admin, "/api/v1/people?after_version=0&include_total=true").await;
    assert_eq!(page["page"]["total"], 1);
}
