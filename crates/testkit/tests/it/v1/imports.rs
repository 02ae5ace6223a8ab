//! /api/v1/imports

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

on_both_engines!(
    files_are_added_and_found_again,
    a_dry_run_says_the_same_and_keeps_nothing,
    one_bad_line_sinks_the_file_and_every_bad_one_is_named,
    what_is_there_already_is_named_with_its_line,
    an_import_can_be_repeated_under_a_key,
    what_is_no_csv_is_refused,
    those_who_would_not_see_what_they_add_cannot,
    each_line_is_written_down,
);

const PEOPLE: &str =
    "\u{feff}Kind;Name;Email\r\nstaff;Ada Lovelace;ada@example.com\r\nvisitor;\"Babbage; Charles\";\r\n";

async fn import(app: &TestApp, user: &Account, what: &str, file: &str) -> Reply {
    let path = format!("/api/v1/imports/{what}");
    app.post(&path).cookie(&user.cookie).bytes("text/csv; charset=utf-8", file).send().await
}

async fn total(app: &TestApp, user: &Account, what: &str) -> Value {
    let path = format!("/api/v1/{what}?include_total=true");
    app.get(&path).cookie(&user.cookie).send().await.expect(200).json()["page"]["total"].clone()
}

async fn files_are_added_and_found_again(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let made = import(&app, &admin, "people", PEOPLE).await.expect(201);
    assert_eq!(made.json(), json!({ "lines": 2, "dry_run": false }));
    assert_eq!(made.header("location"), "/api/v1/people");
    let people = app.get("/api/v1/people").cookie(&admin.cookie).send().await.expect(200).json();
    let names: Vec<&str> =
        people["data"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Ada Lovelace", "Babbage; Charles"]);
    let machines = "name,kind,year,serial_number\nDigger,excavator,2019,X-1\nLifter,crane,,\n";
    import(&app, &admin, "machines", machines).await.expect(201);
    import(&app, &admin, "tags", "serial\nT-1\nT-2\n\nT-3\n").await.expect(201);
    import(&app, &admin, "base_stations", "serial,cameras\nS-1,front | rear\nS-2,\n").await.expect(201);
    for (what, count) in [("machines", 2), ("tags", 3), ("base_stations", 2)] {
        assert_eq!(total(&app, &admin, what).await, count, "{what}");
    }
    let stations = app.get("/api/v1/base_stations").cookie(&admin.cookie).send().await.expect(200).json();
    assert_eq!(stations["data"][0]["cameras"], json!(["front", "rear"]));
}

async fn a_dry_run_says_the_same_and_keeps_nothing(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let before = testkit::count_rows(app.database()).await;
    for (what, file) in [
        ("people", PEOPLE),
        ("tags", "serial\nT-1\n"),
        ("machines", "name,kind\nx,crane\n"),
        ("base_stations", "serial\nS\n"),
    ] {
        let what = format!("{what}?dry_run=true");
        let checked = import(&app, &admin, &what, file).await.expect(200).json();
        assert_eq!(checked["dry_run"], true);
        let refused = import(&app, &admin, &what, "nonsense\nx\n").await.expect(422).json();
        assert_eq!(refused["errors"][0]["field"], "column nonsense");
    }
    let twice = import(&app, &admin, "tags?dry_run=true", "serial\nT-1\nt-1\n").await.expect(422).json();
    assert_eq!(twice["errors"][0]["field"], "line 3, serial");
    assert_eq!(testkit::count_rows(app.database()).await, before);
}

async fn one_bad_line_sinks_the_file_and_every_bad_one_is_named(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let file = "kind,name,email\nstaff,Ada,ada@example.com\nrobot,,\nstaff,Bob,not an email\nstaff,Eve\nvisitor,\"a\u{7}b\",\n";
    let refused = import(&app, &admin, "people", file).await.expect(422).json();
    let named: Vec<String> = refused["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| format!("{}: {}", error["field"].as_str().unwrap(), error["code"].as_str().unwrap()))
        .collect();
    let expected = [
        "line 3, kind: invalid_kind",
        "line 3, name: required",
        "line 4, email: invalid_email",
        "line 5, cells: wrong_length",
        "line 6, name: control_character",
    ];
    assert_eq!(named, expected);
    assert_eq!(total(&app, &admin, "people").await, 0);
}

async fn what_is_there_already_is_named_with_its_line(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    import(&app, &admin, "tags", "serial\nT-1\n").await.expect(201);
    import(&app, &admin, "machines", "name,kind,serial_number\nx,crane,M-1\n").await.expect(201);
    import(&app, &admin, "base_stations", "serial\nS-1\n").await.expect(201);
    for (what, file, line) in [
        ("tags", "serial\nT-2\nt-1\nT-2\n", "line 3, serial"),
        (
            "machines",
            "name,kind,serial_number\na,crane,\nb,crane,m-1\nc,crane,N\nd,crane,n\n",
            "line 3, serial_number",
        ),
        ("base_stations", "serial\nS-2\ns-1\ns-2\n", "line 3, serial"),
    ] {
        let refused = import(&app, &admin, what, file).await.expect(422).json();
        let errors = refused["errors"].as_array().unwrap();
        assert_eq!((errors.len(), &errors[0]["field"]), (2, &json!(line)), "{what}");
        assert!(errors.iter().all(|error| error["code"] == "serial_taken"), "{what}");
        assert_eq!(total(&app, &admin, what).await, 1, "{what}");
    }
}

async fn an_import_can_be_repeated_under_a_key(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let again = || {
        let post = app.post("/api/v1/imports/people").cookie(&admin.cookie).header("idempotency-key", "k");
        post.bytes("text/csv", PEOPLE).send()
    };
    let first = again().await.expect(201).json();
    assert_eq!(again().await.expect(201).json(), first);
    assert_eq!(total(&app, &admin, "people").await, 2);
}

async fn what_is_no_csv_is_refused(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let send = |kind: &str, bytes: &[u8]| {
        app.post("/api/v1/imports/tags").cookie(&admin.cookie).bytes(kind, bytes).send()
    };
    send("application/json", b"{}").await.expect(415);
    assert_eq!(send("text/csv", b"serial\n\xff\xfe\n").await.expect(400).code(), "broken_csv");
    send("text/csv", b"").await.expect(422);
    send("text/csv", b"serial\n").await.expect(422);
    assert_eq!(send("text/csv", &vec![b'x'; 1024 * 1024 + 1]).await.expect(413).code(), "body_too_large");
    let long = format!("serial\n{}", (0..5_001).map(|n| format!("T-{n}\n")).collect::<String>());
    assert_eq!(send("text/csv", long.as_bytes()).await.expect(413).code(), "too_many_lines");
    for query in ["dry_run=maybe", "dryrun=true"] {
        import(&app, &admin, &format!("tags?{query}"), "serial\nT\n").await.expect(400);
    }
    assert_eq!(total(&app, &admin, "tags").await, 0);
}

async fn those_who_would_not_see_what_they_add_cannot(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let email = domain::EmailAddress::parse(&ada.email).unwrap();
    app.app.restrict_user(&email, Some(&[])).await.unwrap();
    for (what, file) in [("machines", "name,kind\nx,crane\n"), ("base_stations", "serial\nS\n")] {
        assert_eq!(import(&app, &ada, what, file).await.expect(403).code(), "restricted");
    }
    import(&app, &ada, "people", PEOPLE).await.expect(201);
    import(&app, &ada, "tags", "serial\nT\n").await.expect(201);
}

async fn each_line_is_written_down(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    import(&app, &admin, "people", PEOPLE).await.expect(201);
    let path = "/api/v1/admin/audit_log?action=person.created";
    let log = app.get(path).cookie(&admin.cookie).send().await.expect(200).json();
    assert_eq!(log["data"].as_array().unwrap().len(), 2);
}
