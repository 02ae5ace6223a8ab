//! /people: the list, and one person

use domain::{DeviceKind, PersonId, Role, Span};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use crate::console::{open, submit};
use crate::v1::incursions::Yard;

on_both_engines!(
    the_list_leads_to_people_and_their_incursions,
    on_foot_and_driving_stand_side_by_side,
    tags_and_their_tests_are_shown,
    a_visitor_has_visits,
    a_note_is_added_once,
    who_may_not_see_names_sees_numbers,
    archived_and_erased_people_say_so,
    what_the_api_hides_has_no_page,
    it_speaks_german_and_names_are_never_markup,
);

/// A yard in which Ada was met on foot three times by machine 1; Dan drove it twice.
async fn yard_with_three(app: TestApp) -> Yard {
    let yard = Yard::new(app).await;
    let mut rows: Vec<_> = [30, 60, 90].map(|minutes| yard.row(minutes, Some(1))).into();
    for row in &mut rows[..2] {
        row.attribution.operator = Some(PersonId(4));
        row.acknowledged_at = Some(row.started_at + Span::seconds(2));
    }
    rows[2].ended_at = None;
    yard.facts.add_incursions(rows).await;
    yard
}

async fn the_list_leads_to_people_and_their_incursions(app: TestApp) {
    let yard = yard_with_three(app).await;
    let cookie = &yard.admin.cookie;
    let page = open(&yard.app, cookie, "/people?sort=-incursions").await.expect(200);
    assert!(page.says("Ada") && page.says("Dan") && page.says("4 rows"), "{}", page.text());
    let links = page.links();
    for link in ["/people/1", "/incursions?person_id=1", "/people?sort=incursions", "/people?sort=name"] {
        assert!(links.iter().any(|found| found == link), "{link}: {links:?}");
    }
    let one = open(&yard.app, cookie, "/people?q=ad").await.expect(200);
    assert!(one.says("Ada") && !one.says("Bob"));
    let csv = yard.app.get("/people?format=csv").cookie(cookie).send().await.expect(200);
    assert_eq!(csv.text().lines().count(), 5);
}

async fn on_foot_and_driving_stand_side_by_side(app: TestApp) {
    let yard = yard_with_three(app).await;
    let ada = open(&yard.app, &yard.admin.cookie, "/people/1").await.expect(200);
    for words in [
        "On foot and driving",
        "On foot",
        "Driving",
        "2 of 3",
        "Lengths of the incursions",
        "5 to 15 s",
        "Without an end",
        "Machines met most",
        "Crane 1",
        "Acknowledgement score while driving",
        "There are no notes",
    ] {
        assert!(ada.says(words), "{words}: {}", ada.text());
    }
    let links = ada.links();
    for link in [
        "/incursions?pedestrian_id=1",
        "/incursions?operator_id=1",
        "/explore/incursions?person_id=1&min_duration_s=5&duration=5&max_duration_s=15",
        "/incursions?machine_id=1&person_id=1",
        "/machines/1",
        "/settings/people/1",
    ] {
        assert!(links.iter().any(|found| found == link), "{link}: {links:?}");
    }
    let dan = open(&yard.app, &yard.admin.cookie, "/people/4").await.expect(200);
    assert!(dan.says("2 of 2"), "{}", dan.text());
    // Nothing happened to Bob, which is said with the reason.
    let bob = open(&yard.app, &yard.admin.cookie, "/people/2").await.expect(200);
    assert!(bob.says("no incursions") && bob.says("No machine was met in this period"), "{}", bob.text());
    for kind in ["durations?person_id=1", "acknowledgement-score?operator_id=4"] {
        let path = format!("/charts/{kind}&theme=auto&width=405&height=260");
        let image = yard.app.get(&path).cookie(&yard.admin.cookie).send().await.expect(200);
        assert!(image.header("content-type").starts_with("image/svg+xml"), "{kind}");
    }
}

