//! /visitors/check-in, check-out and who is on site

use domain::{Role, Span};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{CHECK_IN, PATH, check_in, visit};
use crate::console::{open, submit};
use crate::v1::incursions::Yard;

on_both_engines!(
    a_visitor_is_checked_in_and_out,
    a_form_that_is_sent_twice_checks_in_once,
    faults_are_shown_beside_their_fields,
    a_visitor_who_was_here_before_is_chosen,
    times_are_those_of_the_site,
);

async fn a_visitor_is_checked_in_and_out(app: TestApp) {
    let yard = Yard::new(app).await;
    let cookie = &yard.admin.cookie;
    let empty = open(&yard.app, cookie, PATH).await.expect(200);
    assert!(empty.says("Nobody is on site") && empty.says("No visit ended in this period"));
    let once = empty.field("_once").unwrap();
    let fields = [
        ("name", "Grace Hopper"),
        ("company", "Plums & Co"),
        ("tag_serial", "V-1"),
        ("worksite_id", "1"),
        ("expected_until", ""),
        ("email", ""),
        ("person_id", ""),
        ("notes", "Lift inspection"),
        ("_once", once.as_str()),
    ];
    let made = submit(&yard.app, cookie, CHECK_IN, &fields).await.expect(303);
    assert_eq!(made.location(), PATH);
    assert!(made.reply.header("set-cookie").starts_with("keepclear_done=visitor-checked-in"));
    yard.app.clock.advance(Span::minutes(125));
    let page = open(&yard.app, cookie, PATH).await.expect(200);
    for words in
        ["One visitor on site", "Grace Hopper", "Plums & Co · Site 1 · V-1", "2 h 5 min", "Check out"]
    {
        assert!(page.says(words), "{words}: {}", page.text());
    }
    assert!(page.reply.text().contains("data-stay=\"7500\""), "{}", page.reply.text());
    assert!(page.links().iter().any(|link| link == "/visitors/1"));
    let out = submit(&yard.app, cookie, "/visitors/1/check-out", &[]).await.expect(303);
    assert_eq!(out.location(), PATH);
    assert!(out.reply.header("set-cookie").starts_with("keepclear_done=visitor-checked-out:1"));
    assert_eq!(visit(&yard, 1).await["state"], "completed");
    let page = open(&yard.app, cookie, PATH).await.expect(200);
    assert!(
        page.says("Nobody is on site") && page.says("Grace Hopper") && page.says("Left"),
        "{}",
        page.text()
    );
    // It is undone as long as nobody else wears the tag.
    submit(&yard.app, cookie, "/visitors/1/reopen", &[]).await.expect(303);
    assert_eq!(visit(&yard, 1).await["state"], "active");
    submit(&yard.app, cookie, "/visitors/1/check-out", &[]).await.expect(303);
    check_in(&yard, "Ida", "V-1", "1").await;
    submit(&yard.app, cookie, "/visitors/1/reopen", &[]).await.expect(422);
    // A form that comes back after signing in only leads to the visit.
    let again = submit(&yard.app, cookie, "/visitors/2/check-out", &[("_resumed", "1")]).await.expect(303);
    assert_eq!(again.location(), "/visitors/2");
    assert_eq!(visit(&yard, 2).await["state"], "active");
}

async fn a_form_that_is_sent_twice_checks_in_once(app: TestApp) {
    let yard = Yard::new(app).await;
    let cookie = &yard.admin.cookie;
    let once = open(&yard.app, cookie, CHECK_IN).await.expect(200).field("_once").unwrap();
    let fields = [("name", "Grace"), ("tag_serial", "V-1"), ("worksite_id", "1"), ("_once", once.as_str())];
    for _ in 0..2 {
        assert_eq!(submit(&yard.app, cookie, CHECK_IN, &fields).await.expect(303).location(), PATH);
    }
    let list = yard.app.get("/api/v1/visitor_sessions").cookie(cookie).send().await.expect(200).json();
    assert_eq!(list["data"].as_array().map(Vec::len), Some(1));
}

