//! Employee ids, which belong to one person only if the brand says so.

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

on_both_engines!(
    an_employee_id_belongs_to_one_person,
    what_looks_the_same_is_the_same,
    keys_of_an_earlier_program_are_computed_anew,
    archived_people_have_none,
    one_of_those_who_take_it_at_once_gets_it,
    an_import_names_the_clashes,
    clashes_within_a_file_are_named_by_their_lines,
    a_brand_can_do_without,
    turning_it_on_names_the_clashes,
    many_clashes_are_counted,
    another_brand_has_its_own,
);

async fn add(app: &TestApp, user: &Account, name: &str, employee_id: &str) -> Reply {
    let body = json!({ "kind": "staff", "name": name, "employee_id": employee_id });
    app.post("/api/v1/people").cookie(&user.cookie).json(&body).send().await
}

async fn patch(app: &TestApp, user: &Account, id: i64, change: &Value) -> Reply {
    app.patch(&format!("/api/v1/people/{id}")).cookie(&user.cookie).json(change).send().await
}

async fn act(app: &TestApp, user: &Account, id: i64, what: &str) -> Reply {
    app.post(&format!("/api/v1/people/{id}/{what}")).cookie(&user.cookie).send().await
}

async fn set_unique(app: &TestApp, admin: &Account, unique: bool) -> Reply {
    let change = json!({ "unique_employee_ids": unique });
    app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&change).send().await
}

/// Returns the field and code of the first fault.
fn fault(reply: &Reply) -> (String, String) {
    let error = &reply.json()["errors"][0];
    (error["field"].as_str().unwrap().to_owned(), error["code"].as_str().unwrap().to_owned())
}

fn taken() -> (String, String) {
    ("employee_id".to_owned(), "employee_id_taken".to_owned())
}

async fn an_employee_id_belongs_to_one_person(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    add(&app, &admin, "Ada", "E-1").await.expect(201);
    assert_eq!(fault(&add(&app, &admin, "Bob", "e-1 ").await.expect(422)), taken());
    add(&app, &admin, "Bob", "E-2").await.expect(201);
    assert_eq!(fault(&patch(&app, &admin, 2, &json!({ "employee_id": "E-1" })).await.expect(422)), taken());
    // One's own is fine, in whatever case.
    patch(&app, &admin, 1, &json!({ "employee_id": "e-1", "name": "Ada L" })).await.expect(200);
    patch(&app, &admin, 1, &json!({ "employee_id": null })).await.expect(200);
    patch(&app, &admin, 2, &json!({ "employee_id": "E-1" })).await.expect(200);
    // People without one do not clash.
    for name in ["Cyd", "Dan"] {
        let body = json!({ "kind": "staff", "name": name });
        app.post("/api/v1/people").cookie(&admin.cookie).json(&body).send().await.expect(201);
    }
}

async fn what_looks_the_same_is_the_same(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    for (name, employee_id) in [("Ada", "E-1"), ("Bob", "Straße 7"), ("Cyd", "ΟΔΟΣ")] {
        add(&app, &admin, name, employee_id).await.expect(201);
    }
    for alike in ["E\u{200B}-1", "\u{AD}e-1", "E-1\u{FE0F}", "STRASSE 7", "straSSe  7", "οδος", "οδοσ"]
    {
        assert_eq!(fault(&add(&app, &admin, "Dan", alike).await.expect(422)), taken(), "{alike:?}");
        let file = format!("kind,name,employee_id\nstaff,Dan,{alike}\n");
        let import = app.post("/api/v1/imports/people?dry_run=true").cookie(&admin.cookie);
        let reply = import.bytes("text/csv; charset=utf-8", file).send().await.expect(422).json();
        assert_eq!(reply["errors"][0]["code"], "employee_id_taken", "{alike:?}");
    }
    // Nothing of these is shown.
    for field in ["name", "employee_id", "company"] {
        let mut body = json!({ "kind": "staff", "name": "Dan" });
        body[field] = json!("\u{200B} \u{2060}\u{AD}");
        let reply = app.post("/api/v1/people").cookie(&admin.cookie).json(&body).send().await.expect(422);
        assert_eq!(fault(&reply), (field.to_owned(), "required".to_owned()));
    }
}

async fn keys_of_an_earlier_program_are_computed_anew(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    add(&app, &admin, "Ada", "Straße 7").await.expect(201);
    let earlier = "update people set employee_key = 'straße 7';
        delete from schema_migrations where name = '0032_employee_keys'";
    testkit::execute_raw_sql(app.database(), earlier).await.unwrap();
    let (store, _) = app.database().open().await;
    assert_eq!(store.migrate(app.clock.now()).await.unwrap(), ["0032_employee_keys"]);
    store.close().await;
    assert_eq!(fault(&add(&app, &admin, "Bob", "STRASSE 7").await.expect(422)), taken());
}

async fn archived_people_have_none(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    add(&app, &admin, "Ada", "E-1").await.expect(201);
    act(&app, &admin, 1, "archive").await.expect(200);
    add(&app, &admin, "Bob", "E-1").await.expect(201);
    assert_eq!(act(&app, &admin, 1, "restore").await.expect(409).code(), "employee_id_taken");
    patch(&app, &admin, 2, &json!({ "employee_id": "E-2" })).await.expect(200);
    act(&app, &admin, 1, "restore").await.expect(200);
}

