//! /settings/{machines,people,tags,base-stations}/import

use domain::{EmailAddress, Role};
use serde_json::Value;
use testkit::{Account, TestApp, on_both_engines};

use super::done;
use crate::console::{Page, open};

on_both_engines!(
    a_file_is_checked_shown_and_added,
    a_file_that_is_sent_twice_is_added_once,
    faults_are_shown_with_their_lines,
    what_is_no_file_of_lines_is_refused_beside_the_field,
    a_body_that_breaks_off_is_named,
    what_a_file_says_is_never_markup,
    who_would_not_see_what_they_add_is_refused,
    who_may_not_add_may_not_import,
);

const BOUNDARY: &str = "keepclear-test-boundary";

/// Sends a form with these fields and, if one is given, a file, as a browser does.
async fn send(
    app: &TestApp,
    user: &Account,
    path: &str,
    fields: &[(&str, &str)],
    file: Option<&[u8]>,
) -> Page {
    let mut body = Vec::new();
    for (name, value) in fields {
        let head =
            format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend(head.into_bytes());
    }
    if let Some(file) = file {
        let head =
            "Content-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\nContent-Type: text/csv";
        body.extend(format!("--{BOUNDARY}\r\n{head}\r\n\r\n").into_bytes());
        body.extend(file);
        body.extend(b"\r\n");
    }
    body.extend(format!("--{BOUNDARY}--\r\n").into_bytes());
    let request = app.post(path).cookie(&user.cookie).header("accept", "text/html");
    let request = request.header("sec-fetch-site", "same-origin");
    let media_type = format!("multipart/form-data; boundary={BOUNDARY}");
    Page { reply: request.bytes(&media_type, body).send().await }
}

/// Sends the form of a checked file.
async fn confirm(app: &TestApp, user: &Account, path: &str, checked: &Page) -> Page {
    let (once, content) = (checked.field("_once").unwrap(), checked.field("content").unwrap());
    send(app, user, path, &[("_once", once.as_str()), ("content", content.as_str())], None).await
}

async fn total(app: &TestApp, user: &Account, what: &str) -> Value {
    let path = format!("/api/v1/{what}?include_total=true");
    app.get(&path).cookie(&user.cookie).send().await.expect(200).json()["page"]["total"].clone()
}

async fn a_file_is_checked_shown_and_added(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let files = [
        ("machines", "machines", "name;kind;year\r\nDigger;excavator;2019\r\nLifter;crane;\r\n", "Digger"),
        (
            "people",
            "people",
            "\u{feff}Kind;Name\r\nstaff;Zelda\r\nvisitor;\"Link; the first\"\r\n",
            "Link; the first",
        ),
        ("tags", "tags", "serial\nT-1\n\nT-2\n", "T-2"),
        ("base-stations", "base_stations", "serial,cameras\nS-1,front | rear\nS-2,\n", "front | rear"),
    ];
    for (page, list, file, cell) in files {
        let path = format!("/settings/{page}/import");
        let empty = open(&app, &admin.cookie, &path).await.expect(200);
        assert!(
            empty.says("Nothing is added until you confirm it") && empty.field("content").is_none(),
            "{page}"
        );
        let checked = send(&app, &admin, &path, &[], Some(file.as_bytes())).await.expect(200);
        assert!(checked.says("All 2 lines can be added.") && checked.says("Will be added"), "{page}");
        assert!(checked.says(cell), "{page}: {}", checked.text());
        assert_eq!(total(&app, &admin, list).await, 0, "{page}");
        let added = confirm(&app, &admin, &path, &checked).await.expect(303);
        assert_eq!(
            (done(&added), added.location()),
            (format!("{page}-imported"), format!("/settings/{page}"))
        );
        assert_eq!(total(&app, &admin, list).await, 2, "{page}");
    }
    let stations = app.get("/api/v1/base_stations").cookie(&admin.cookie).send().await.expect(200).json();
    assert_eq!(stations["data"][0]["cameras"], serde_json::json!(["front", "rear"]));
}

async fn a_file_that_is_sent_twice_is_added_once(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let path = "/settings/people/import";
    let checked = send(&app, &member, path, &[], Some(b"kind,name\nstaff,Ada\n")).await.expect(200);
    assert!(checked.says("The line can be added."));
    for _ in 0..2 {
        confirm(&app, &member, path, &checked).await.expect(303);
    }
    assert_eq!(total(&app, &member, "people").await, 1);
    // Whoever takes a serial number meanwhile is named when the file is added.
    let path = "/settings/tags/import";
    let checked = send(&app, &member, path, &[], Some(b"serial\nT-1\n")).await.expect(200);
    let new = serde_json::json!({ "serial": "T-1" });
    app.post("/api/v1/tags").cookie(&member.cookie).json(&new).send().await.expect(201);
    let refused = confirm(&app, &member, path, &checked).await.expect(422);
    assert!(refused.says("serial: This serial number is taken.") && refused.field("content").is_none());
}