async fn tags_and_their_tests_are_shown(app: TestApp) {
    let yard = Yard::new(app).await;
    let token = yard.app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let test = |body: Value| yard.app.post("/api/v1/tester/tag_tests").bearer(&token).json(&body).send();
    let page = open(&yard.app, &yard.admin.cookie, "/people/1").await.expect(200);
    assert!(
        page.says("T-1") && page.says("Never tested") && page.says("There are no tests"),
        "{}",
        page.text()
    );
    yard.app.clock.advance(Span::minutes(1));
    test(json!({ "tag_serial": "T-1", "passed": true, "battery_percent": 87 })).await.expect(201);
    yard.app.clock.advance(Span::minutes(1));
    test(json!({ "tag_serial": "T-2", "passed": false })).await.expect(201);
    let ada = open(&yard.app, &yard.admin.cookie, "/people/1").await.expect(200);
    assert!(ada.says("87 %") && ada.says("Passed") && !ada.says("Not passed"), "{}", ada.text());
    assert!(ada.links().iter().any(|link| link == "/settings/tags/1"));
    // Tag 2 was Bob's before it was Cyd's, who wore it when it was tested.
    let cyd = open(&yard.app, &yard.admin.cookie, "/people/3").await.expect(200);
    assert!(cyd.says("Not passed"), "{}", cyd.text());
    let bob = open(&yard.app, &yard.admin.cookie, "/people/2").await.expect(200);
    assert!(bob.says("No tag is worn now") && bob.says("There are no tests") && bob.says("Tag T-2"));
}

async fn a_visitor_has_visits(app: TestApp) {
    let yard = Yard::new(app).await;
    let visit = json!({ "name": "Grace", "tag_serial": "V-1", "worksite_id": 1 });
    yard.app
        .post("/api/v1/visitor_sessions")
        .cookie(&yard.admin.cookie)
        .json(&visit)
        .send()
        .await
        .expect(201);
    let page = open(&yard.app, &yard.admin.cookie, "/people/5").await.expect(200);
    assert!(
        page.says("Visits of this person") && page.says("On site") && page.says("Visitor"),
        "{}",
        page.text()
    );
    assert!(page.links().iter().any(|link| link == "/visitors/1"), "{:?}", page.links());
    assert!(
        !open(&yard.app, &yard.admin.cookie, "/people/1").await.expect(200).says("Visits of this person")
    );
}

async fn a_note_is_added_once(app: TestApp) {
    let yard = Yard::new(app).await;
    let (cookie, path) = (&yard.admin.cookie, "/people/1/notes");
    let long = "x".repeat(4_001);
    let refused = submit(&yard.app, cookie, path, &[("note", long.as_str())]).await.expect(422);
    assert!(refused.fault("note").is_some());
    assert_eq!(refused.field("note").as_ref(), Some(&long));
    let fields = [("note", "Needs new boots"), ("_once", "person-note-0000000001")];
    for _ in 0..2 {
        let added = submit(&yard.app, cookie, path, &fields).await.expect(303);
        assert_eq!(added.location(), "/people/1#notes");
    }
    let page = open(&yard.app, cookie, "/people/1").await.expect(200);
    assert_eq!(page.text().matches("Needs new boots").count(), 1, "{}", page.text());
}

