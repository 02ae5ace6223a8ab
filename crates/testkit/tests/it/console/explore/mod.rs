//! /explore: the pivot, and the incursions behind a number

mod exports;
mod views;

use domain::insights::Measure;
use domain::{Role, Span, Timestamp, Zone};
use serde_json::json;
use testkit::{Account, TestApp, on_both_engines};

use crate::console::{Page, open, submit};
use crate::v1::insights::{Yard, acknowledged, incursion, runtime};

on_both_engines!(
    names_lead_deeper_and_numbers_to_their_incursions,
    rows_columns_and_measures_come_from_the_address,
    every_number_has_its_incursions,
    rates_are_shaded_and_the_table_is_taken_along,
    a_file_has_all_rows_or_is_refused,
    who_is_restricted_sees_the_numbers_of_their_projects,
    it_speaks_german,
    names_are_never_markup,
    bad_parameters_are_refused,
);

/// A yard with incursions of crane 1 on 27 February: at 8 in the danger zone and acknowledged, at 8 and at 9 in the warning zone.
async fn yard_with_facts(app: TestApp) -> Yard {
    let yard = Yard::new(app).await;
    let mut danger = acknowledged(incursion(&yard, "2026-02-27T08:00:00Z", 10), 4);
    danger.zone = Zone::Danger;
    let others = [incursion(&yard, "2026-02-27T08:10:00Z", 20), incursion(&yard, "2026-02-27T09:00:00Z", 60)];
    yard.facts.add_incursions([vec![danger], others.into()].concat()).await;
    yard.facts.put_runtime(&[runtime("2026-02-27T08:00:00Z", 60), runtime("2026-02-27T09:00:00Z", 30)]).await;
    yard
}

async fn open_as_admin(yard: &Yard, path: &str) -> Page {
    open(&yard.app, &yard.admin.cookie, path).await
}

#[track_caller]
fn assert_link(page: &Page, link: &str) {
    let links = page.links();
    assert!(links.iter().any(|found| found == link), "{link}: {links:#?}");
}

async fn save(yard: &Yard, query: &str, name: &str) {
    let path = format!("/explore/views?{query}");
    submit(&yard.app, &yard.admin.cookie, &path, &[("name", name)]).await.expect(303);
}

/// Changes the reader's language to German.
pub async fn speak_german(app: &TestApp, user: &Account) {
    let path = "/api/v2/user_preferences";
    let found = app.get(path).bearer(&user.jwt).send().await.expect(200).json();
    let change = json!({ "data": {
        "type": "user_preferences", "id": found["data"]["id"], "attributes": { "language": "de" },
    } });
    let call = app.patch(path).bearer(&user.jwt).bytes("application/vnd.api+json", change.to_string());
    call.send().await.expect(200);
}

async fn names_lead_deeper_and_numbers_to_their_incursions(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let page = open_as_admin(&yard, "/explore").await.expect(200);
    for words in [
        "Incursions, Acknowledgement rate, Incursions per runtime hour by Worksite",
        "Site 1",
        "33.3 %",
        "2.00",
    ] {
        assert!(page.says(words), "{words}: {}", page.text());
    }
    assert_link(&page, "/incursions?worksite_id=1");
    assert_link(&page, "/incursions");
    let table = "measure=incursions&measure=acknowledgement_rate&measure=incursions_per_runtime_hour&sort=-incursions";
    let deeper = format!("/explore?worksite_id=1&row1=machine&{table}");
    assert_link(&page, &deeper);
    let machines = open_as_admin(&yard, &deeper).await.expect(200);
    assert!(machines.says("Crane 1"));
    assert_link(&machines, "/incursions?worksite_id=1&machine_id=1");
    let nothing = open_as_admin(&yard, "/explore?worksite_id=2").await.expect(200);
    assert!(nothing.says("No incursions and no runtime"));
    assert!(nothing.links().iter().any(|link| link.contains("period=365d")), "{:?}", nothing.links());
}

