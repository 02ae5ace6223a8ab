//! A visit belongs to the project that its worksite had at the time.

use domain::{DeviceKind, EmailAddress, ProjectId, Role, Span};
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::insert_worksite;

on_both_engines!(
    visits_of_other_projects_do_not_exist,
    a_visit_keeps_the_project_that_its_worksite_had,
    those_who_see_some_projects_name_a_worksite_of_theirs,
    users_are_named_neither_to_kiosks_nor_to_those_who_see_some_projects,
    kiosks_at_hidden_worksites_are_not_named,
);

const PATH: &str = "/api/v1/visitor_sessions";

/// Creates worksites 1 and 2 in projects 1 and 2, worksite 3 in none, a visit at each and one without a worksite, and a user who sees
/// project 1.
async fn set_up(app: &TestApp) -> (Account, Account) {
    let admin = app.sign_in_new_user("a@example.com", Role::Admin).await;
    for name in ["North", "South"] {
        let body = json!({ "name": name });
        app.post("/api/v1/projects").cookie(&admin.cookie).json(&body).send().await.expect(201);
    }
    for (id, project) in [(1, Some(1)), (2, Some(2)), (3, None)] {
        insert_worksite(app, id, &format!("Site {id}"), "UTC", project).await;
    }
    for (n, site) in [json!(1), json!(2), json!(3), json!(null)].iter().enumerate() {
        let body = json!({ "name": format!("V{n}"), "tag_serial": format!("T-{n}"), "worksite_id": site });
        app.post(PATH).cookie(&admin.cookie).json(&body).send().await.expect(201);
    }
    let some = app.sign_in_new_user("some@example.com", Role::Member).await;
    let email = EmailAddress::parse("some@example.com").unwrap();
    app.app.restrict_user(&email, Some(&[ProjectId(1)])).await.unwrap();
    (admin, some)
}

async fn ids(app: &TestApp, account: &Account) -> Vec<Value> {
    let path = format!("{PATH}?include_total=true");
    let list = app.get(&path).cookie(&account.cookie).send().await.expect(200).json();
    let ids: Vec<Value> = list["data"].as_array().unwrap().iter().map(|visit| visit["id"].clone()).collect();
    assert_eq!(list["page"]["total"], ids.len());
    ids
}

async fn visits_of_other_projects_do_not_exist(app: TestApp) {
    let (admin, some) = set_up(&app).await;
    assert_eq!(ids(&app, &admin).await.len(), 4);
    assert_eq!(ids(&app, &some).await, [json!(1)]);
    app.get(&format!("{PATH}/1")).cookie(&some.cookie).send().await.expect(200);
    for id in 2..=4 {
        let path = format!("{PATH}/{id}");
        app.get(&path).cookie(&some.cookie).send().await.expect(404);
        app.patch(&path).cookie(&some.cookie).json(&json!({ "x": 1 })).send().await.expect(404);
        app.post(&format!("{path}/check_out")).cookie(&some.cookie).send().await.expect(404);
    }
    // A tester device belongs to the brand.
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let list = app.get("/api/v1/tester/visitor_sessions").bearer(&token).send().await.expect(200).json();
    assert_eq!(list["data"].as_array().unwrap().len(), 4);
    let none = EmailAddress::parse("some@example.com").unwrap();
    app.app.restrict_user(&none, Some(&[])).await.unwrap();
    assert_eq!(ids(&app, &some).await, [json!(null); 0]);
}

async fn users_are_named_neither_to_kiosks_nor_to_those_who_see_some_projects(app: TestApp) {
    let (admin, some) = set_up(&app).await;
    app.allow_leftover_jobs();
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let of_record = |body: &Value| match &body["data"] {
        Value::Array(rows) => rows.iter().find(|row| row["id"] == 1).unwrap().clone(),
        Value::Null => body.clone(),
        resource => resource["attributes"].clone(),
    };
    let author = |record: &Value| match &record["checked_in_by"] {
        Value::Null => record["assigned_by"].clone(),
        by => by.clone(),
    };
    let (named, nameless) =
        (json!({ "type": "user", "id": 1, "name": "a" }), json!({ "type": "user", "id": 1, "name": null }));
    let paths = ["visitor_sessions", "visitor_sessions/1", "tag_assignments", "tag_assignments/1"];
    for path in paths.into_iter().chain(["tags/1/assignments"]) {
        for (user, expected) in [(&admin, &named), (&some, &nameless)] {
            let reply = app.get(&format!("/api/v1/{path}")).cookie(&user.cookie).send().await.expect(200);
            let record = of_record(&reply.json());
            assert_eq!((&author(&record), &record["person"]["name"]), (expected, &json!("V0")), "{path}");
        }
    }
    for (user, expected) in [(&admin, &named), (&some, &nameless)] {
        let visit = app.get("/api/v2/visitor_sessions/1").bearer(&user.jwt).send().await.expect(200).json();
        assert_eq!(author(&of_record(&visit)), *expected);
    }
    for path in paths {
        let reply = app.get(&format!("/api/v1/tester/{path}")).bearer(&token).send().await.expect(200);
        let record = of_record(&reply.json());
        assert_eq!((&author(&record), &record["person"]["name"]), (&nameless, &json!("V0")), "{path}");
    }
    // What a kiosk and a restricted user change is shown to them in the same way.
    let out = app.post("/api/v1/tester/visitor_sessions/1/check_out").bearer(&token).send().await;
    assert_eq!(out.expect(200).json()["checked_in_by"], nameless);
    let out = app.post(&format!("{PATH}/1/check_out")).cookie(&some.cookie).send().await.expect(200).json();
    assert_eq!(out["checked_in_by"], nameless);
    assert_eq!(out["checked_out_by"], json!({ "type": "tester_device", "id": 1, "name": "Gate 1" }));
}

