//! /incursions: the list and the review of one

use domain::{Role, Span, Zone};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use crate::console::{Page, open, submit};
use crate::v1::incursions::Yard;

on_both_engines!(
    the_list_is_filtered_and_leads_to_its_incursions,
    records_that_links_filter_by_are_named,
    a_machine_is_chosen_in_the_form,
    people_and_devices_are_chosen_by_part_of_their_name,
    what_can_mean_several_is_asked_back,
    a_whole_name_is_found_among_many_that_contain_it,
    who_does_not_see_names_finds_nobody_by_name,
    the_list_is_paged_and_taken_along,
    a_file_that_has_not_all_rows_says_so,
    a_review_leads_to_the_next_of_the_list,
    a_review_is_undone,
    undoing_a_review_keeps_the_list,
    a_list_that_cannot_be_sorted_takes_nothing_away,
    a_form_that_is_sent_twice_reviews_once,
    faults_and_stale_reviews_are_shown,
    who_may_not_review_only_reads,
    other_projects_and_brands_do_not_exist,
    names_are_never_markup,
);

/// A yard with three incursions, of which the second one, an hour ago, was in the danger zone.
async fn yard_with_three(app: TestApp) -> Yard {
    let yard = Yard::new(app).await;
    let mut rows: Vec<_> = [30, 60, 90].map(|minutes| yard.row(minutes, Some(1))).into();
    rows[1].zone = Zone::Danger;
    rows[1].acknowledged_at = Some(rows[1].started_at + Span::seconds(4));
    yard.facts.add_incursions(rows).await;
    yard
}

async fn the_list_is_filtered_and_leads_to_its_incursions(app: TestApp) {
    let yard = yard_with_three(app).await;
    let page = open(&yard.app, &yard.admin.cookie, "/incursions").await.expect(200);
    assert!(page.says("Crane 1") && page.says("Ada") && page.says("Site 1") && page.says("3 rows"));
    let links = page.links();
    for link in ["/incursions/1", "/incursions/2", "/incursions/3", "/machines/1", "/people/1"] {
        assert!(links.iter().any(|found| found == link), "{link}: {links:?}");
    }
    let path = "/incursions?zone=danger&machine_id=1";
    let danger = open(&yard.app, &yard.admin.cookie, path).await.expect(200);
    let links = danger.links();
    assert!(links.iter().any(|link| link == "/incursions/2?zone=danger&machine_id=1"), "{links:?}");
    assert!(!links.iter().any(|link| link.starts_with("/incursions/1")), "{links:?}");
    assert!(danger.says("Machine: Crane 1") && danger.says("1 row"));
    let none = open(&yard.app, &yard.admin.cookie, "/incursions?min_duration_s=600").await.expect(200);
    assert!(none.says("No incursions match"));
    open(&yard.app, &yard.admin.cookie, "/incursions?zone=red").await.expect(400);
}

async fn records_that_links_filter_by_are_named(app: TestApp) {
    let yard = yard_with_three(app).await;
    let path = "/incursions?pedestrian_id=1&tag_id=1&base_station_id=1&operator_id=99";
    let page = open(&yard.app, &yard.admin.cookie, path).await.expect(200);
    for words in ["Pedestrian: Ada", "Tag: T-1", "Base station: BS-1", "Operator: 99"] {
        assert!(page.says(words), "{words}: {}", page.text());
    }
    let vic = yard.app.sign_in_new_user("vic@example.com", Role::Viewer).await;
    let page = open(&yard.app, &vic.cookie, path).await.expect(200);
    assert!(page.says("Pedestrian: ") && !page.says("Ada"), "{}", page.text());
}

/// Returns the form of the filters.
fn filters_of(page: &Page) -> String {
    let html = page.reply.text();
    let form = html.split("class=\"filters\"").nth(1).and_then(|rest| rest.split("</form>").next());
    form.unwrap().to_owned()
}