async fn rows_columns_and_measures_come_from_the_address(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let table = "row1=project&row2=machine&column1=zone&measure=incursions&measure=unacknowledged";
    let page =
        open_as_admin(&yard, &format!("/explore?period=90d&{table}&sort=-unacknowledged&limit=20")).await;
    let page = page.expect(200);
    for words in ["Project › Machine", "Danger", "Warning", "All", "Not acknowledged", "Project 1", "Total"]
    {
        assert!(page.says(words), "{words}: {}", page.text());
    }
    assert_link(&page, "/incursions?period=90d&project_id=1&machine_id=1&zone=warning&acknowledged=false");
    assert_link(&page, "/incursions?period=90d&zone=danger");
    // The form is filled with what the address says.
    for (name, value) in [
        ("row1", "project"),
        ("row2", "machine"),
        ("column1", "zone"),
        ("sort", "-unacknowledged"),
        ("limit", "20"),
    ] {
        assert_eq!(page.field(name).as_deref(), Some(value), "{name}");
    }
    assert_eq!(page.field("row3").as_deref(), Some(""));
    let inner = open_as_admin(&yard, &format!("/explore?{table}&totals=false")).await.expect(200);
    assert!(inner.says("Project 1 · Crane 1"), "{}", inner.text());
    assert!(page.reply.text().contains("class=\"total\"") && !inner.reply.text().contains("class=\"total\""));
    // A dimension that is chosen twice counts once, and an order by what is not shown is none.
    let twice = "/explore?row1=machine&row2=machine&column1=machine&measure=incursions&sort=-exposure";
    assert!(open_as_admin(&yard, twice).await.expect(200).says("Incursions by Machine"));
}

async fn every_number_has_its_incursions(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let weeks = open_as_admin(&yard, "/explore?row1=week&measure=incursions").await.expect(200);
    let week = "/incursions?period=custom&from=2026-02-23&to=2026-03-02";
    assert_link(&weeks, week);
    assert!(weeks.says("incomplete"));
    assert!(open_as_admin(&yard, week).await.expect(200).says("3 rows"));
    for (row, link, number, one) in [
        ("hour_of_day", "/explore/incursions?hour_of_day=8", "2 incursions", "/incursions/2"),
        ("day_of_week", "/explore/incursions?day_of_week=5", "3 incursions", "/incursions/1"),
        ("hour", "/explore/incursions?hour=2026-02-27T09%3A00", "1 incursion", "/incursions/3"),
        ("operator", "/explore/incursions?without=operator", "3 incursions", "/incursions/3"),
        ("person_kind", "/explore/incursions?person_kind=staff", "3 incursions", "/incursions/3"),
    ] {
        let page = open_as_admin(&yard, &format!("/explore?row1={row}&measure=incursions")).await.expect(200);
        assert_link(&page, link);
        let behind = open_as_admin(&yard, link).await.expect(200);
        assert!(behind.says(number) && behind.says("Crane 1"), "{link}: {}", behind.text());
        assert_link(&behind, one);
    }
    let both = "/explore/incursions?hour_of_day=8&zone=danger";
    let both = open_as_admin(&yard, both).await.expect(200);
    assert!(both.says("1 incursion") && both.says("Only: 08:00"), "{}", both.text());
}

async fn rates_are_shaded_and_the_table_is_taken_along(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let path = "/explore?row1=hour_of_day&measure=incursions&measure=acknowledgement_rate";
    let page = open_as_admin(&yard, path).await.expect(200);
    assert!(page.says("The more strongly a rate is shaded"));
    let html = page.reply.text();
    assert!(html.contains("class=\"n q0\"") && html.contains("class=\"n q2\""), "{html}");
    let csv = yard.app.get(&format!("{path}&format=csv")).cookie(&yard.admin.cookie).send().await.expect(200);
    assert!(csv.header("content-type").starts_with("text/csv"));
    let lines: Vec<String> = csv.text().lines().map(str::to_owned).collect();
    // Numbers that programs read, in every language.
    let expected =
        ["\"Hour of day\",\"Incursions\",\"Acknowledgement rate (0–1)\"", "\"08:00\",2,0.5", "\"09:00\",1,0"];
    assert_eq!(lines, expected);
}

