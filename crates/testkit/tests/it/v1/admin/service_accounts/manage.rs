//! Creating, changing and archiving service accounts.

use domain::{EmailAddress, ProjectId, Role, Span};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{OWN, PATH, account, create, create_with_token, issue};

on_both_engines!(
    an_account_is_created_and_changed,
    names_are_taken_once_until_they_are_archived,
    an_account_lasts_two_years_at_the_longest,
    a_change_of_role_and_projects_applies_at_once,
    a_new_account_with_projects_has_not_been_changed,
    more_access_ends_the_tokens_that_others_issued,
    an_earlier_expiry_applies_to_issued_tokens,
    archiving_ends_tokens_in_every_process,
    an_account_is_no_user,
    lists_take_no_statement_per_account,
    a_restricted_admin_stays_within_their_projects,
    another_brands_account_does_not_exist,
);

async fn an_account_is_created_and_changed(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let made = app.post(PATH).cookie(&admin.cookie).json(&account("Dashboard", "viewer")).send().await;
    let made = made.expect(201);
    let path = made.header("location").to_owned();
    let shown = app.get(&path).cookie(&admin.cookie).send().await.expect(200);
    assert_eq!(shown.json(), made.json());
    assert_eq!(shown.header("etag"), made.header("etag"));
    for (field, value) in [
        ("name", json!("Dashboard")),
        ("role", json!("viewer")),
        ("project_ids", json!(null)),
        ("expires_at", json!("2027-03-01T00:00:00Z")),
        ("token", json!(null)),
        ("previous_token", json!(null)),
        ("archived_at", json!(null)),
    ] {
        assert_eq!(shown.json()[field], value, "{field}");
    }
    let change = |body: Value| app.patch(&path).cookie(&admin.cookie).json(&body).send();
    // What was read can be sent back, and changes nothing.
    assert_eq!(change(shown.json()).await.expect(200).header("etag"), shown.header("etag"));
    let changed = change(json!({ "name": "Exports", "role": "member" })).await.expect(200);
    assert_eq!((&changed.json()["name"], &changed.json()["role"]), (&json!("Exports"), &json!("member")));
    assert_ne!(changed.header("etag"), shown.header("etag"));
    let stale = app.patch(&path).cookie(&admin.cookie).header("if-match", shown.header("etag"));
    assert_eq!(stale.json(&json!({ "name": "X" })).send().await.expect(412).code(), "stale");
    for (body, field, code) in [
        (json!({ "name": null }), "name", "required"),
        (json!({ "role": "root" }), "role", "invalid_role"),
        (json!({ "project_ids": [99] }), "project_ids", "unknown_project"),
        (json!({ "expires_at": "soon" }), "expires_at", "invalid_time"),
        (json!({ "email": "x@example.com" }), "email", "unknown_field"),
    ] {
        let error = change(body).await.expect(422).json()["errors"][0].clone();
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!(code)));
    }
    let list = app.get(&format!("{PATH}?q=exp&include_total=true")).cookie(&admin.cookie).send().await;
    let list = list.expect(200).json();
    assert_eq!((&list["data"][0], &list["page"]["total"]), (&changed.json(), &json!(1)));
}

async fn names_are_taken_once_until_they_are_archived(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let first = create(&app, &admin.cookie, &account("Dashboard", "viewer")).await;
    let second = create(&app, &admin.cookie, &account("Other", "viewer")).await;
    let taken =
        app.post(PATH).cookie(&admin.cookie).json(&account("DASHBOARD", "viewer")).send().await.expect(422);
    assert_eq!(taken.json()["errors"][0]["code"], "name_taken");
    let renamed = app.patch(&second).cookie(&admin.cookie).json(&json!({ "name": "dashboard" })).send().await;
    assert_eq!(renamed.expect(422).json()["errors"][0]["code"], "name_taken");
    for _ in 0..2 {
        let archived = app.delete(&first).cookie(&admin.cookie).send().await.expect(200).json();
        assert_eq!(archived["archived_at"], "2026-03-01T12:00:30Z");
    }
    create(&app, &admin.cookie, &account("Dashboard", "viewer")).await;
    let change = app.patch(&first).cookie(&admin.cookie).json(&json!({ "name": "Back" })).send().await;
    assert_eq!(change.expect(409).code(), "service_account_archived");
    let token = app.post(&format!("{first}/token")).cookie(&admin.cookie).send().await;
    assert_eq!(token.expect(409).code(), "service_account_archived");
    for (query, count) in [("", 2), ("?archived=true", 1)] {
        let list = app.get(&format!("{PATH}{query}")).cookie(&admin.cookie).send().await.expect(200).json();
        assert_eq!(list["data"].as_array().unwrap().len(), count, "{query}");
    }
}

