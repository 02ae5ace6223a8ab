//! POST /api/v1/people/{id}/erase

use std::fs;
use std::path::Path;

use domain::{DeviceKind, Role};
use serde_json::{Value, json};
use testkit::{TestApp, find_tables_with_text, on_both_engines};

on_both_engines!(
    an_erased_person_is_nowhere_in_the_database,
    an_erased_person_cannot_be_changed_or_restored,
    a_repeat_of_what_named_an_erased_person_is_refused,
    erasing_while_others_write_leaves_nothing,
    a_report_that_named_an_erased_person_is_made_again_without_the_name,
);

/// All texts that identify the person.
const PERSONAL_TEXTS: [&str; 8] = [
    "Zelda",
    "Sheik",
    "zelda@example.com",
    "E-4711",
    "Hyrule",
    "looks for a sword",
    "left the sword",
    "seen in the woods",
];

async fn an_erased_person_is_nowhere_in_the_database(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let post = |path: &str, key: &str, body: Value| {
        let request = app.post(path).cookie(&admin.cookie).header("idempotency-key", key);
        request.json(&body).send()
    };
    let person = json!({
        "kind": "visitor", "name": "Sheik", "email": "zelda@example.com", "employee_id": "E-4711",
        "company": "Hyrule",
    });
    post("/api/v1/people", "a", person).await.expect(201);
    let rename = json!({ "name": "Zelda" });
    app.patch("/api/v1/people/1").cookie(&admin.cookie).json(&rename).send().await.expect(200);
    let visit =
        json!({ "person_id": 1, "tag_serial": "T-1", "company": "Hyrule", "notes": "looks for a sword" });
    post("/api/v1/visitor_sessions", "a", visit).await.expect(201);
    let fix = json!({ "notes": "left the sword" });
    app.patch("/api/v1/visitor_sessions/1").cookie(&admin.cookie).json(&fix).send().await.expect(200);
    post("/api/v1/tag_assignments", "a", json!({ "person_id": 1, "tag_serial": "T-2" })).await.expect(201);
    let note = json!({ "entity_type": "person", "entity_id": 1, "body": "seen in the woods" });
    post("/api/v1/notes", "a", note).await.expect(201);
    let test = json!({ "tag_serial": "T-1", "passed": true });
    let kiosk = app.post("/api/v1/tester/tag_tests").bearer(&token).header("idempotency-key", "a");
    kiosk.json(&test).send().await.expect(201);
    // Another person, who stays.
    post("/api/v1/people", "b", json!({ "kind": "staff", "name": "Link" })).await.expect(201);
    app.app.seal_audit_log().await.unwrap();
    for secret in PERSONAL_TEXTS {
        assert!(!find_tables_with_text(app.database(), secret).await.is_empty(), "{secret} was never there");
    }
    let before = testkit::count_rows(app.database()).await;
    // After the test of the tag, which therefore stays attributed to them.
    app.clock.advance(domain::Span::minutes(1));

    let erased = app.post("/api/v1/people/1/erase").cookie(&admin.cookie).send().await.expect(200);
    let body = erased.json();
    assert_eq!((&body["name"], &body["kind"]), (&json!("Person 1"), &json!("visitor")));
    for field in ["employee_id", "email", "company"] {
        assert_eq!(body[field], json!(null), "{field}");
    }
    assert_eq!((&body["erased_at"], &body["archived_at"]), (&body["updated_at"], &body["updated_at"]));
    for secret in PERSONAL_TEXTS {
        assert_eq!(find_tables_with_text(app.database(), secret).await, [""; 0], "{secret}");
    }
    assert!(!find_tables_with_text(app.database(), "Link").await.is_empty());
    // SQLite's log has them no more either, while the service runs.
    let log = fs::read(app.database().folder().join("keepclear.db-wal")).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    assert!(!PERSONAL_TEXTS.iter().any(|secret| log.contains(secret)), "{} bytes of log", log.len());
    // Counts do not change, and the person is checked out.
    let after = testkit::count_rows(app.database()).await;
    for table in ["people", "visitor_sessions", "tag_assignments", "tag_tests", "notes", "idempotency_keys"] {
        assert_eq!(after[table], before[table], "{table}");
    }
    let get = |path: &str| app.get(path).cookie(&admin.cookie).send();
    assert_eq!(get("/api/v1/visitor_sessions/1").await.expect(200).json()["state"], "completed");
    let tests = get("/api/v1/tags/1/tests").await.expect(200).json();
    assert_eq!(tests["data"][0]["person"]["name"], "Person 1");
    let notes = get("/api/v1/notes?entity_type=person&entity_id=1").await.expect(200).json();
    assert_eq!(notes["data"][0]["body"], json!(null));
    // The log records the erasure without a name, and its chain is intact.
    let log = get("/api/v1/admin/audit_log?action=person.erased").await.expect(200).json();
    assert_eq!(log["data"][0]["target"], json!({ "kind": "person", "id": 1 }), "{log}");
    app.app.seal_audit_log().await.unwrap();
    let report = app.app.check_audit_log().await.unwrap();
    assert_eq!(report.faults, Vec::<String>::new());
    // A new visitor with the same email address is another person.
    let again = json!({ "name": "Zelda", "email": "zelda@example.com", "tag_serial": "T-1" });
    assert_eq!(post("/api/v1/visitor_sessions", "c", again).await.expect(201).json()["person"]["id"], 3);
}

