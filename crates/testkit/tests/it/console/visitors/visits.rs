//! /visitors/{id}: one visit, and the visits that ended

use domain::{BaseStationId, Span, TagId};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{check_in, visit};
use crate::console::{open, submit};
use crate::v1::incursions::Yard;

on_both_engines!(
    a_correction_keeps_what_was_not_touched,
    the_incursions_of_a_visit_are_those_of_its_time,
    the_history_is_filtered_paged_and_taken_along,
);

async fn a_correction_keeps_what_was_not_touched(app: TestApp) {
    let yard = Yard::new(app).await;
    let cookie = &yard.admin.cookie;
    check_in(&yard, "Grace", "V-1", "1").await;
    yard.app.clock.advance(Span::minutes(30));
    submit(&yard.app, cookie, "/visitors/1/check-out", &[]).await.expect(303);
    let before = visit(&yard, 1).await;
    let page = open(&yard.app, cookie, "/visitors/1").await.expect(200);
    let value = |name: &str| page.field(name).unwrap_or_else(|| panic!("{name}: {}", page.text()));
    let (came, left, version) = (value("checked_in_at"), value("checked_out_at"), value("_version"));
    // Inputs have no seconds, but the times have.
    let stored = before["checked_in_at"].as_str().unwrap();
    assert!(stored.starts_with(&came) && !stored.ends_with(":00Z"), "{stored} {came}");
    let fields = |came: &str, left: &str, company: &str, version: &str| {
        [
            ("checked_in_at", came.to_owned()),
            ("checked_out_at", left.to_owned()),
            ("expected_until", String::new()),
            ("worksite_id", "1".to_owned()),
            ("company", company.to_owned()),
            ("notes", String::new()),
            ("_version", version.to_owned()),
        ]
    };
    let send = async |fields: [(&str, String); 7]| {
        let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        submit(&yard.app, cookie, "/visitors/1", &fields).await
    };
    let saved = send(fields(&came, &left, "Plums & Co", &version)).await.expect(303);
    assert_eq!(saved.location(), "/visitors/1");
    let after = visit(&yard, 1).await;
    assert_eq!(after["company"], "Plums & Co");
    for field in ["checked_in_at", "checked_out_at", "expected_until", "worksite"] {
        assert_eq!(after[field], before[field], "{field}");
    }
    let stale = send(fields(&came, &left, "Other", &version)).await.expect(412);
    assert_eq!(stale.field("company").as_deref(), Some("Other"));
    let version = open(&yard.app, cookie, "/visitors/1").await.expect(200).field("_version").unwrap();
    let wrong = send(fields(&came, "2026-03-01T08:00", "Other", &version)).await.expect(422);
    assert!(wrong.fault("checked_out_at").is_some(), "{}", wrong.text());
    assert!(send(fields("", &left, "", &version)).await.expect(422).fault("checked_in_at").is_some());
    // A worn tag cannot have been handed out before it existed, so that only the end moves.
    send(fields(&came, "2026-03-01T12:20", "", &version)).await.expect(303);
    let moved = visit(&yard, 1).await;
    assert_eq!((&moved["checked_out_at"], &moved["company"]), (&json!("2026-03-01T12:20:00Z"), &json!(null)));
    assert_eq!(moved["checked_in_at"], before["checked_in_at"]);
}

async fn the_incursions_of_a_visit_are_those_of_its_time(app: TestApp) {
    let yard = Yard::new(app).await;
    let cookie = &yard.admin.cookie;
    yard.app.clock.advance(Span::minutes(60));
    check_in(&yard, "Grace", "T-3", "1").await;
    yard.app.clock.advance(Span::minutes(30));
    let row = |minutes_ago: i64| {
        let started_at = yard.app.clock.now() - Span::minutes(minutes_ago);
        let mut row = yard.facts.incursion(BaseStationId(1), TagId(3), started_at);
        row.attribution = yard.row(minutes_ago, Some(1)).attribution;
        row
    };
    // One before the visit, two during it, and one of another tag.
    let rows = vec![row(45), row(20), row(10), yard.row(15, Some(1))];
    yard.facts.add_incursions(rows).await;
    submit(&yard.app, cookie, "/visitors/1/check-out", &[]).await.expect(303);
    let page = open(&yard.app, cookie, "/visitors/1").await.expect(200);
    assert!(
        page.says("Incursions of this visit") && page.says("2 rows") && page.says("Crane 1"),
        "{}",
        page.text()
    );
    let links = page.links();
    for (link, is_listed) in [("/incursions/1", false), ("/incursions/2", true), ("/incursions/4", false)] {
        assert_eq!(links.iter().any(|found| found == link), is_listed, "{link}: {links:?}");
    }
    // The list of incursions has the same ones.
    let list = links.iter().find(|link| link.starts_with("/incursions?tag_id=3")).unwrap();
    assert!(open(&yard.app, cookie, list).await.expect(200).says("2 rows"), "{list}");
    check_in(&yard, "Ida", "V-2", "1").await;
    let other = open(&yard.app, cookie, "/visitors/2").await.expect(200);
    assert!(other.says("There were no incursions during this visit"));
}

async fn the_history_is_filtered_paged_and_taken_along(app: TestApp) {
    let yard = Yard::new(app).await;
    let cookie = &yard.admin.cookie;
    for (name, tag, site) in [("Grace", "V-1", "1"), ("Ida", "V-2", "2"), ("Joan", "V-3", "")] {
        check_in(&yard, name, tag, site).await;
        yard.app.clock.advance(Span::minutes(5));
    }
    let page = open(&yard.app, cookie, "/visitors?worksite_id=2").await.expect(200);
    assert!(
        page.says("One visitor on site")
            && page.says("Ida")
            && page.links().contains(&"/visitors/2?worksite_id=2".to_owned())
    );
    let on_site = |page: &str| page.contains("data-stay");
    let nobody = open(&yard.app, cookie, "/visitors?project_id=1&worksite_id=2").await.expect(200);
    assert!(nobody.says("Nobody is on site") && !on_site(&nobody.reply.text()));
    for id in 1..=3 {
        submit(&yard.app, cookie, &format!("/visitors/{id}/check-out"), &[]).await.expect(303);
    }
    let of_project = open(&yard.app, cookie, "/visitors?project_id=1").await.expect(200);
    assert!(
        of_project.links().iter().any(|link| link == "/visitors/1?project_id=1"),
        "{:?}",
        of_project.links()
    );
    assert!(of_project.says("1 row"), "{}", of_project.text());
    let first = open(&yard.app, cookie, "/visitors?limit=2&sort=checked_in_at").await.expect(200);
    let next = first.links().into_iter().find(|link| link.contains("cursor=")).unwrap();
    let last = open(&yard.app, cookie, &next).await.expect(200);
    assert!(last.links().iter().any(|link| link == "/visitors/3"), "{:?}", last.links());
    let earlier = open(&yard.app, cookie, "/visitors?period=custom&from=2026-02-01&to=2026-02-02").await;
    assert!(earlier.expect(200).says("No visit ended in this period"));
    let csv = yard.app.get("/visitors?format=csv&limit=1").cookie(cookie).send().await.expect(200);
    assert!(csv.header("content-type").starts_with("text/csv"));
    assert_eq!(csv.text().lines().count(), 4);
    open(&yard.app, cookie, "/visitors?sort=name").await.expect(400);
}