async fn a_machine_is_chosen_in_the_form(app: TestApp) {
    let yard = yard_with_three(app).await;
    let page = open(&yard.app, &yard.admin.cookie, "/incursions?machine_id=1").await.expect(200);
    let form = filters_of(&page);
    assert!(form.contains("<option value=\"1\" selected=\"selected\""), "{form}");
    // What the form sends names the machine once.
    assert_eq!(form.matches("name=\"machine_id\"").count(), 1, "{form}");
    let other = "/incursions?machine_id=2&worksite_kind=other";
    let none = open(&yard.app, &yard.admin.cookie, other).await.expect(200);
    assert!(none.says("Machine: Crane 2") && none.says("No incursions match"), "{}", none.text());
    let form = filters_of(&none);
    assert!(form.contains("name=\"worksite_kind\" value=\"other\" checked"), "{form}");
    let kinds = open(&yard.app, &yard.admin.cookie, "/incursions?worksite_kind=other").await.expect(200);
    assert!(kinds.says("3 rows"), "{}", kinds.text());
    // Several that a link names are kept.
    let both = "/incursions?machine_id=1&machine_id=2";
    let both = open(&yard.app, &yard.admin.cookie, both).await.expect(200);
    assert!(both.says("Machine: Crane 1, Crane 2") && both.says("3 rows"), "{}", both.text());
    let form = filters_of(&both);
    assert_eq!(form.matches("type=\"hidden\" name=\"machine_id\"").count(), 2, "{form}");
}

/// Returns the names that a field suggests, with what distinguishes them.
async fn suggested(app: &TestApp, cookie: &str, field: &str, q: &str) -> Value {
    let path = format!("/incursions/suggestions?field={field}&q={q}");
    app.get(&path).cookie(cookie).send().await.expect(200).json()
}

async fn people_and_devices_are_chosen_by_part_of_their_name(app: TestApp) {
    let yard = yard_with_three(app).await;
    let (app, cookie) = (&yard.app, &yard.admin.cookie);
    let path = "/incursions?zone=danger&find_pedestrian=ad&find_base_station=bs-1&find_tag=T-1&limit=5";
    let found = open(app, cookie, path).await.expect(303).location();
    assert_eq!(found, "/incursions?zone=danger&pedestrian_id=1&tag_id=1&base_station_id=1");
    let page = open(app, cookie, &found).await.expect(200);
    for words in ["Pedestrian: Ada", "Tag: T-1", "Base station: BS-1", "1 row"] {
        assert!(page.says(words), "{words}: {}", page.text());
    }
    // A second person is added to the first, and the first is not added twice.
    let added = open(app, cookie, "/incursions?person_id=1&find_person=B%C3%B6b").await.expect(303);
    assert_eq!(added.location(), "/incursions?person_id=1&person_id=2");
    let same = open(app, cookie, "/incursions?person_id=1&find_person=Ada").await.expect(303);
    assert_eq!(same.location(), "/incursions?person_id=1");
    let blank = open(app, cookie, "/incursions?find_person=+&find_tag=").await.expect(200);
    assert!(blank.says("3 rows"), "{}", blank.text());
    // Who has left is found as well.
    app.post("/api/v1/people/4/archive").cookie(cookie).send().await.expect(200);
    let left = open(app, cookie, "/incursions?find_operator=dan").await.expect(303);
    assert_eq!(left.location(), "/incursions?operator_id=4");
    assert_eq!(suggested(app, cookie, "find_tag", "t-1").await, json!([{ "name": "T-1", "detail": "Ada" }]));
    let station = json!([{ "name": "BS-2", "detail": null }]);
    assert_eq!(suggested(app, cookie, "find_base_station", "2").await, station);
    for query in ["q=a", "field=find_tag", "field=zone&q=a"] {
        let path = format!("/incursions/suggestions?{query}");
        app.get(&path).cookie(cookie).send().await.expect(400);
    }
}