async fn kiosks_at_hidden_worksites_are_not_named(app: TestApp) {
    let (admin, some) = set_up(&app).await;
    app.allow_leftover_jobs();
    let kiosks = [("Gate of North", json!(1)), ("Gate of South", json!(2)), ("Stock", json!(null))];
    let post = |path: &str, body: Value| app.post(path).cookie(&admin.cookie).json(&body).send();
    let mut tokens = Vec::new();
    for (index, (name, site)) in kiosks.iter().enumerate() {
        let id = index + 1;
        let devices = "/api/v1/admin/tester_devices";
        post(devices, json!({ "name": name, "worksite_id": site })).await.expect(201);
        let issued = app.post(&format!("{devices}/{id}/token")).cookie(&admin.cookie).send().await;
        let token = issued.expect(201).json()["token"].as_str().unwrap().to_owned();
        let person = post("/api/v1/people", json!({ "kind": "staff", "name": "Ada" })).await;
        let person = person.expect(201).json();
        let given = json!({ "tag_serial": format!("K-{id}"), "person_id": person["id"] });
        let given = app.post("/api/v1/tester/tag_assignments").bearer(&token).json(&given).send().await;
        tokens.push((token, person["id"].clone(), given.expect(201).json()));
    }
    let visible = [json!("Gate of North"), json!(null), json!("Stock")];
    for (((token, person, given), (name, _)), shown) in tokens.iter().zip(&kiosks).zip(&visible) {
        let paths = [
            format!("/api/v1/tag_assignments/{}", given["id"]),
            format!("/api/v1/tag_assignments?person_id={person}"),
            format!("/api/v1/tags/{}/assignments", given["tag"]["id"]),
        ];
        for (user, expected) in [(&admin, &json!(name)), (&some, shown)] {
            for path in &paths {
                let body = app.get(path).cookie(&user.cookie).send().await.expect(200).json();
                let record = if body["data"].is_array() { &body["data"][0] } else { &body };
                assert_eq!(record["assigned_by"]["type"], "tester_device", "{path}");
                assert_eq!(record["assigned_by"]["name"], *expected, "{path}");
            }
        }
        app.clock.advance(Span::minutes(1));
        let path = format!("/api/v1/tester/tag_assignments/{}", given["id"]);
        app.delete(&path).bearer(token).send().await.expect(200);
        let shown_end = app.get(&paths[0]).cookie(&some.cookie).send().await.expect(200).json();
        assert_eq!(shown_end["ended_by"]["name"], *shown);
    }
    // A visit at the visible worksite that ended at the gate of the other.
    let out = app.post("/api/v1/tester/visitor_sessions/1/check_out").bearer(&tokens[1].0).send().await;
    assert_eq!(out.expect(200).json()["checked_out_by"]["name"], "Gate of South");
    for (user, expected) in [(&admin, json!("Gate of South")), (&some, json!(null))] {
        let visit = app.get(&format!("{PATH}/1")).cookie(&user.cookie).send().await.expect(200).json();
        assert_eq!(visit["checked_out_by"]["name"], expected);
        let list = app.get(PATH).cookie(&user.cookie).send().await.expect(200).json();
        let row = list["data"].as_array().unwrap().iter().find(|row| row["id"] == 1).unwrap().clone();
        assert_eq!(row["checked_out_by"]["name"], expected);
    }
}

async fn a_visit_keeps_the_project_that_its_worksite_had(app: TestApp) {
    let (_, some) = set_up(&app).await;
    // From an hour before the visits, worksite 2 was in project 1; after them it is in project 2 again.
    let sql = "insert into worksite_terms (brand_id, worksite_id, from_at, time_zone, project_id, created_at, updated_at)
        values (1, 2, 1, 'UTC', 2, 1, 1), (1, 2, 1772363000000000, 'UTC', 1, 1, 1),
               (1, 2, 1772370000000000, 'UTC', 2, 1, 1),
               (1, 1, 1772363000000000, 'UTC', null, 1, 1)";
    testkit::execute_raw_sql(app.database(), sql).await.unwrap();
    assert_eq!(ids(&app, &some).await, [json!(2)]);
}

async fn those_who_see_some_projects_name_a_worksite_of_theirs(app: TestApp) {
    let (_, some) = set_up(&app).await;
    let check_in = |site: Value| {
        let body = json!({ "name": "New", "tag_serial": "T-9", "worksite_id": site });
        app.post(PATH).cookie(&some.cookie).json(&body).send()
    };
    assert_eq!(check_in(json!(null)).await.expect(403).code(), "restricted");
    for site in [2, 3, 99] {
        let error = check_in(json!(site)).await.expect(422).json()["errors"][0].clone();
        assert_eq!((&error["field"], &error["code"]), (&json!("worksite_id"), &json!("unknown_worksite")));
    }
    let made = check_in(json!(1)).await.expect(201);
    app.get(made.header("location")).cookie(&some.cookie).send().await.expect(200);
    let patch = |site: Value| {
        let request = app.patch(made.header("location")).cookie(&some.cookie);
        request.json(&json!({ "worksite_id": site })).send()
    };
    assert_eq!(patch(json!(null)).await.expect(403).code(), "restricted");
    patch(json!(2)).await.expect(422);
    patch(json!(1)).await.expect(200);
}