async fn an_account_lasts_two_years_at_the_longest(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let create = |name: &str, expires_at: &str| {
        let new = json!({ "name": name, "role": "viewer", "expires_at": expires_at });
        app.post(PATH).cookie(&admin.cookie).json(&new).send()
    };
    for time in ["2026-03-01T12:00:30Z", "2020-01-01T00:00:00Z", "2028-03-03T00:00:00Z"] {
        let error = create("X", time).await.expect(422).json()["errors"][0].clone();
        assert_eq!(
            (&error["field"], &error["code"]),
            (&json!("expires_at"), &json!("out_of_range")),
            "{time}"
        );
    }
    let path = create("X", "2028-03-01T00:00:00Z").await.expect(201).header("location").to_owned();
    let change =
        app.patch(&path).cookie(&admin.cookie).json(&json!({ "expires_at": "2029-01-01T00:00:00Z" }));
    change.send().await.expect(422);
    let missing = app.post(PATH).cookie(&admin.cookie).json(&json!({ "name": "Y", "role": "viewer" })).send();
    assert_eq!(missing.await.expect(422).json()["errors"][0]["field"], "expires_at");
}

async fn a_change_of_role_and_projects_applies_at_once(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for name in ["One", "Two"] {
        app.post("/api/v1/projects")
            .cookie(&admin.cookie)
            .json(&json!({ "name": name }))
            .send()
            .await
            .expect(201);
    }
    let (path, token) = create_with_token(&app, &admin.cookie, &account("Dashboard", "member")).await;
    let visible = async || {
        let list = app.get("/api/v2/projects").bearer(&token).send().await.expect(200).json();
        list["data"].as_array().unwrap().len()
    };
    assert_eq!(visible().await, 2);
    let change = json!({ "role": "viewer", "project_ids": [2] });
    app.patch(&path).cookie(&admin.cookie).json(&change).send().await.expect(200);
    assert_eq!(visible().await, 1);
    assert_eq!(
        super::create_project(&app, &token, "Three").send().await.expect(403).code(),
        "permission_missing"
    );
    let own = app.get(OWN).bearer(&token).send().await.expect(200).json();
    assert_eq!((&own["user"]["role"], &own["user"]["project_ids"]), (&json!("viewer"), &json!([2])));
}

async fn a_new_account_with_projects_has_not_been_changed(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let project = json!({ "name": "One" });
    app.post("/api/v1/projects").cookie(&admin.cookie).json(&project).send().await.expect(201);
    let mut service = account("Dashboard", "viewer");
    service["project_ids"] = json!([1]);
    let user = json!({ "email": "bob@example.com", "name": "Bob", "role": "viewer", "project_ids": [1] });
    for (path, new) in [(PATH, service), ("/api/v1/admin/users", user)] {
        let made = app.post(path).cookie(&admin.cookie).json(&new).send().await.expect(201);
        assert_eq!(made.header("etag"), "\"1\"", "{path}");
        let record = made.json();
        assert_eq!((&record["project_ids"], &record["updated_at"]), (&json!([1]), &record["created_at"]));
    }
    app.run_jobs().await;
}