async fn what_can_mean_several_is_asked_back(app: TestApp) {
    let yard = yard_with_three(app).await;
    let (app, cookie) = (&yard.app, &yard.admin.cookie);
    let person = json!({ "kind": "staff", "name": "Adam", "company": "Acme" });
    app.post("/api/v1/people").cookie(cookie).json(&person).send().await.expect(201);
    let asked = open(app, cookie, "/incursions?zone=danger&find_person=ad&find_tag=none").await.expect(200);
    assert!(asked.says("which one do you mean by “ad”?") && asked.says("Adam (Acme)"), "{}", asked.text());
    assert_eq!(
        asked.fault("find_tag").as_deref(),
        Some("Nothing matches. Check the spelling, or write less.")
    );
    assert!(asked.fault("find_person").is_some_and(|fault| fault.starts_with("Several match.")));
    assert_eq!(asked.field("find_person").as_deref(), Some("ad"));
    // The first field about which something is asked has the focus; names are not kept by the browser.
    let form = filters_of(&asked);
    let person = form.split("name=\"find_person\"").nth(1).and_then(|rest| rest.split("/>").next()).unwrap();
    for attribute in ["autofocus=", "autocomplete=\"off\"", "maxlength=\"100\"", "search-hint"] {
        assert!(person.contains(attribute), "{attribute}: {person}");
    }
    assert_eq!(form.matches("autofocus=").count(), 1, "{form}");
    assert_eq!(asked.field("zone").as_deref(), Some("danger"));
    // A list would not be the one that was asked for.
    assert!(!asked.says("1 row"), "{}", asked.text());
    let links = asked.links();
    let adam = "/incursions?zone=danger&find_tag=none&person_id=5";
    assert!(links.iter().any(|link| link == adam), "{links:?}");
    // The whole name of one is not part of another's.
    let ada = open(app, cookie, "/incursions?find_person=ada").await.expect(303);
    assert_eq!(ada.location(), "/incursions?person_id=1");
    assert_eq!(
        suggested(app, cookie, "find_person", "ad").await,
        json!([{ "name": "Ada", "detail": null }, { "name": "Adam", "detail": "Acme" }])
    );
    let stranger = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    assert_eq!(suggested(app, &stranger.cookie, "find_person", "ad").await, json!([]));
}

/// However many names contain what was written, the one that is it is found, and a suggestion that is one of many is said to be so.
async fn a_whole_name_is_found_among_many_that_contain_it(app: TestApp) {
    let yard = yard_with_three(app).await;
    let (app, cookie) = (&yard.app, &yard.admin.cookie);
    for number in 1..=31 {
        let person = json!({ "kind": "staff", "name": format!("Alina {number}") });
        app.post("/api/v1/people").cookie(cookie).json(&person).send().await.expect(201);
    }
    let lin = json!({ "kind": "staff", "name": "Lin" });
    let lin = app.post("/api/v1/people").cookie(cookie).json(&lin).send().await.expect(201).json();
    let found = open(app, cookie, "/incursions?find_person=L%C3%ADn").await.expect(303);
    assert_eq!(found.location(), format!("/incursions?person_id={}", lin["id"]));
    assert_eq!(suggested(app, cookie, "find_person", "lin").await[0]["name"], "Lin");
    let asked = open(app, cookie, "/incursions?find_person=alin").await.expect(200);
    assert!(asked.says("There are more. Write more to see them."), "{}", asked.text());
    // A base station is found by its name as well, however its serial is sorted.
    for (id, name) in [(1, "Gate north"), (2, "Gate")] {
        let station = app.patch(&format!("/api/v1/base_stations/{id}")).cookie(cookie);
        station.json(&json!({ "name": name })).send().await.expect(200);
    }
    let gate = open(app, cookie, "/incursions?find_base_station=gate").await.expect(303);
    assert_eq!(gate.location(), "/incursions?base_station_id=2");
    let both = json!([{ "name": "BS-2", "detail": "Gate" }, { "name": "BS-1", "detail": "Gate north" }]);
    assert_eq!(suggested(app, cookie, "find_base_station", "gate").await, both);
    // Stations of other projects are not found.
    let outside = yard.restricted("out@example.com", Role::Member, &[2]).await;
    assert_eq!(suggested(app, &outside.cookie, "find_base_station", "gate+north").await, json!([]));
}

async fn who_does_not_see_names_finds_nobody_by_name(app: TestApp) {
    let yard = yard_with_three(app).await;
    let vic = yard.app.sign_in_new_user("vic@example.com", Role::Viewer).await;
    let (app, cookie) = (&yard.app, &vic.cookie);
    let asked = open(app, cookie, "/incursions?find_person=Ada").await.expect(200);
    assert!(asked.fault("find_person").is_some_and(|fault| fault.starts_with("Nothing matches.")));
    assert!(asked.says("such as “Person 12”"), "{}", asked.text());
    assert_eq!(suggested(app, cookie, "find_person", "ada").await, json!([]));
    let found = open(app, cookie, "/incursions?find_person=person+1").await.expect(303);
    assert_eq!(found.location(), "/incursions?person_id=1");
    let tag = json!([{ "name": "T-1", "detail": "Person 1" }]);
    assert_eq!(suggested(app, cookie, "find_tag", "t-1").await, tag);
}