async fn a_file_has_all_rows_or_is_refused(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let path = "/explore?row1=hour_of_day&measure=incursions&limit=1";
    let page = open_as_admin(&yard, path).await.expect(200);
    assert!(page.says("1 more row is not shown") && page.says("Take all rows along as CSV"));
    let csv = yard.app.get(&format!("{path}&format=csv")).cookie(&yard.admin.cookie).send().await.expect(200);
    assert_eq!(csv.text().lines().count(), 3, "{}", csv.text());
    // An hour of its own on each of many days: the square of them, times all measures, is more than can be computed.
    let first = Timestamp::parse("2025-10-01T08:00:00Z").unwrap();
    let days = (0..130).map(|day| (first + Span::minutes(day * 24 * 60)).to_string());
    yard.facts.add_incursions(days.map(|at| incursion(&yard, &at, 10)).collect()).await;
    let measures: Vec<String> =
        Measure::ALL.iter().map(|measure| format!("measure={}", measure.as_str())).collect();
    let wide = format!("/explore?period=365d&row1=day&column1=hour&{}", measures.join("&"));
    let shown = open_as_admin(&yard, &format!("{wide}&limit=5")).await.expect(200);
    assert!(shown.says("more rows are not shown") && !shown.says("A CSV has all rows"));
    let refused = open_as_admin(&yard, &format!("{wide}&limit=5&format=csv")).await.expect(422);
    assert!(refused.says("A CSV has all rows of a table") && refused.says("more rows are not shown"));
    let refused = open_as_admin(&yard, &format!("{wide}&limit=1000")).await.expect(422);
    assert!(refused.says("This table would be too large"), "{}", refused.text());
}

async fn who_is_restricted_sees_the_numbers_of_their_projects(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let outside = yard.restricted("out@example.com", Role::Member, &[2]).await;
    let page = open(&yard.app, &outside.cookie, "/explore").await.expect(200);
    assert!(page.says("No incursions and no runtime"));
    let page = open(&yard.app, &outside.cookie, "/explore?worksite_id=1").await.expect(200);
    assert!(page.says("do not exist or that you may not see: Worksite 1"), "{}", page.text());
    let behind = open(&yard.app, &outside.cookie, "/explore/incursions?hour_of_day=8").await.expect(200);
    assert!(behind.says("No incursions match"));
    // Names are for those who may see them.
    let viewer = yard.app.sign_in_new_user("vera@example.com", Role::Viewer).await;
    let path = "/explore?row1=pedestrian&measure=incursions";
    assert!(!open(&yard.app, &viewer.cookie, path).await.expect(200).says("Ada"));
    assert!(open_as_admin(&yard, path).await.expect(200).says("Ada"));
}

async fn it_speaks_german(app: TestApp) {
    let yard = yard_with_facts(app).await;
    speak_german(&yard.app, &yard.admin).await;
    let page =
        open_as_admin(&yard, "/explore?row1=zone&column1=day_of_week&measure=acknowledgement_rate").await;
    let page = page.expect(200);
    for words in [
        "Auswertung",
        "Quittierungsquote nach Zone, Wochentag",
        "Gefahrenzone",
        "Freitag",
        "33,3 %",
        "Gesamt",
    ] {
        assert!(page.says(words), "{words}: {}", page.text());
    }
    assert!(open_as_admin(&yard, "/explore/exports").await.expect(200).says("Noch keine Exporte"));
    assert!(open_as_admin(&yard, "/explore/views").await.expect(200).says("Noch keine Ansicht gespeichert"));
}

async fn names_are_never_markup(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let name = "<img src=x onerror=\"alert(1)\"> & 'Co'";
    let change = yard.app.patch("/api/v1/machines/1").cookie(&yard.admin.cookie);
    change.json(&json!({ "name": name })).send().await.expect(200);
    save(&yard, "row1=machine&column1=pedestrian&measure=incursions", name).await;
    let to = open_as_admin(&yard, "/explore/views/1").await.expect(303).location();
    for path in [to.as_str(), "/explore/views", "/explore/incursions?hour_of_day=8", "/explore?machine_id=1"]
    {
        assert!(open_as_admin(&yard, path).await.expect(200).says(name), "{path}");
    }
}

async fn bad_parameters_are_refused(app: TestApp) {
    let yard = Yard::new(app).await;
    for path in [
        "/explore?row1=colour",
        "/explore?measure=speed",
        "/explore?rows=machine",
        "/explore?limit=0",
        "/explore?totals=perhaps",
        "/explore?format=pdf",
        "/explore/incursions?hour_of_day=24",
        "/explore/incursions?without=colour",
        "/explore/views?sort=owner",
    ] {
        open_as_admin(&yard, path).await.expect(400);
    }
    // A chart names the parameter as its address has it.
    let mixed = "/charts/trends?measure=incursions&measure=acknowledgement_rate";
    let page = open_as_admin(&yard, mixed).await.expect(400);
    assert!(page.says("measure: ") && !page.says("metric"), "{}", page.text());
    for path in ["/explore/views/9", "/explore/exports/9", "/explore/exports/9/file", "/explore/views/x"] {
        open_as_admin(&yard, path).await.expect(404);
    }
}