async fn faults_are_shown_beside_their_fields(app: TestApp) {
    let yard = Yard::new(app).await;
    let cookie = &yard.admin.cookie;
    let fields = [
        ("name", ""),
        ("tag_serial", "a b"),
        ("email", "nobody"),
        ("expected_until", "soon"),
        ("company", "Plums & Co"),
        ("worksite_id", "2"),
    ];
    let page = submit(&yard.app, cookie, CHECK_IN, &fields).await.expect(422);
    for field in ["tag_serial", "email", "expected_until"] {
        assert!(page.fault(field).is_some(), "{field}: {}", page.text());
    }
    assert!(page.fault("company").is_none());
    assert_eq!(page.field("company").as_deref(), Some("Plums & Co"));
    assert_eq!(page.field("worksite_id").as_deref(), Some("2"));
    let page = submit(&yard.app, cookie, CHECK_IN, &[("tag_serial", "V-1")]).await.expect(422);
    assert!(page.fault("name").is_some());
    // Tag 1 is Ada's, and Ada is no visitor.
    let page =
        submit(&yard.app, cookie, CHECK_IN, &[("name", "Grace"), ("tag_serial", "T-1")]).await.expect(422);
    assert!(page.fault("tag_serial").is_some(), "{}", page.text());
    for fields in [
        [("name", ""), ("person_id", "1"), ("tag_serial", "V-1")],
        [("name", "Grace"), ("person_id", "1"), ("tag_serial", "V-1")],
    ] {
        let page = submit(&yard.app, cookie, CHECK_IN, &fields).await.expect(422);
        assert!(page.fault("person_id").is_some(), "{}", page.text());
    }
    let late = [("name", "Grace"), ("tag_serial", "V-1"), ("expected_until", "2026-02-01T08:00")];
    assert!(submit(&yard.app, cookie, CHECK_IN, &late).await.expect(422).fault("expected_until").is_some());
}

async fn a_visitor_who_was_here_before_is_chosen(app: TestApp) {
    let yard = Yard::new(app).await;
    let cookie = &yard.admin.cookie;
    check_in(&yard, "Grace", "V-1", "1").await;
    submit(&yard.app, cookie, "/visitors/1/check-out", &[]).await.expect(303);
    let page = open(&yard.app, cookie, "/visitors/1").await.expect(200);
    let again = page.links().into_iter().find(|link| link.starts_with(CHECK_IN)).unwrap();
    assert_eq!(again, "/visitors/check-in?person_id=5");
    let form = open(&yard.app, cookie, &again).await.expect(200);
    assert_eq!(form.field("person_id").as_deref(), Some("5"));
    let fields = [("person_id", "5"), ("tag_serial", "V-2"), ("worksite_id", "1")];
    submit(&yard.app, cookie, CHECK_IN, &fields).await.expect(303);
    assert_eq!(visit(&yard, 2).await["person"]["id"], 5);
    let twice = [("person_id", "5"), ("tag_serial", "V-3"), ("worksite_id", "1")];
    assert!(submit(&yard.app, cookie, CHECK_IN, &twice).await.expect(422).fault("person_id").is_some());
}

async fn times_are_those_of_the_site(app: TestApp) {
    let yard = Yard::new(app).await;
    let cookie = &yard.admin.cookie;
    let site = json!({
        "name": "Christmas Island", "colour": "#ff8800", "kind": "other", "time_zone": "Pacific/Kiritimati",
    });
    let made = yard.app.post("/api/v1/worksites").cookie(cookie).json(&site).send().await.expect(201);
    let site = made.json()["id"].to_string();
    // The site that is picked is proposed.
    let page = open(&yard.app, cookie, &format!("{CHECK_IN}?worksite_id={site}")).await.expect(200);
    assert_eq!(page.field("worksite_id").as_ref(), Some(&site));
    let fields = [
        ("name", "Grace"),
        ("tag_serial", "V-1"),
        ("worksite_id", site.as_str()),
        ("expected_until", "2026-03-02T10:00"),
    ];
    submit(&yard.app, cookie, CHECK_IN, &fields).await.expect(303);
    assert_eq!(visit(&yard, 1).await["expected_until"], "2026-03-01T20:00:00Z");
    let page = open(&yard.app, cookie, "/visitors/1").await.expect(200);
    assert!(page.says("10:00 Pacific/Kiritimati") && !page.says("Overdue"), "{}", page.text());
    assert_eq!(page.field("expected_until").as_deref(), Some("2026-03-02T10:00"));
    yard.app.clock.advance(Span::minutes(9 * 60));
    let later = yard.app.sign_in_new_user("later@example.com", Role::Admin).await;
    assert!(open(&yard.app, &later.cookie, PATH).await.expect(200).says("Overdue"));
}