async fn the_list_is_paged_and_taken_along(app: TestApp) {
    let yard = yard_with_three(app).await;
    let page = open(&yard.app, &yard.admin.cookie, "/incursions?limit=2").await.expect(200);
    let next = page.links().into_iter().find(|link| link.contains("cursor=")).unwrap();
    let last = open(&yard.app, &yard.admin.cookie, &next).await.expect(200);
    assert!(last.links().iter().any(|link| link == "/incursions/3"), "{:?}", last.links());
    let csv = yard.app.get("/incursions?limit=2&format=csv").cookie(&yard.admin.cookie).send().await;
    let csv = csv.expect(200);
    assert!(csv.header("content-type").starts_with("text/csv"));
    assert_eq!(csv.text().lines().count(), 4);
    let text = csv.text();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("\"Started\",") && lines[0].contains(" (s)\""), "{text}");
    assert!(lines[1].starts_with("2026-") && lines[1].contains("Z,"), "{text}");
}

async fn a_file_that_has_not_all_rows_says_so(app: TestApp) {
    let yard = Yard::new(app).await;
    // One more than a file may have; the fifth of them took longest.
    let mut rows: Vec<_> = (1..=10_001).map(|minutes| yard.row(minutes, Some(1))).collect();
    rows[4].ended_at = Some(rows[4].started_at + Span::minutes(9));
    rows[4].zone = Zone::Danger;
    for part in rows.chunks(2_000) {
        yard.facts.add_incursions(part.to_vec()).await;
    }
    let (app, cookie) = (&yard.app, &yard.admin.cookie);
    let page = open(app, cookie, "/incursions?machine_id=1").await.expect(200);
    assert!(page.says("Take the first 10,000 of 10,001 rows along as CSV"), "{}", page.text());
    let export = "/explore/exports?machine_id=1#export";
    assert!(page.links().iter().any(|link| link == export), "{:?}", page.links());
    let few = open(app, cookie, "/incursions?zone=danger").await.expect(200);
    assert!(few.says("Take along as CSV") && !few.says("An export has all"), "{}", few.text());
    let file = async |path: &str| {
        let reply = app.get(path).cookie(cookie).send().await.expect(200);
        let lines: Vec<String> = reply.text().lines().map(str::to_owned).collect();
        (reply.header("content-disposition").to_owned(), lines)
    };
    let (name, lines) = file("/incursions?sort=-duration_ms&format=csv").await;
    assert_eq!(name, "attachment; filename=\"incursions-incomplete.csv\"");
    assert_eq!(lines.len(), 10_001);
    assert!(lines[1].contains("Danger") && !lines[2].contains("Danger"), "{}", lines[1]);
    let (name, lines) = file("/incursions?zone=danger&format=csv").await;
    assert_eq!((name.as_str(), lines.len()), ("attachment; filename=\"incursions.csv\"", 2));
    // The incursions behind a number are selected among the newest.
    let behind = open(app, cookie, "/explore/incursions?without=operator").await.expect(200);
    for words in ["Only the newest 10,000", "500 of 10,000 rows", "Take along as CSV, incomplete"] {
        assert!(behind.says(words), "{words}: {}", behind.text());
    }
    let (name, lines) = file("/explore/incursions?without=operator&format=csv").await;
    assert_eq!(name, "attachment; filename=\"incursions-incomplete.csv\"");
    assert_eq!(lines.len(), 10_001);
}

