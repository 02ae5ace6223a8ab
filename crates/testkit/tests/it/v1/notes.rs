//! /api/v1/notes

use domain::{EmailAddress, ProjectId, Role, Span};
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

on_both_engines!(
    notes_are_written_and_listed_the_newest_first,
    every_wrong_field_of_a_note_is_named,
    notes_on_what_is_not_there_are_refused,
    a_machine_outside_of_ones_projects_does_not_exist,
    a_repeated_note_is_written_once,
);

const PATH: &str = "/api/v1/notes";

async fn insert_machine(app: &TestApp, id: i64, brand: i64, project: Option<i64>) {
    let project = project.map_or("null".to_owned(), |id| id.to_string());
    let sql = format!(
        "insert into machines (id, brand_id, name, name_key, kind, version, created_at, updated_at)
         values ({id}, {brand}, 'M', 'm', 'crane', 1, 1, 1);
         insert into worksites (id, brand_id, name, name_key, colour, kind, time_zone, project_id, version,
             created_at, updated_at) values ({id}, {brand}, 'W', 'w', '#112233', 'other', 'UTC', {project}, 1, 1, 1);
         insert into machine_assignments (brand_id, machine_id, worksite_id, from_at, to_at, created_at, updated_at)
         values ({brand}, {id}, {id}, 5, null, 1, 1)"
    );
    testkit::execute_raw_sql(app.database(), &sql).await.unwrap();
}

async fn write(app: &TestApp, account: &Account, kind: &str, id: i64, body: &str) -> Reply {
    let body = json!({ "entity_type": kind, "entity_id": id, "body": body });
    app.post(PATH).cookie(&account.cookie).json(&body).send().await
}

async fn list(app: &TestApp, account: &Account, kind: &str, id: i64) -> Reply {
    app.get(&format!("{PATH}?entity_type={kind}&entity_id={id}")).cookie(&account.cookie).send().await
}

async fn set_up(app: &TestApp) -> Account {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let body = json!({ "kind": "staff", "name": "Ada" });
    app.post("/api/v1/people").cookie(&member.cookie).json(&body).send().await.expect(201);
    insert_machine(app, 1, 1, None).await;
    member
}

async fn notes_are_written_and_listed_the_newest_first(app: TestApp) {
    let member = set_up(&app).await;
    let made = write(&app, &member, "person", 1, " first\nline two ").await.expect(201);
    let expected = json!({
        "id": 1, "entity_type": "person", "entity_id": 1, "author": { "type": "user", "id": 1, "name": "m" },
        "body": "first\nline two", "created_at": "2026-03-01T12:00:30Z", "updated_at": "2026-03-01T12:00:30Z",
    });
    assert_eq!(made.json(), expected);
    let found = app.get(made.header("location")).cookie(&member.cookie).send().await.expect(200).json();
    assert_eq!(found["data"], json!([expected]));
    app.clock.advance(Span::minutes(1));
    for n in 2..=4 {
        write(&app, &member, "person", 1, &format!("note {n}")).await.expect(201);
    }
    write(&app, &member, "machine", 1, "oil").await.expect(201);
    let (mut bodies, mut query) = (Vec::new(), String::new());
    loop {
        let path = format!("{PATH}?entity_type=person&entity_id=1&limit=2&include_total=true{query}");
        let page = app.get(&path).cookie(&member.cookie).send().await.expect(200).json();
        assert_eq!(page["page"]["total"], 4);
        bodies.extend(page["data"].as_array().unwrap().iter().map(|note| note["id"].clone()));
        let Some(next) = page["page"]["next"].as_str() else { break };
        query = format!("&cursor={next}");
    }
    assert_eq!(bodies, [json!(4), json!(3), json!(2), json!(1)]);
    let notes = list(&app, &member, "machine", 1).await.expect(200).json();
    assert_eq!(notes["data"][0]["body"], "oil");
}