async fn an_erased_person_cannot_be_changed_or_restored(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let post = |path: &str, body: Value| app.post(path).cookie(&admin.cookie).json(&body).send();
    post("/api/v1/visitor_sessions", json!({ "name": "Zelda", "tag_serial": "T-1" })).await.expect(201);
    let act = |act: &str| app.post(&format!("/api/v1/people/1/{act}")).cookie(&admin.cookie).send();
    let erased = act("erase").await.expect(200).json();
    app.clock.advance(domain::Span::minutes(1));
    // Repeating it changes nothing, and the person is already archived.
    assert_eq!(act("erase").await.expect(200).json(), erased);
    assert_eq!(act("archive").await.expect(200).json(), erased);
    assert_eq!(act("restore").await.expect(409).code(), "person_erased");
    let patch = |path: &str, body: Value| app.patch(path).cookie(&admin.cookie).json(&body).send();
    // What was read can be sent back.
    for unchanged in [erased.clone(), json!({}), json!({ "name": "Person 1", "company": null })] {
        assert_eq!(patch("/api/v1/people/1", unchanged).await.expect(200).json(), erased);
    }
    let read = app.get("/api/v2/people/1").bearer(&admin.jwt).send().await.expect(200).json();
    let document = json!({ "data": read["data"] }).to_string();
    let call = app.patch("/api/v2/people/1").bearer(&admin.jwt).bytes("application/vnd.api+json", document);
    assert_eq!(call.send().await.expect(200).json()["data"]["attributes"], read["data"]["attributes"]);
    assert_eq!(
        patch("/api/v1/people/1", json!({ "name": "Zelda" })).await.expect(409).code(),
        "person_erased"
    );
    let visit = patch("/api/v1/visitor_sessions/1", json!({ "notes": "it was Zelda" })).await;
    assert_eq!(visit.expect(409).code(), "person_erased");
    let note = json!({ "entity_type": "person", "entity_id": 1, "body": "it was Zelda" });
    assert_eq!(post("/api/v1/notes", note).await.expect(422).json()["errors"][0]["code"], "person_erased");
    let assign = post("/api/v1/tag_assignments", json!({ "person_id": 1, "tag_serial": "T-1" })).await;
    assert_eq!(assign.expect(422).json()["errors"][0]["code"], "person_archived");
    assert_eq!(find_tables_with_text(app.database(), "Zelda").await, [""; 0]);
}

async fn a_repeat_of_what_named_an_erased_person_is_refused(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let body = json!({ "kind": "staff", "name": "Zelda" });
    let create = || {
        let request = app.post("/api/v1/people").cookie(&admin.cookie).header("idempotency-key", "k");
        request.json(&body).send()
    };
    let first = create().await.expect(201).json();
    assert_eq!(create().await.expect(201).json(), first);
    app.post("/api/v1/people/1/erase").cookie(&admin.cookie).send().await.expect(200);
    let refused = create().await.expect(409);
    assert_eq!(refused.code(), "person_erased");
    let list = app.get("/api/v1/people").cookie(&admin.cookie).send().await.expect(200).json();
    assert_eq!(list["data"], json!([]), "nobody was made a second time");
}

