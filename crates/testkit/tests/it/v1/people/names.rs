//! Names are shown only to those who may see them, in every operation.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::{DeviceKind, Role};
use serde_json::json;
use testkit::{Account, TestApp, on_both_engines};

on_both_engines!(
    a_viewer_gets_no_name_out_of_any_door,
    a_viewer_cannot_sort_search_or_page_by_names,
    viewers_see_names_if_the_brand_says_so,
);

/// All texts that identify the person.
const PERSONAL_TEXTS: [&str; 7] =
    ["Zelda", "zelda@", "E-4711", "Hyrule", "looks for a sword", "seen in the woods", "member-at-desk"];

async fn set_up(app: &TestApp) -> Account {
    let member = app.sign_in_new_user("member-at-desk@example.com", Role::Member).await;
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let post = |path: &str, body| app.post(path).cookie(&member.cookie).json(&body).send();
    for name in ["Zelda", "Yves", "Xara"] {
        let body = json!({
            "kind": "visitor", "name": name, "email": format!("{name}@example.com"),
            "employee_id": format!("E-4711 of {name}"),
            "company": "Hyrule",
        });
        post("/api/v1/people", body).await.expect(201);
    }
    let visit = json!({
        "person_id": 1, "tag_serial": "T-1", "company": "Hyrule", "notes": "looks for a sword",
    });
    post("/api/v1/visitor_sessions", visit).await.expect(201);
    let test = json!({ "tag_serial": "T-1", "passed": true });
    app.post("/api/v1/tester/tag_tests").bearer(&token).json(&test).send().await.expect(201);
    let note = json!({ "entity_type": "person", "entity_id": 1, "body": "seen in the woods" });
    post("/api/v1/notes", note).await.expect(201);
    member
}

async fn a_viewer_gets_no_name_out_of_any_door(app: TestApp) {
    let member = set_up(&app).await;
    let viewer = app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    let document = serde_json::to_value(api_v1::openapi()).unwrap();
    let paths = document["paths"].as_object().unwrap().iter();
    let mut seen_by_member = String::new();
    for (path, _) in
        paths.filter(|(path, methods)| methods.get("get").is_some() && !path.contains("/tester/"))
    {
        let query = if path.ends_with("/notes") { "?entity_type=person&entity_id=1" } else { "" };
        let path = path.replace("{id}", "1") + query;
        let reply = app.get(&path).cookie(&viewer.cookie).send().await;
        let shown = format!("{:?} {}", reply.headers, String::from_utf8_lossy(&reply.body));
        for secret in PERSONAL_TEXTS {
            assert!(!shown.to_lowercase().contains(&secret.to_lowercase()), "{secret} in {path}: {shown}");
        }
        let reply = app.get(&path).cookie(&member.cookie).send().await;
        seen_by_member += &String::from_utf8_lossy(&reply.body);
    }
    // The same operations show the names to a member; otherwise this would prove nothing.
    for secret in PERSONAL_TEXTS {
        assert!(seen_by_member.to_lowercase().contains(&secret.to_lowercase()), "{secret}");
    }
    let get = |path: &str| app.get(path).cookie(&viewer.cookie).send();
    let person = get("/api/v1/people/1").await.expect(200);
    let body = person.json();
    assert_eq!(body["name"], "Person 1");
    for field in ["employee_id", "email", "company"] {
        assert_eq!(body[field], json!(null), "{field}");
    }
    let tag = get("/api/v1/tags/1").await.expect(200).json();
    assert_eq!(tag["person"], json!({ "id": 1, "name": "Person 1", "kind": "visitor" }));
    let note =
        get("/api/v1/notes?entity_type=person&entity_id=1").await.expect(200).json()["data"][0].clone();
    assert_eq!(
        (&note["body"], &note["author"]),
        (&json!(null), &json!({ "type": "user", "id": 1, "name": null }))
    );
    // One version has two representations, so a viewer's response has no ETag.
    assert_eq!(person.header("etag"), "");
    let known = app.get("/api/v1/people/1").cookie(&viewer.cookie).header("if-none-match", "\"1\"");
    known.send().await.expect(200);
    get("/api/v1/admin/audit_log").await.expect(403);
}

async fn a_viewer_cannot_sort_search_or_page_by_names(app: TestApp) {
    let member = set_up(&app).await;
    let viewer = app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    let list = async |account: &Account, query: &str| {
        let reply = app.get(&format!("/api/v1/people?{query}")).cookie(&account.cookie).send().await;
        reply.expect(200).json()
    };
    let ids = |list: &serde_json::Value| -> Vec<i64> {
        list["data"].as_array().unwrap().iter().map(|person| person["id"].as_i64().unwrap()).collect()
    };
    // Sorted by name, the order is reversed.
    assert_eq!(ids(&list(&member, "").await), [3, 2, 1]);
    assert_eq!(ids(&list(&viewer, "").await), [1, 2, 3]);
    for (query, found) in [
        ("q=zelda", vec![]),
        ("q=ze", vec![]),
        ("q=Person%202", vec![2]),
        ("q=3", vec![3]),
        ("q=PERSON", vec![1, 2, 3]),
    ] {
        let list = list(&viewer, &format!("{query}&include_total=true")).await;
        assert_eq!(ids(&list), found, "{query}");
        assert_eq!(list["page"]["total"], found.len(), "{query}");
    }
    let (mut seen, mut query) = (Vec::new(), "limit=1".to_owned());
    loop {
        let page = list(&viewer, &query).await;
        seen.extend(ids(&page));
        let Some(next) = page["page"]["next"].as_str() else { break };
        let plain = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(next).unwrap()).unwrap();
        assert!(plain.ends_with(':'), "{plain} holds a name");
        query = format!("limit=1&cursor={next}");
    }
    assert_eq!(seen, [1, 2, 3]);
    // A member's cursor is not valid for a viewer.
    let next = list(&member, "limit=1").await["page"]["next"].as_str().unwrap().to_owned();
    app.get(&format!("/api/v1/people?cursor={next}")).cookie(&viewer.cookie).send().await.expect(400);
}

async fn viewers_see_names_if_the_brand_says_so(app: TestApp) {
    set_up(&app).await;
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let viewer = app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    let set = |shown: bool| {
        let change = json!({ "viewers_see_names": shown });
        app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&change).send()
    };
    for (shown, name, q) in [(false, "Person 1", 0), (true, "Zelda", 1), (false, "Person 1", 0)] {
        set(shown).await.expect(200);
        let person = app.get("/api/v1/people/1").cookie(&viewer.cookie).send().await.expect(200);
        assert_eq!(person.json()["name"], name);
        let found = app.get("/api/v1/people?q=zelda").cookie(&viewer.cookie).send().await.expect(200).json();
        assert_eq!(found["data"].as_array().unwrap().len(), q);
    }
}
