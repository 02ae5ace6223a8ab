//! GET /api/v1/tester/people_assets

use domain::{DeviceKind, Role, Span};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

on_both_engines!(
    people_are_filtered_by_kind_and_name,
    people_are_sorted_and_read_by_version,
    of_archived_people_only_that_they_are_is_shown,
    anything_but_staff_or_visitor_is_refused,
);

async fn people_are_filtered_by_kind_and_name(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    for (kind, name) in [("staff", "Zoë"), ("staff", "adam"), ("visitor", "Ada"), ("visitor", "José")] {
        let person = json!({ "kind": kind, "name": name });
        app.post("/api/v1/tester/people_assets").bearer(&token).json(&person).send().await.expect(201);
    }
    for (query, expected) in [
        ("", json!(["Ada", "adam", "José", "Zoë"])),
        ("?kind=staff", json!(["adam", "Zoë"])),
        ("?kind=visitor", json!(["Ada", "José"])),
        ("?q=AD", json!(["Ada", "adam"])),
        ("?q=jose&kind=visitor", json!(["José"])),
        ("?q=nobody", json!([])),
    ] {
        let path = format!("/api/v1/tester/people_assets{query}");
        let body = app.get(&path).bearer(&token).send().await.expect(200).json();
        let names: Vec<_> =
            body["data"].as_array().unwrap().iter().map(|person| person["name"].clone()).collect();
        assert_eq!(json!(names), expected, "{query}");
    }
}

async fn people_are_sorted_and_read_by_version(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let add = |name: &str| {
        let person = json!({ "kind": "staff", "name": name });
        app.post("/api/v1/tester/people_assets").bearer(&token).json(&person).send()
    };
    let get = |query: &str| app.get(&format!("/api/v1/tester/people_assets?{query}")).bearer(&token).send();
    let ids = |page: &Value| -> Vec<i64> {
        page["data"].as_array().unwrap().iter().map(|person| person["id"].as_i64().unwrap()).collect()
    };
    for name in ["Zoë", "Ada", "José"] {
        add(name).await.expect(201);
        app.clock.advance(Span::seconds(1));
    }
    for (sort, expected) in
        [("name", [2, 3, 1]), ("-name", [1, 3, 2]), ("created_at", [1, 2, 3]), ("-updated_at", [3, 2, 1])]
    {
        let page = get(&format!("sort={sort}")).await.expect(200).json();
        assert_eq!(ids(&page), expected, "{sort}");
    }
    let begun = get("after_version=0").await.expect(200).json();
    assert_eq!(ids(&begun), [1, 2, 3]);
    let version = begun["page"]["registry_version"].as_i64().unwrap();
    add("Bob").await.expect(201);
    let later = get(&format!("after_version={version}")).await.expect(200).json();
    assert_eq!((ids(&later), &later["page"]["gone"]), (vec![4], &json!([])));
    for (query, field, code) in [
        ("sort=kind", "sort", "invalid_sort"),
        ("after_version=0&kind=staff", "kind", "not_with_after_version"),
        ("after_version=0&sort=name", "sort", "not_with_after_version"),
    ] {
        let error = get(query).await.expect(400).json()["errors"][0].clone();
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!(code)), "{query}");
    }
}

async fn of_archived_people_only_that_they_are_is_shown(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    for name in ["Ada", "Bob"] {
        let person = json!({
            "kind": "staff", "name": name, "employee_id": format!("E-{name}"), "email": "x@example.com",
            "company": "Plums & Co",
        });
        app.post("/api/v1/people").cookie(&member.cookie).json(&person).send().await.expect(201);
    }
    let archived = app.post("/api/v1/people/1/archive").cookie(&member.cookie).send().await.expect(200);
    let archived = archived.json();
    let get = |rest: &str| app.get(&format!("/api/v1/tester/people_assets{rest}")).bearer(&token).send();
    let listed = get("").await.expect(200).json();
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
    let changed = get("?after_version=0").await.expect(200).json();
    let rows = changed["data"].as_array().unwrap();
    let expected = json!({
        "id": 1, "kind": "staff", "name": "Person 1", "employee_id": null, "email": null, "company": null,
        "created_at": archived["created_at"], "updated_at": archived["updated_at"],
        "archived_at": archived["archived_at"], "erased_at": null,
    });
    let row = |id: i64| rows.iter().find(|row| row["id"] == id).unwrap();
    assert_eq!(*row(1), expected);
    assert_eq!((&row(2)["name"], &row(2)["employee_id"]), (&json!("Bob"), &json!("E-Bob")));
    assert_eq!(get("/1").await.expect(200).json(), expected);
    // At a desk, the record is whole.
    let desk = app.get("/api/v1/people/1").cookie(&member.cookie).send().await.expect(200).json();
    assert_eq!(desk["name"], "Ada");
}

async fn anything_but_staff_or_visitor_is_refused(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    for query in ["kind=ghost", "kind=", "kind=Staff", "kind=staff&kind=visitor", "q=", "kinds=staff"] {
        let path = format!("/api/v1/tester/people_assets?{query}");
        app.get(&path).bearer(&token).send().await.expect(400);
    }
}