async fn more_access_ends_the_tokens_that_others_issued(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for name in ["One", "Two"] {
        let project = json!({ "name": name });
        app.post("/api/v1/projects").cookie(&admin.cookie).json(&project).send().await.expect(201);
    }
    let bob = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    app.app.restrict_user(&EmailAddress::parse(&bob.email).unwrap(), Some(&[ProjectId(1)])).await.unwrap();
    let change = async |path: &str, body: Value| {
        app.patch(path).cookie(&admin.cookie).json(&body).send().await.expect(200).json()
    };
    let works = async |token: &str| app.get(OWN).bearer(token).send().await.status == 200;
    for (number, wider) in
        [json!({ "project_ids": [1, 2] }), json!({ "project_ids": null }), json!({ "role": "member" })]
            .into_iter()
            .enumerate()
    {
        let mut new = account(&format!("Program {number}"), "viewer");
        new["project_ids"] = json!([1]);
        let (path, token) = create_with_token(&app, &bob.cookie, &new).await;
        // What gives it no more access ends nothing.
        let renamed = json!({ "name": format!("Export {number}"), "expires_at": "2027-02-01T00:00:00Z" });
        assert_ne!(change(&path, renamed).await["token"], json!(null));
        assert!(works(&token).await);
        // Bob has seen the token, and must not get what others add to its account.
        assert_eq!(change(&path, wider.clone()).await["token"], json!(null), "{wider}");
        assert!(!works(&token).await, "{wider}");
        // A token that was shown only to whoever adds the access works on, with less and with more.
        let token = issue(&app, &admin.cookie, &path).await;
        for projects in [json!([1]), json!([1, 2])] {
            change(&path, json!({ "role": "viewer", "project_ids": projects })).await;
            assert!(works(&token).await, "{wider}");
        }
        assert_ne!(change(&path, json!({ "role": "admin" })).await["token"], json!(null));
        assert!(works(&token).await, "{wider}");
    }
}

async fn an_earlier_expiry_applies_to_issued_tokens(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (path, token) = create_with_token(&app, &admin.cookie, &account("Dashboard", "viewer")).await;
    let change = json!({ "expires_at": "2026-03-01T12:05:00Z" });
    app.patch(&path).cookie(&admin.cookie).json(&change).send().await.expect(200);
    let own = app.get(OWN).bearer(&token).send().await.expect(200).json();
    assert_eq!(own["expires_at"], "2026-03-01T12:05:00Z");
    // A later expiry needs a new token.
    let change = json!({ "expires_at": "2026-06-01T00:00:00Z" });
    app.patch(&path).cookie(&admin.cookie).json(&change).send().await.expect(200);
    app.clock.advance(Span::minutes(5));
    assert_eq!(app.get(OWN).bearer(&token).send().await.expect(401).code(), "credentials_expired");
    // It stays expired if the clock is set back.
    app.clock.adjust_wall_by(Span::minutes(-5));
    app.get(OWN).bearer(&token).send().await.expect(401);
}

async fn archiving_ends_tokens_in_every_process(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (path, token) = create_with_token(&app, &admin.cookie, &account("Dashboard", "viewer")).await;
    let other = app.second_instance().await;
    app.get(OWN).bearer(&token).send().await.expect(200);
    other.get(OWN).bearer(&token).send().await.expect(200);
    let archived = app.delete(&path).cookie(&admin.cookie).send().await.expect(200).json();
    assert_eq!(archived["token"], json!(null));
    app.get(OWN).bearer(&token).send().await.expect(401);
    app.clock.advance(Span::seconds(1));
    other.get(OWN).bearer(&token).send().await.expect(401);
}

async fn an_account_is_no_user(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (path, token) = create_with_token(&app, &admin.cookie, &account("Dashboard", "admin")).await;
    let id = path.rsplit('/').next().unwrap();
    let users = app.get("/api/v1/admin/users?include_total=true").cookie(&admin.cookie).send().await;
    let users = users.expect(200).json();
    assert_eq!((&users["page"]["total"], &users["data"][0]["email"]), (&json!(1), &json!("ada@example.com")));
    app.get(&format!("/api/v1/admin/users/{id}")).cookie(&admin.cookie).send().await.expect(404);
    app.post(&format!("/api/v1/admin/users/{id}/deactivate")).cookie(&admin.cookie).send().await.expect(404);
    // An admin's service account is no second admin.
    let own = app.get("/api/v1/session").cookie(&admin.cookie).send().await.expect(200).json();
    let own = format!("/api/v1/admin/users/{}", own["user"]["id"]);
    let demoted = app.patch(&own).cookie(&admin.cookie).json(&json!({ "role": "viewer" })).send().await;
    assert_eq!(demoted.expect(409).code(), "last_admin");
    app.get(&format!("{PATH}/1")).cookie(&admin.cookie).send().await.expect(404);
    let shown = app.get(OWN).bearer(&token).send().await.expect(200).json();
    let user = &shown["user"];
    assert_eq!(
        (&user["type"], &user["id"].to_string()[..], &user["email"], &user["name"]),
        (&json!("service_account"), id, &json!(null), &json!("Dashboard"))
    );
    assert_eq!(app.app.all_users(None).await.unwrap().len(), 1);
}