async fn faults_are_shown_with_their_lines(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let file = b"name,kind,year\nGood one,crane,2019\n,crane,soon\nOther,tank,\nShort\n";
    let page = send(&app, &member, "/settings/machines/import", &[], Some(file)).await.expect(422);
    assert!(page.says("3 lines have faults. Nothing has been added.") && page.field("content").is_none());
    assert!(page.says("name: Please fill this in.") && page.says("tank") && !page.says("Good one"));
    let page = send(&app, &member, "/settings/machines/import", &[], Some(b"name,colour\nx,red\n"))
        .await
        .expect(422);
    assert!(page.says("column colour: There is no such field."), "{}", page.text());
    // What is there already is found by the same rules as when it is added.
    let page =
        send(&app, &member, "/settings/tags/import", &[], Some(b"serial\nT-1\nt-1\n")).await.expect(422);
    assert!(page.says("1 line has faults.") && page.says("serial: This serial number is taken."));
    for list in ["machines", "tags"] {
        assert_eq!(total(&app, &member, list).await, 0);
    }
}

async fn what_is_no_file_of_lines_is_refused_beside_the_field(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let path = "/settings/tags/import";
    let many = format!("serial\n{}", (0..5_001).map(|number| format!("T-{number}\n")).collect::<String>());
    let large = vec![b'x'; 1024 * 1024 + 1];
    for file in [&b""[..], b"serial\n", b"serial\n\xff\xfe\n", many.as_bytes(), large.as_slice()] {
        let page = send(&app, &member, path, &[], Some(file)).await.expect(422);
        assert!(page.fault("file").is_some() && page.field("content").is_none());
    }
    assert!(send(&app, &member, path, &[("_once", "x")], None).await.expect(422).fault("file").is_some());
    let broken = send(&app, &member, path, &[("content", "not base64!")], None).await.expect(400);
    assert!(broken.says("The form or its file could not be read"), "{}", broken.text());
    assert_eq!(total(&app, &member, "tags").await, 0);
}

async fn a_body_that_breaks_off_is_named(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let head = "Content-Disposition: form-data; name=\"file\"; filename=\"a.csv\"";
    let broken = format!("--{BOUNDARY}\r\n{head}\r\n\r\nserial\nT-1");
    for path in ["/settings/tags/import", "/settings/brand/logo"] {
        for media_type in
            [format!("multipart/form-data; boundary={BOUNDARY}"), "multipart/form-data".to_owned()]
        {
            let call = app.post(path).cookie(&admin.cookie).header("accept", "text/html");
            let call = call.header("sec-fetch-site", "same-origin").bytes(&media_type, broken.clone());
            let page = Page { reply: call.send().await }.expect(400);
            assert!(page.says("The form or its file could not be read"), "{path}: {}", page.text());
            assert!(!page.says("part of the address") && !page.links().contains(&path.to_owned()), "{path}");
        }
    }
    assert_eq!(total(&app, &admin, "tags").await, 0);
}

async fn what_a_file_says_is_never_markup(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let file = "kind,name\nstaff,<script>alert(1)</script>\nstaff,\"\"\"><img src=x onerror=y>\"\n";
    let page = send(&app, &member, "/settings/people/import", &[], Some(file.as_bytes())).await.expect(200);
    assert!(page.says("<script>alert(1)</script>") && page.says("\"><img src=x onerror=y>"));
    let file = "<b>,kind\nx,\u{1}\n";
    let page = send(&app, &member, "/settings/people/import", &[], Some(file.as_bytes())).await.expect(422);
    assert!(page.says("column <b>"));
}

async fn who_would_not_see_what_they_add_is_refused(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.app.restrict_user(&EmailAddress::parse(&ada.email).unwrap(), Some(&[])).await.unwrap();
    for (page, file) in [("machines", "name,kind\nx,crane\n"), ("base-stations", "serial\nS\n")] {
        let path = format!("/settings/{page}/import");
        let shown = open(&app, &ada.cookie, &path).await.expect(200);
        assert!(shown.says("would not see what you import") && shown.field("file").is_none(), "{page}");
        for file in [file, "colour\nred\n"] {
            send(&app, &ada, &path, &[], Some(file.as_bytes())).await.expect(403);
        }
    }
    let path = "/settings/people/import";
    let checked = send(&app, &ada, path, &[], Some(b"kind,name\nstaff,Ada\n")).await.expect(200);
    confirm(&app, &ada, path, &checked).await.expect(303);
}

async fn who_may_not_add_may_not_import(app: TestApp) {
    let viewer = app.sign_in_new_user("v@example.com", Role::Viewer).await;
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    for page in ["machines", "people", "tags", "base-stations"] {
        let path = format!("/settings/{page}/import");
        open(&app, &viewer.cookie, &path).await.expect(403);
        send(&app, &viewer, &path, &[], Some(b"serial\nS\n")).await.expect(403);
    }
    open(&app, &member.cookie, "/settings/base-stations/import").await.expect(403);
    open(&app, &member.cookie, "/settings/tags/import").await.expect(200);
}