async fn a_review_leads_to_the_next_of_the_list(app: TestApp) {
    let yard = yard_with_three(app).await;
    let page = open(&yard.app, &yard.admin.cookie, "/incursions/2?machine_id=1").await.expect(200);
    assert!(page.says("Danger") && page.says("in the cab after") && page.says("Not reviewed yet"));
    // A video that plays is not replaced when the list of clips changes.
    let html = page.reply.text();
    assert!(html.contains("<div data-live=\"player\"></div>") && html.contains("<div data-live=\"clips\""));
    let links = page.links();
    assert!(links.iter().any(|link| link == "/incursions/1?machine_id=1"), "{links:?}");
    assert!(links.iter().any(|link| link == "/incursions/3?machine_id=1"), "{links:?}");
    let version = page.field("_version").unwrap();
    let fields = [("state", "dismissed"), ("comment", "Loading bay"), ("_version", version.as_str())];
    let path = "/incursions/2/review?machine_id=1";
    let to = submit(&yard.app, &yard.admin.cookie, path, &fields).await.expect(303).location();
    assert_eq!(to, "/incursions/3?machine_id=1");
    let shown = open(&yard.app, &yard.admin.cookie, "/incursions/2").await.expect(200);
    assert!(shown.says("Dismissed") && shown.says("Loading bay") && shown.says("it was reviewed"));
    // After the last one comes the list.
    let fields = [("state", "confirmed"), ("comment", "")];
    let last = submit(&yard.app, &yard.admin.cookie, "/incursions/3/review", &fields).await.expect(303);
    assert_eq!(last.location(), "/incursions");
}

async fn a_review_is_undone(app: TestApp) {
    let yard = yard_with_three(app).await;
    let cookie = &yard.admin.cookie;
    for state in ["confirmed", "dismissed"] {
        submit(&yard.app, cookie, "/incursions/1/review", &[("state", state)]).await.expect(303);
    }
    let undo = "/incursions/1/review/undo";
    assert_eq!(submit(&yard.app, cookie, undo, &[]).await.expect(303).location(), "/incursions/1");
    let path = "/api/v1/incursions/1";
    let record = yard.app.get(path).cookie(cookie).send().await.expect(200).json();
    assert_eq!(record["review"]["state"], "confirmed");
    assert_eq!(record["reviews"].as_array().map(Vec::len), Some(3));
    // Nobody undoes what somebody else said.
    let member = yard.app.sign_in_new_user("mem@example.com", Role::Member).await;
    submit(&yard.app, &member.cookie, undo, &[]).await.expect(303);
    let again = yard.app.get(path).cookie(cookie).send().await.expect(200).json();
    assert_eq!(again["seq"], record["seq"]);
}

async fn undoing_a_review_keeps_the_list(app: TestApp) {
    let yard = yard_with_three(app).await;
    let cookie = &yard.admin.cookie;
    let path = "/incursions/1/review?machine_id=1&sort=started_at";
    submit(&yard.app, cookie, path, &[("state", "confirmed")]).await.expect(303);
    let next = yard.app.get("/incursions/2?machine_id=1&sort=started_at").header("accept", "text/html");
    let next = next.cookie(cookie).header("cookie", "keepclear_done=incursion-reviewed:1");
    let next = Page { reply: next.send().await }.expect(200);
    let undo = "/incursions/1/review/undo?machine_id=1&sort=started_at";
    assert!(next.says("Undo") && next.reply.text().contains(&undo.replace('&', "&#38;")));
    let undone = submit(&yard.app, cookie, undo, &[]).await.expect(303);
    assert_eq!(undone.location(), "/incursions/1?machine_id=1&sort=started_at");
}

async fn a_list_that_cannot_be_sorted_takes_nothing_away(app: TestApp) {
    let yard = yard_with_three(app).await;
    let small = yard.app.second_instance_with(|config| config.analytics.max_sorted_incursions = 2).await;
    let cookie = &yard.admin.cookie;
    let list = "period=365d&sort=-duration_ms";
    let sorted = small.get("/api/v1/incursions?from=2025-06-01&sort=-duration_ms").cookie(cookie);
    sorted.send().await.expect(400);
    let page = open(&small, cookie, &format!("/incursions/2?{list}")).await.expect(200);
    assert!(page.says("Crane 1") && !page.reply.text().contains("rel=\"next\""));
    let path = format!("/incursions/2/review?{list}");
    let saved = submit(&small, cookie, &path, &[("state", "confirmed")]).await.expect(303);
    // The list would not open; the incursion does.
    assert_eq!(saved.location(), format!("/incursions/2?{list}"));
    let shown = open(&small, cookie, &saved.location()).await.expect(200);
    assert!(shown.says("Confirmed"), "{}", shown.text());
}

