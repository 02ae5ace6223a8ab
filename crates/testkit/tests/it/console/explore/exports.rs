//! /explore/exports: files that are written in the background

use domain::Role;
use testkit::{TestApp, on_both_engines};

use super::{assert_link, open_as_admin, yard_with_facts};
use crate::console::{open, submit};

on_both_engines!(
    an_export_is_waited_for_downloaded_and_deleted,
    an_export_that_is_refused_keeps_its_form,
    an_export_has_the_filters_of_a_list,
);

const FILE: &str = "/explore/exports/1/file";

async fn an_export_is_waited_for_downloaded_and_deleted(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let cookie = &yard.admin.cookie;
    let path = "/explore/exports?row1=machine&measure=incursions";
    let ordered = submit(&yard.app, cookie, path, &[("kind", "pivot"), ("format", "csv")]).await.expect(303);
    assert_eq!(ordered.location(), "/explore/exports/1");
    let waiting = open_as_admin(&yard, "/explore/exports/1").await.expect(200);
    assert!(waiting.says("waiting") && waiting.reply.header("refresh") == "5");
    assert!(!waiting.links().iter().any(|link| link == FILE));
    yard.app.run_jobs().await;
    let done = open_as_admin(&yard, "/explore/exports/1").await.expect(200);
    assert!(done.says("ready") && done.reply.header("refresh").is_empty(), "{}", done.text());
    assert_link(&done, FILE);
    let file = yard.app.get(FILE).cookie(cookie).send().await.expect(200);
    assert!(file.header("content-disposition").contains("pivot-") && file.text().contains("Crane 1"));
    let part = yard.app.get(FILE).cookie(cookie).header("range", "bytes=0-3").send().await.expect(206);
    assert_eq!(part.body.len(), 4);
    // Nobody else sees it.
    let member = yard.app.sign_in_new_user("mem@example.com", Role::Member).await;
    for path in ["/explore/exports/1", FILE] {
        open(&yard.app, &member.cookie, path).await.expect(404);
    }
    assert!(open(&yard.app, &member.cookie, "/explore/exports").await.expect(200).says("No exports yet"));
    submit(&yard.app, cookie, "/explore/exports/1/delete", &[]).await.expect(303);
    let list = open_as_admin(&yard, "/explore/exports").await.expect(200);
    assert!(list.says("deleted") && list.says("pivot-"), "{}", list.text());
    open_as_admin(&yard, FILE).await.expect(404);
    assert!(open_as_admin(&yard, "/explore/exports/1").await.expect(200).says("The file was deleted."));
    // From the page of exports come the incursions that are picked.
    let path = "/explore/exports?worksite_id=1";
    submit(&yard.app, cookie, path, &[("kind", "incursions"), ("format", "ndjson")]).await.expect(303);
    yard.app.run_jobs().await;
    let file = yard.app.get("/explore/exports/2/file").cookie(cookie).send().await.expect(200);
    assert_eq!(file.text().lines().filter(|line| line.contains("Crane 1")).count(), 3, "{}", file.text());
}

async fn an_export_that_is_refused_keeps_its_form(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let cookie = &yard.admin.cookie;
    let path = "/explore/exports?row1=machine&measure=incursions";
    let table = submit(&yard.app, cookie, path, &[("kind", "pivot"), ("format", "doc")]).await.expect(422);
    assert!(table.fault("format").is_some() && table.says("Crane 1"));
    let list = submit(&yard.app, cookie, "/explore/exports", &[("kind", "incursions")]).await.expect(422);
    assert!(list.fault("format").is_some() && list.says("Export incursions"));
    let page = open_as_admin(&yard, "/explore/exports").await.expect(200);
    let once = page.field("_once").unwrap();
    let fields = [("kind", "incursions"), ("format", "csv"), ("_once", once.as_str())];
    for _ in 0..2 {
        let ordered = submit(&yard.app, cookie, "/explore/exports", &fields).await.expect(303);
        assert_eq!(ordered.location(), "/explore/exports/1");
    }
    yard.app.run_jobs().await;
    open_as_admin(&yard, "/explore/exports/2").await.expect(404);
}

async fn an_export_has_the_filters_of_a_list(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let path = "/explore/exports?zone=danger&machine_id=1";
    let page = open_as_admin(&yard, path).await.expect(200);
    assert!(page.says("The filters of the list of incursions apply, too"), "{}", page.text());
    assert_link(&page, "/incursions?zone=danger&machine_id=1");
    let fields = [("kind", "incursions"), ("format", "ndjson")];
    submit(&yard.app, &yard.admin.cookie, path, &fields).await.expect(303);
    yard.app.run_jobs().await;
    let file = yard.app.get(FILE).cookie(&yard.admin.cookie).send().await.expect(200);
    assert_eq!(file.text().lines().filter(|line| line.contains("Crane 1")).count(), 1, "{}", file.text());
    let plain = open_as_admin(&yard, "/explore/exports?period=90d&worksite_id=1").await.expect(200);
    assert!(!plain.says("The filters of the list"), "{}", plain.text());
    open_as_admin(&yard, "/explore/exports?zone=red").await.expect(400);
}