async fn lists_take_no_statement_per_account(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for name in ["North", "South"] {
        let project = json!({ "name": name });
        app.post("/api/v1/projects").cookie(&admin.cookie).json(&project).send().await.expect(201);
    }
    let store = &app.edge().app.store;
    let mut counts = Vec::new();
    for round in 0..3 {
        for n in 0..=round * 2 {
            let mut new = account(&format!("Program {round}-{n}"), "viewer");
            new["project_ids"] = json!([2, 1]);
            create(&app, &admin.cookie, &new).await;
            let email = format!("user-{round}-{n}@example.com");
            app.create_user(&email, Role::Viewer).await;
            let email = EmailAddress::parse(&email).unwrap();
            app.app.restrict_user(&email, Some(&[ProjectId(1)])).await.unwrap();
        }
        for (path, projects) in [(PATH, json!([1, 2])), ("/api/v1/admin/users?role=viewer", json!([1]))] {
            app.get(path).cookie(&admin.cookie).send().await.expect(200);
            let before = store.statement_count();
            let list = app.get(path).cookie(&admin.cookie).send().await.expect(200).json();
            counts.push(store.statement_count() - before);
            let rows = list["data"].as_array().unwrap();
            assert!(!rows.is_empty() && rows.iter().all(|row| row["project_ids"] == projects), "{list}");
        }
    }
    assert_eq!(counts, [2; 6]);
}

async fn a_restricted_admin_stays_within_their_projects(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for name in ["One", "Two"] {
        app.post("/api/v1/projects")
            .cookie(&admin.cookie)
            .json(&json!({ "name": name }))
            .send()
            .await
            .expect(201);
    }
    let bob = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    app.app.restrict_user(&EmailAddress::parse(&bob.email).unwrap(), Some(&[ProjectId(1)])).await.unwrap();
    let with_projects = |name: &str, projects: Value| {
        let mut new = account(name, "viewer");
        new["project_ids"] = projects;
        new
    };
    for projects in [json!(null), json!([2]), json!([1, 2])] {
        let new = with_projects("Wide", projects);
        assert_eq!(
            app.post(PATH).cookie(&bob.cookie).json(&new).send().await.expect(403).code(),
            "restricted"
        );
    }
    let (near, token) = create_with_token(&app, &bob.cookie, &with_projects("Near", json!([1]))).await;
    let list = app.get("/api/v2/projects").bearer(&token).send().await.expect(200).json();
    assert_eq!(list["data"].as_array().unwrap().len(), 1);
    for projects in [json!(null), json!([1, 2])] {
        let change =
            app.patch(&near).cookie(&bob.cookie).json(&json!({ "project_ids": projects })).send().await;
        assert_eq!(change.expect(403).code(), "restricted");
    }
    // Wider accounts do not exist for them.
    let wide = create(&app, &admin.cookie, &account("Wide", "viewer")).await;
    let far = create(&app, &admin.cookie, &with_projects("Far", json!([1, 2]))).await;
    for path in [&wide, &far] {
        app.get(path).cookie(&bob.cookie).send().await.expect(404);
        app.patch(path).cookie(&bob.cookie).json(&json!({ "name": 7 })).send().await.expect(404);
        app.delete(path).cookie(&bob.cookie).send().await.expect(404);
        app.post(&format!("{path}/token")).cookie(&bob.cookie).send().await.expect(404);
        app.delete(&format!("{path}/token")).cookie(&bob.cookie).send().await.expect(404);
    }
    let list =
        app.get(&format!("{PATH}?include_total=true")).cookie(&bob.cookie).send().await.expect(200).json();
    assert_eq!((&list["data"][0]["name"], &list["page"]["total"]), (&json!("Near"), &json!(1)));
}

async fn another_brands_account_does_not_exist(app: TestApp) {
    let ours = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    let path = create(&app, &ours.cookie, &account("Dashboard", "viewer")).await;
    app.get(&path).cookie(&theirs.cookie).send().await.expect(404);
    app.patch(&path).cookie(&theirs.cookie).json(&json!({ "name": 7 })).send().await.expect(404);
    app.delete(&path).cookie(&theirs.cookie).send().await.expect(404);
    app.post(&format!("{path}/token")).cookie(&theirs.cookie).send().await.expect(404);
    // The same name is free in another brand.
    create(&app, &theirs.cookie, &account("Dashboard", "viewer")).await;
}