async fn a_form_that_is_sent_twice_reviews_once(app: TestApp) {
    let yard = yard_with_three(app).await;
    let page = open(&yard.app, &yard.admin.cookie, "/incursions/1").await.expect(200);
    let once = page.field("_once").unwrap();
    let fields = [("state", "confirmed"), ("comment", "Seen"), ("_once", once.as_str())];
    for _ in 0..2 {
        submit(&yard.app, &yard.admin.cookie, "/incursions/1/review", &fields).await.expect(303);
    }
    let record = yard.app.get("/api/v1/incursions/1").cookie(&yard.admin.cookie).send().await.expect(200);
    assert_eq!(record.json()["reviews"].as_array().map(Vec::len), Some(1));
}

async fn faults_and_stale_reviews_are_shown(app: TestApp) {
    let yard = yard_with_three(app).await;
    let (cookie, path) = (&yard.admin.cookie, "/incursions/1/review");
    let long = "x".repeat(4_001);
    let fields = [("state", "confirmed"), ("comment", long.as_str())];
    let page = submit(&yard.app, cookie, path, &fields).await.expect(422);
    assert!(page.fault("comment").is_some() && page.field("comment").as_ref() == Some(&long));
    submit(&yard.app, cookie, path, &[("state", "seen")]).await.expect(422);
    let version = open(&yard.app, cookie, "/incursions/1").await.expect(200).field("_version").unwrap();
    let fields = [("state", "confirmed"), ("comment", "First"), ("_version", version.as_str())];
    submit(&yard.app, cookie, path, &fields).await.expect(303);
    let fields = [("state", "dismissed"), ("comment", "Second"), ("_version", version.as_str())];
    let stale = submit(&yard.app, cookie, path, &fields).await.expect(412);
    assert_eq!(stale.field("comment").as_deref(), Some("Second"));
}

async fn who_may_not_review_only_reads(app: TestApp) {
    let yard = yard_with_three(app).await;
    let viewer = yard.app.sign_in_new_user("vera@example.com", Role::Viewer).await;
    let page = open(&yard.app, &viewer.cookie, "/incursions/1").await.expect(200);
    assert!(page.says("does not review them") && !page.says("Ask for the video") && !page.says("Ada"));
    assert_eq!(page.field("comment"), None);
    submit(&yard.app, &viewer.cookie, "/incursions/1/review", &[("state", "confirmed")]).await.expect(403);
}

async fn other_projects_and_brands_do_not_exist(app: TestApp) {
    let yard = yard_with_three(app).await;
    let outside = yard.restricted("out@example.com", Role::Member, &[2]).await;
    let stranger = yard.app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    for cookie in [&outside.cookie, &stranger.cookie] {
        open(&yard.app, cookie, "/incursions/1").await.expect(404);
        submit(&yard.app, cookie, "/incursions/1/review", &[("state", "confirmed")]).await.expect(404);
        assert!(open(&yard.app, cookie, "/incursions").await.expect(200).says("No incursions match"));
    }
    open(&yard.app, &yard.admin.cookie, "/incursions/x").await.expect(404);
}

async fn names_are_never_markup(app: TestApp) {
    let yard = yard_with_three(app).await;
    let name = "<img src=x onerror=\"alert(1)\"> & 'Co'";
    let change = yard.app.patch("/api/v1/machines/1").cookie(&yard.admin.cookie);
    change.json(&json!({ "name": name })).send().await.expect(200);
    submit(
        &yard.app,
        &yard.admin.cookie,
        "/incursions/1/review",
        &[("state", "confirmed"), ("comment", name)],
    )
    .await
    .expect(303);
    for _ in 0..2 {
        let person = yard.app.post("/api/v1/people").cookie(&yard.admin.cookie);
        person.json(&json!({ "kind": "staff", "name": name })).send().await.expect(201);
    }
    for path in ["/incursions?machine_id=1", "/incursions?find_person=%3Cimg", "/incursions/1"] {
        assert!(open(&yard.app, &yard.admin.cookie, path).await.expect(200).says(name), "{path}");
    }
}