async fn every_wrong_field_of_a_note_is_named(app: TestApp) {
    let member = set_up(&app).await;
    for (body, field, code) in [
        (json!({ "entity_id": 1, "body": "x" }), "entity_type", "required"),
        (json!({ "entity_type": "tag", "entity_id": 1, "body": "x" }), "entity_type", "invalid_entity_type"),
        (json!({ "entity_type": "person", "entity_id": "1", "body": "x" }), "entity_id", "wrong_type"),
        (json!({ "entity_type": "person", "entity_id": 1, "body": " \n" }), "body", "required"),
        (json!({ "entity_type": "person", "entity_id": 1, "body": "x".repeat(4_001) }), "body", "too_long"),
        (json!({ "entity_type": "person", "entity_id": 1, "body": "a\u{7}" }), "body", "control_character"),
        (
            json!({ "entity_type": "person", "entity_id": 1, "body": "x", "author_id": 2 }),
            "author_id",
            "unknown_field",
        ),
    ] {
        let refused = app.post(PATH).cookie(&member.cookie).json(&body).send().await.expect(422).json();
        let error = &refused["errors"][0];
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!(code)), "{body}");
    }
    let get = |query: &str| app.get(&format!("{PATH}?{query}")).cookie(&member.cookie).send();
    for query in [
        "",
        "entity_type=person",
        "entity_id=1",
        "entity_type=tag&entity_id=1",
        "entity_type=person&entity_id=x",
    ] {
        get(query).await.expect(400);
    }
}

async fn notes_on_what_is_not_there_are_refused(app: TestApp) {
    let member = set_up(&app).await;
    let other = app.sign_in_new_user_in_brand("Other", "o@example.com", Role::Member).await;
    write(&app, &member, "person", 1, "x").await.expect(201);
    write(&app, &member, "machine", 1, "x").await.expect(201);
    for (account, id) in [(&member, 99), (&other, 1)] {
        for kind in ["person", "machine"] {
            let error = write(&app, account, kind, id, "x").await.expect(422).json()["errors"][0].clone();
            assert_eq!((&error["field"], &error["code"]), (&json!("entity_id"), &json!("unknown_entity")));
            list(&app, account, kind, id).await.expect(404);
        }
    }
}

async fn a_machine_outside_of_ones_projects_does_not_exist(app: TestApp) {
    let member = set_up(&app).await;
    for name in ["North", "South"] {
        app.post("/api/v1/projects")
            .cookie(&member.cookie)
            .json(&json!({ "name": name }))
            .send()
            .await
            .expect(201);
    }
    insert_machine(&app, 2, 1, Some(1)).await;
    insert_machine(&app, 3, 1, Some(2)).await;
    let some = app.sign_in_new_user("some@example.com", Role::Member).await;
    let email = EmailAddress::parse("some@example.com").unwrap();
    app.app.restrict_user(&email, Some(&[ProjectId(1)])).await.unwrap();
    for (id, is_seen) in [(1, false), (2, true), (3, false)] {
        let (written, listed) = if is_seen { (201, 200) } else { (422, 404) };
        write(&app, &some, "machine", id, "x").await.expect(written);
        list(&app, &some, "machine", id).await.expect(listed);
        write(&app, &member, "machine", id, "x").await.expect(201);
    }
    // People belong to the brand, not to projects.
    write(&app, &some, "person", 1, "x").await.expect(201);
}

async fn a_repeated_note_is_written_once(app: TestApp) {
    let member = set_up(&app).await;
    let send = || {
        let body: Value = json!({ "entity_type": "person", "entity_id": 1, "body": "x" });
        app.post(PATH).cookie(&member.cookie).header("idempotency-key", "k").json(&body).send()
    };
    let first = send().await.expect(201).json();
    assert_eq!(send().await.expect(201).json(), first);
    assert_eq!(
        list(&app, &member, "person", 1).await.expect(200).json()["data"].as_array().unwrap().len(),
        1
    );
}