async fn who_may_not_see_names_sees_numbers(app: TestApp) {
    let yard = yard_with_three(app).await;
    let person = yard.app.patch("/api/v1/people/1").cookie(&yard.admin.cookie);
    person.json(&json!({ "company": "Hyrule", "employee_id": "E-4711" })).send().await.expect(200);
    submit(&yard.app, &yard.admin.cookie, "/people/1/notes", &[("note", "Seen in the woods")])
        .await
        .expect(303);
    let shown = open(&yard.app, &yard.admin.cookie, "/people/1").await.expect(200);
    assert!(shown.says("Hyrule") && shown.says("E-4711") && shown.says("Seen in the woods"));
    let viewer = yard.app.sign_in_new_user("vera@example.com", Role::Viewer).await;
    for path in ["/people", "/people/1"] {
        let page = open(&yard.app, &viewer.cookie, path).await.expect(200);
        assert!(page.says("Names are hidden from you") && page.says("Person 1"), "{path}: {}", page.text());
        let html = page.reply.text();
        for secret in ["Ada", "Hyrule", "E-4711", "Seen in the woods"] {
            assert!(!html.contains(secret), "{secret} in {path}: {html}");
        }
    }
    let page = open(&yard.app, &viewer.cookie, "/people/1").await.expect(200);
    assert_eq!(page.field("note"), None);
    assert!(!page.links().iter().any(|link| link == "/settings/people/1"));
    submit(&yard.app, &viewer.cookie, "/people/1/notes", &[("note", "x")]).await.expect(403);
}

async fn archived_and_erased_people_say_so(app: TestApp) {
    let yard = yard_with_three(app).await;
    let cookie = &yard.admin.cookie;
    yard.app.post("/api/v1/people/4/archive").cookie(cookie).send().await.expect(200);
    let archived = open(&yard.app, cookie, "/people/4").await.expect(200);
    assert!(archived.says("This person has been archived since") && archived.says("Archived"));
    let list = open(&yard.app, cookie, "/people?activity=archived").await.expect(200);
    assert!(list.says("Dan") && list.says("1 row"));
    yard.app.post("/api/v1/people/4/erase").cookie(cookie).send().await.expect(200);
    let erased = open(&yard.app, cookie, "/people/4").await.expect(200);
    assert!(erased.says("The personal data of this person was erased") && erased.says("Person 4"));
    assert!(!erased.reply.text().contains(">Dan<"), "{}", erased.reply.text());
    // The figures stay.
    assert!(erased.says("2 of 2"), "{}", erased.text());
}

async fn what_the_api_hides_has_no_page(app: TestApp) {
    let yard = yard_with_three(app).await;
    let stranger = yard.app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    open(&yard.app, &stranger.cookie, "/people/1").await.expect(404);
    submit(&yard.app, &stranger.cookie, "/people/1/notes", &[("note", "x")]).await.expect(404);
    assert!(open(&yard.app, &stranger.cookie, "/people").await.expect(200).says("There are no people yet"));
    for path in ["/people/x", "/people/99"] {
        open(&yard.app, &yard.admin.cookie, path).await.expect(404);
    }
    open(&yard.app, &yard.admin.cookie, "/people/1?colour=red").await.expect(400);
    // Who is restricted sees only what happened in their projects.
    let outside = yard.restricted("out@example.com", Role::Member, &[2]).await;
    let api = yard.app.get("/api/v1/people/1").cookie(&outside.cookie).send().await;
    let page = open(&yard.app, &outside.cookie, "/people/1").await;
    assert_eq!(page.reply.status, api.status);
    assert!(!page.says("2 of 3") && !page.says("Crane 1"), "{}", page.text());
}

async fn it_speaks_german_and_names_are_never_markup(app: TestApp) {
    let yard = yard_with_three(app).await;
    let cookie = &yard.admin.cookie;
    let name = "<img src=x onerror=\"alert(1)\"> & 'Co'";
    let change = yard.app.patch("/api/v1/people/1").cookie(cookie);
    change.json(&json!({ "name": name, "company": name })).send().await.expect(200);
    submit(&yard.app, cookie, "/people/1/notes", &[("note", name)]).await.expect(303);
    let german = json!({ "locale": "de-DE" });
    yard.app.patch("/api/v1/admin/brand").cookie(cookie).json(&german).send().await.expect(200);
    for (path, words) in [("/people", "Personen"), ("/people/1", "Zu Fuß und am Steuer")] {
        let page = open(&yard.app, cookie, path).await.expect(200);
        assert!(page.says(name) && page.says(words), "{path}: {}", page.text());
    }
}