async fn erasing_while_others_write_leaves_nothing(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let other = app.second_instance().await;
    let body = json!({ "kind": "visitor", "name": "Zelda" });
    app.post("/api/v1/people").cookie(&admin.cookie).json(&body).send().await.expect(201);
    let mut work = tokio::task::JoinSet::new();
    for n in 0..30 {
        let place = if n % 2 == 0 { &app } else { &other };
        let (path, body) = match n % 3 {
            0 => ("/api/v1/notes", json!({ "entity_type": "person", "entity_id": 1, "body": "Zelda again" })),
            1 => ("/api/v1/tag_assignments", json!({ "person_id": 1, "tag_serial": format!("T-{n}") })),
            _ => {
                let tag = format!("T-{n}");
                ("/api/v1/visitor_sessions", json!({ "person_id": 1, "tag_serial": tag, "notes": "Zelda" }))
            }
        };
        let request = place.post(path).cookie(&admin.cookie).header("idempotency-key", &format!("k{n}"));
        work.spawn(request.json(&body).send());
        if n == 12 {
            work.spawn(place.post("/api/v1/people/1/erase").cookie(&admin.cookie).send());
        }
    }
    for reply in work.join_all().await {
        assert!([200, 201, 409, 422].contains(&reply.status.as_u16()), "{reply:?}");
    }
    assert_eq!(find_tables_with_text(app.database(), "Zelda").await, [""; 0]);
}

/// Counts the files below a folder that contain a text.
fn count_files_with(folder: &Path, text: &str) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let count = |path: &Path| match path.is_dir() {
        true => count_files_with(path, text),
        false => usize::from(String::from_utf8_lossy(&fs::read(path).unwrap()).contains(text)),
    };
    entries.map(|path| count(&path)).sum()
}

async fn a_report_that_named_an_erased_person_is_made_again_without_the_name(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let post = |path: &str, body: Value| app.post(path).cookie(&admin.cookie).json(&body).send();
    let visit = json!({ "name": "Zelda", "email": "zelda@example.com", "tag_serial": "T-1" });
    post("/api/v1/visitor_sessions", visit).await.expect(201);
    app.clock.advance(domain::Span::minutes(1));
    post("/api/v1/reports", json!({ "kind": "visitor_log", "format": "csv" })).await.expect(201);
    let schedule = json!({
        "name": "Visits", "kind": "visitor_log", "format": "csv", "cadence": "daily", "time": "07:30",
        "recipients": ["Zelda@example.com"],
    });
    post("/api/v1/report_schedules", schedule).await.expect(201);
    app.run_jobs().await;
    let download = || app.get("/api/v1/reports/1/download").cookie(&admin.cookie).send();
    let named = String::from_utf8(download().await.expect(200).body).unwrap();
    assert!(named.contains("Zelda"), "{named}");
    let objects = app.data().join("blobs");
    assert_eq!(count_files_with(&objects, "Zelda"), 1, "the figures hold no names");

    app.post("/api/v1/people/1/erase").cookie(&admin.cookie).send().await.expect(200);
    assert_eq!(download().await.expect(409).code(), "not_ready");
    assert_eq!(count_files_with(&objects, "Zelda"), 0);
    app.run_jobs().await;
    let remade = String::from_utf8(download().await.expect(200).body).unwrap();
    assert!(remade.contains("Person 1") && !remade.contains("Zelda"), "{remade}");
    assert_eq!(remade.lines().count(), named.lines().count(), "it says the same otherwise");
    let path = "/api/v1/report_schedules/1";
    let paused = app.get(path).cookie(&admin.cookie).send().await.expect(200).json();
    assert_eq!((&paused["recipients"], &paused["paused_reason"]), (&json!([]), &json!("no_recipients")));
    assert_eq!(find_tables_with_text(app.database(), "Zelda").await, [""; 0]);
}