async fn an_import_names_the_clashes(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    add(&app, &admin, "Ada", "E-1").await.expect(201);
    let file = "kind,name,employee_id\nstaff,Bob,E-1\nstaff,Cyd,E-2\nstaff,Dan,E-2\n";
    let import = app.post("/api/v1/imports/people").cookie(&admin.cookie);
    let reply = import.bytes("text/csv; charset=utf-8", file).send().await.expect(422).json();
    assert_eq!(
        faults(&reply),
        [
            "line 2, employee_id: employee_id_taken: is the employee id of person 1",
            "line 4, employee_id: employee_id_taken: is also the employee id on line 3 of the file",
        ]
    );
}

/// Returns each fault as `field: code: message`.
fn faults(refused: &Value) -> Vec<String> {
    let errors = refused["errors"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    errors.map(|error| ["field", "code", "message"].map(|part| text(&error[part])).join(": ")).collect()
}

async fn clashes_within_a_file_are_named_by_their_lines(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let file = "kind,name,employee_id\nstaff,Ann,\u{c4} 1\nstaff,Bob,E-2\nstaff,Cyd,a  1\nvisitor,Eve,A 1\n";
    for query in ["", "?dry_run=true"] {
        let import = app.post(&format!("/api/v1/imports/people{query}")).cookie(&admin.cookie);
        let reply = import.bytes("text/csv; charset=utf-8", file).send().await.expect(422).json();
        let clash = "employee_id: employee_id_taken: is also the employee id on line 2 of the file";
        assert_eq!(faults(&reply), [format!("line 4, {clash}"), format!("line 5, {clash}")], "{query}");
    }
    assert_eq!(testkit::count_rows(app.database()).await["people"], 0);
}

async fn one_of_those_who_take_it_at_once_gets_it(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let mut work = tokio::task::JoinSet::new();
    for number in 0..8 {
        let body = json!({ "kind": "staff", "name": format!("Twin {number}"), "employee_id": "E-1" });
        work.spawn(app.post("/api/v1/people").cookie(&admin.cookie).json(&body).send());
    }
    let mut statuses: Vec<u16> = work.join_all().await.iter().map(|reply| reply.status.as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 422, 422, 422, 422, 422, 422, 422]);
}

async fn a_brand_can_do_without(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let settings = set_unique(&app, &admin, false).await.expect(200).json();
    assert_eq!(settings["unique_employee_ids"], false);
    for name in ["Ada", "Bob"] {
        add(&app, &admin, name, "E-1").await.expect(201);
    }
}

async fn turning_it_on_names_the_clashes(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    set_unique(&app, &admin, false).await.expect(200);
    for (name, employee_id) in
        [("A", "E-1"), ("B", "E-2"), ("C", "e-1"), ("D", "E-3"), ("E", "E-2"), ("F", "E-2")]
    {
        add(&app, &admin, name, employee_id).await.expect(201);
    }
    let reply = set_unique(&app, &admin, true).await.expect(422).json();
    let messages: Vec<_> =
        reply["errors"].as_array().unwrap().iter().map(|error| error["message"].as_str().unwrap()).collect();
    let expected =
        ["people 1, 3 have the employee id \"E-1\"", "people 2, 5, 6 have the employee id \"E-2\""];
    assert_eq!(messages, expected);
    assert_eq!(reply["errors"][0]["code"], "employee_id_shared");
    for id in [3, 5, 6] {
        act(&app, &admin, id, "archive").await.expect(200);
    }
    set_unique(&app, &admin, true).await.expect(200);
    assert_eq!(fault(&add(&app, &admin, "G", "E-2").await.expect(422)), taken());
}

async fn many_clashes_are_counted(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    set_unique(&app, &admin, false).await.expect(200);
    let shared = std::iter::repeat_n("A".to_owned(), 25).chain((100..305).flat_map(|n| {
        let id = format!("E-{n}");
        [id.clone(), id]
    }));
    let rows: Vec<String> =
        shared.map(|id| format!("(1, 'staff', 'X', 'x', '{id}', '{}', 1, 1)", id.to_lowercase())).collect();
    let insert = format!(
        "insert into people (brand_id, kind, name, name_key, employee_id, employee_key, created_at,
             updated_at) values {}",
        rows.join(",")
    );
    testkit::execute_raw_sql(app.database(), &insert).await.unwrap();
    let reply = set_unique(&app, &admin, true).await.expect(422).json();
    let messages: Vec<_> =
        reply["errors"].as_array().unwrap().iter().map(|error| error["message"].as_str().unwrap()).collect();
    assert_eq!(messages.len(), 201);
    assert!(messages[0].starts_with("people 1, 2, "), "{}", messages[0]);
    assert!(messages[0].ends_with(r#", 20 and 5 more have the employee id "A""#), "{}", messages[0]);
    assert_eq!(messages[1], "people 26, 27 have the employee id \"E-100\"");
    assert_eq!(messages[199], "people 422, 423 have the employee id \"E-298\"");
    assert_eq!(messages[200], "several people have the same employee id in 6 more cases");
}

async fn another_brand_has_its_own(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let other = app.sign_in_new_user_in_brand("Other", "other@example.com", Role::Admin).await;
    add(&app, &admin, "Ada", "E-1").await.expect(201);
    add(&app, &other, "Ada", "E-1").await.expect(201);
}
