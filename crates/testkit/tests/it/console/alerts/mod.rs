//! /alerts: the list, one alert, its form, and alarms

mod dry_run;

use domain::Role;
use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use crate::console::{Page, open, submit};
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    an_alert_is_created_once_and_shown,
    faults_are_shown_beside_their_fields,
    an_alert_is_changed_unless_it_was_changed_meanwhile,
    an_alert_is_disabled_enabled_tested_and_deleted,
    an_alarm_shows_its_value_its_evidence_and_what_was_sent,
    an_alarm_about_a_device_is_explained_as_in_its_mail,
    an_alarm_says_what_its_alert_is_restricted_to,
    an_alarm_says_what_its_alert_was_restricted_to_then,
    only_the_owner_and_admins_change_an_alert,
    other_projects_and_brands_do_not_exist,
    names_are_never_markup,
    alerts_are_in_the_readers_language,
    a_threshold_is_read_as_the_console_writes_numbers,
);

/// The fields of an alert about three incursions within an hour.
fn too_many<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let usual = [
        ("name", "Too many"),
        ("metric", "incursions"),
        ("threshold", "3"),
        ("recipients", "ada@example.com"),
    ];
    let is_usual = |name: &str| more.iter().all(|(other, _)| *other != name);
    usual.into_iter().filter(|(name, _)| is_usual(name)).chain(more.iter().copied()).collect()
}

async fn alert(world: &AlertWorld, id: i64) -> Value {
    world.get(&format!("/api/v1/alerts/{id}")).await
}

/// Returns what the next page will say was done.
fn done(page: &Page) -> String {
    let cookies = page.reply.headers.get_all("set-cookie").iter().filter_map(|value| value.to_str().ok());
    let named = cookies.filter_map(|cookie| cookie.strip_prefix("keepclear_done=")).next();
    named.and_then(|rest| rest.split(';').next()).unwrap().to_owned()
}

async fn an_alert_is_created_once_and_shown(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let cookie = &world.member.cookie;
    let empty = open(&world.app, cookie, "/alerts").await.expect(200);
    assert!(empty.says("No alerts yet") && empty.says("No alarm is open"));
    let choice = open(&world.app, cookie, "/alerts/new").await.expect(200);
    assert!(
        choice.links().contains(&"/alerts/new?metric=drift".to_owned())
            && choice.says("A silent base station")
    );
    let form = open(&world.app, cookie, "/alerts/new?metric=incursions").await.expect(200);
    assert_eq!(form.field("metric").as_deref(), Some("incursions"));
    assert!(form.says("Digger") && form.says("Yard") && form.field("minimum_count").is_none());
    let once = form.field("_once").unwrap();
    let fields = too_many(&[
        ("comparison", "above"),
        ("window", "rolling"),
        ("window_minutes", ""),
        ("split_by", "machine"),
        ("scope.worksite_ids", "1"),
        ("scope.machine_ids", "2"),
        ("scope.machine_ids", "1"),
        ("scope.zones", "danger"),
        ("active_hours.days", "1"),
        ("active_hours.from", "07:00"),
        ("active_hours.to", "18:00"),
        ("active_hours.time_zone", ""),
        ("outside_hours", "drop"),
        ("cool_down_minutes", ""),
        ("severity", "critical"),
        ("notify_on_clear", "true"),
        ("_once", &once),
    ]);
    let page = submit(&world.app, cookie, "/alerts/new", &fields).await.expect(303);
    assert_eq!(done(&page), "alert-added");
    let again = submit(&world.app, cookie, "/alerts/new", &fields).await.expect(303);
    assert_eq!((page.location(), again.location()), ("/alerts/1".to_owned(), "/alerts/1".to_owned()));
    let stored = alert(&world, 1).await;
    for (name, expected) in [
        ("threshold", json!(3)),
        ("window_minutes", json!(60)),
        ("split_by", json!("machine")),
        ("severity", json!("critical")),
        ("outside_hours", json!("drop")),
        ("cool_down_minutes", json!(60)),
        ("notify_on_clear", json!(true)),
        ("active_hours", json!({ "days": [1], "from": "07:00", "to": "18:00", "time_zone": null })),
    ] {
        assert_eq!(stored[name], expected, "{name}");
    }
    assert_eq!(stored["scope"]["machine_ids"], json!([1, 2]));
    assert_eq!(stored["recipients"][0]["email"], "ada@example.com");
    let shown = open(&world.app, cookie, "/alerts/1").await.expect(200);
    for words in [
        "Incursions: at least 3 in 60 minutes",
        "Each machine",
        "Digger, Loader",
        "Critical",
        "ada@example.com",
    ] {
        assert!(shown.says(words), "{words}: {}", shown.text());
    }
    assert!(shown.says("Mon, 07:00 to 18:00"), "{}", shown.text());
    let list = open(&world.app, cookie, "/alerts?status=ok&q=many").await.expect(200);
    assert!(list.says("Too many") && list.says("All is well"));
    assert!(open(&world.app, cookie, "/alerts?status=firing").await.expect(200).says("No alerts match"));
    open(&world.app, cookie, "/alerts?status=red").await.expect(400);
    let csv = world.app.get("/alerts?format=csv").cookie(cookie).send().await.expect(200);
    assert!(csv.header("content-type").starts_with("text/csv") && csv.text().lines().count() == 2);
}

async fn faults_are_shown_beside_their_fields(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let cookie = &world.member.cookie;
    let fields = too_many(&[
        ("name", " "),
        ("threshold", "0"),
        ("window", "rolling"),
        ("window_minutes", "4"),
        ("active_hours.from", "25:00"),
        ("recipients", "ada@example.com\nbob"),
    ]);
    let page = submit(&world.app, cookie, "/alerts/new", &fields).await.expect(422);
    for name in ["name", "window_minutes", "active_hours.from", "recipients"] {
        assert!(page.fault(name).is_some(), "{name}: {}", page.text());
    }
    assert_eq!(page.field("recipients").as_deref(), Some("ada@example.com\nbob"));
    let page = submit(&world.app, cookie, "/alerts/new", &too_many(&[("threshold", "0")])).await.expect(422);
    assert!(page.fault("threshold").is_some() && page.field("threshold").as_deref() == Some("0"));
    let page = submit(&world.app, cookie, "/alerts/new", &too_many(&[("recipients", "")])).await.expect(422);
    assert!(page.fault("recipients").is_some());
    // What another metric has is refused with a sentence about it.
    let page =
        submit(&world.app, cookie, "/alerts/new", &too_many(&[("minimum_count", "5")])).await.expect(422);
    assert!(page.says("Least number of incursions"), "{}", page.text());
    assert_eq!(world.get("/api/v1/alerts").await["data"], json!([]));
}

async fn an_alert_is_changed_unless_it_was_changed_meanwhile(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let id = world.rule(&json!({ "window": "day", "scope": { "worksite_ids": [1] } })).await;
    let (cookie, path) = (&world.member.cookie, format!("/alerts/{id}/edit"));
    let form = open(&world.app, cookie, &path).await.expect(200);
    assert_eq!(
        (form.field("threshold").as_deref(), form.field("window").as_deref()),
        (Some("3"), Some("day"))
    );
    assert_eq!(form.field("scope.worksite_ids").as_deref(), Some("1"));
    let version = form.field("_version").unwrap();
    let fields =
        too_many(&[("name", "Fewer"), ("threshold", "5"), ("window", "day"), ("_version", &version)]);
    assert_eq!(
        submit(&world.app, cookie, &path, &fields).await.expect(303).location(),
        format!("/alerts/{id}")
    );
    let stored = alert(&world, id).await;
    assert_eq!(
        (&stored["name"], &stored["threshold"], &stored["window"]),
        (&json!("Fewer"), &json!(5), &json!("day"))
    );
    // Nothing is chosen any more, and the alert is still enabled.
    assert_eq!((&stored["scope"]["worksite_ids"], &stored["enabled"]), (&json!([]), &json!(true)));
    let stale = submit(&world.app, cookie, &path, &fields).await.expect(412);
    assert_eq!(stale.field("name").as_deref(), Some("Fewer"));
    // Another metric brings its own fields and keeps the name.
    let other = open(&world.app, cookie, &format!("{path}?metric=tag_battery_low")).await.expect(200);
    assert_eq!((other.field("name").as_deref(), other.field("window")), (Some("Fewer"), None));
    assert_eq!(other.field("threshold").as_deref(), Some(""));
    let choice = open(&world.app, cookie, &format!("{path}?metric=choose")).await.expect(200);
    assert!(choice.links().contains(&format!("{path}?metric=drift")));
}

async fn an_alert_is_disabled_enabled_tested_and_deleted(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let id = world.rule(&json!({})).await;
    let (cookie, page) = (&world.member.cookie, format!("/alerts/{id}"));
    let disabled = submit(&world.app, cookie, &format!("{page}/disable"), &[]).await.expect(303);
    assert_eq!(done(&disabled), format!("alert-disabled:{id}"));
    assert_eq!(alert(&world, id).await["enabled"], false);
    assert!(open(&world.app, cookie, &page).await.expect(200).says("Somebody disabled it."));
    // Undoing it is the button that enables it.
    submit(&world.app, cookie, &format!("{page}/enable"), &[]).await.expect(303);
    assert_eq!(alert(&world, id).await["enabled"], true);
    for _ in 0..5 {
        submit(&world.app, cookie, &format!("{page}/test"), &[]).await.expect(303);
    }
    assert_eq!(world.mails().await.len(), 5);
    submit(&world.app, cookie, &format!("{page}/test"), &[]).await.expect(409);
    submit(&world.app, cookie, &format!("{page}/delete"), &[("_version", "1")]).await.expect(412);
    let deleted = submit(&world.app, cookie, &format!("{page}/delete"), &[]).await.expect(303);
    assert_eq!((deleted.location().as_str(), done(&deleted).as_str()), ("/alerts", "alert-deleted"));
    open(&world.app, cookie, &page).await.expect(404);
}

async fn an_alarm_shows_its_value_its_evidence_and_what_was_sent(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let id = world.rule(&json!({ "split_by": "machine", "severity": "critical" })).await;
    let mut incursions = Vec::new();
    for _ in 0..3 {
        incursions.push(world.incursion(1, &json!({})).await);
    }
    world.advance_minutes(1);
    assert_eq!(world.mails().await.len(), 1);
    let firing = world.firings(id).await.remove(0);
    let path = format!("/alerts/{id}/firings/{}", firing["id"]);
    // Mails lead to this address.
    assert!(firing["url"].as_str().unwrap().ends_with(&path), "{firing}");
    let cookie = &world.member.cookie;
    let list = open(&world.app, cookie, "/alerts").await.expect(200);
    assert!(
        list.links().contains(&path) && list.says("Digger (Yard)") && list.says("Firing"),
        "{}",
        list.text()
    );
    let page = open(&world.app, cookie, &path).await.expect(200);
    for words in ["Open", "Critical", "at least 3", "Europe/Berlin", "ada@example.com", "Sent"] {
        assert!(page.says(words), "{words}: {}", page.text());
    }
    let links = page.links();
    for incursion in incursions {
        assert!(links.contains(&format!("/incursions/{incursion}")), "{links:?}");
    }
    assert!(links.contains(&format!("/alerts/{id}")) && links.contains(&"/machines/1".to_owned()));
    let shown = open(&world.app, cookie, &format!("/alerts/{id}?state=fired")).await.expect(200);
    assert!(shown.links().contains(&path));
    let none = open(&world.app, cookie, &format!("/alerts/{id}?state=cleared")).await.expect(200);
    assert!(!none.links().contains(&path) && none.says("No alarms"));
    // The alarm belongs to its alert, and outlives it.
    open(&world.app, cookie, &format!("/alerts/{}/firings/{}", id + 1, firing["id"])).await.expect(404);
    world.send(&world.admin, Method::DELETE, &format!("/api/v1/alerts/{id}"), None).await.expect(200);
    let page = open(&world.app, cookie, &path).await.expect(200);
    assert!(
        page.says("The alert was deleted.") && page.says("Cleared") && page.says("the alert was deleted")
    );
}

async fn an_alarm_about_a_device_is_explained_as_in_its_mail(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let battery = async |percent: i64| {
        let at = world.app.clock.now();
        let event = json!({
            "uid": world.next_uid(), "at": at, "kind": "tag_battery", "tag": "TAG-2", "percent": percent,
        });
        world.events(1, &[event]).await;
        world.advance_minutes(1);
        world.evaluate().await;
    };
    let silent = json!({ "metric": "base_station_silent", "threshold": 43_200, "split_by": "worksite" });
    let silent = world.rule(&silent).await;
    assert_eq!(world.evaluate().await.fired, 2);
    let low = world.rule(&json!({ "metric": "tag_battery_low", "threshold": 20 })).await;
    battery(12).await;
    battery(80).await;
    for (rule, explained) in [
        (silent, ["Last contact never", "Installed since"]),
        (low, ["Battery reported", "Value when it cleared 80 %"]),
    ] {
        let firing = world.firings(rule).await.remove(0);
        let path = format!("/alerts/{rule}/firings/{}", firing["id"]);
        let page = open(&world.app, &world.member.cookie, &path).await.expect(200);
        for words in explained {
            assert!(page.says(words), "{words}: {}", page.text());
        }
    }
    world.app.run_jobs().await;
}

async fn an_alarm_says_what_its_alert_is_restricted_to(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let scope = json!({ "machine_ids": [1], "person_ids": [1], "zones": ["warning"] });
    let restricted = world.rule(&json!({ "split_by": "worksite", "scope": scope })).await;
    let said = world.rule(&json!({ "split_by": "machine", "scope": { "machine_ids": [1] } })).await;
    world.incursions(1, 3).await;
    assert_eq!(world.evaluate().await.fired, 2);
    world.app.run_jobs().await;
    let cookie = &world.member.cookie;
    let page = async |rule: i64| {
        let firing = world.firings(rule).await.remove(0);
        open(&world.app, cookie, &format!("/alerts/{rule}/firings/{}", firing["id"])).await.expect(200)
    };
    let shown = page(restricted).await;
    assert!(shown.says("Restricted to Machine Digger; Ada; Zone Warning"), "{}", shown.text());
    // What the place says is no restriction.
    let shown = page(said).await;
    assert!(!shown.says("Restricted to"), "{}", shown.text());
}

async fn an_alarm_says_what_its_alert_was_restricted_to_then(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let of_digger = json!({ "split_by": "worksite", "scope": { "machine_ids": [1] } });
    let (restricted, cleared) = (world.rule(&of_digger).await, world.rule(&of_digger).await);
    let unrestricted = world.rule(&json!({ "split_by": "worksite" })).await;
    world.incursions(1, 3).await;
    assert_eq!(world.evaluate().await.fired, 3);
    world.app.run_jobs().await;
    // One has cleared before its alert is changed, and the changes clear the others.
    world.patch(&format!("alerts/{cleared}"), &json!({ "enabled": false })).await;
    let mut paths = Vec::new();
    for rule in [restricted, cleared, unrestricted] {
        world.patch(&format!("alerts/{rule}"), &json!({ "scope": { "machine_ids": [2] } })).await;
        let firing = world.firings(rule).await.remove(0);
        assert!(firing["cleared_at"].is_string(), "{firing}");
        paths.push(format!("/alerts/{rule}/firings/{}", firing["id"]));
    }
    // What is known outlives the alert.
    let path = format!("/api/v1/alerts/{restricted}");
    world.send(&world.admin, Method::DELETE, &path, None).await.expect(200);
    for (path, is_restricted) in paths.iter().zip([true, true, false]) {
        let shown = open(&world.app, &world.member.cookie, path).await.expect(200);
        assert_eq!(shown.says("Restricted to Machine Digger"), is_restricted, "{}", shown.text());
        assert!(!shown.says("Loader") && shown.says("Restricted to") == is_restricted, "{}", shown.text());
    }
}

async fn only_the_owner_and_admins_change_an_alert(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let id = world.rule_of(&world.admin, &json!({})).await;
    let page = format!("/alerts/{id}");
    for (cookie, tries) in [(&world.member.cookie, true), (&world.viewer.cookie, false)] {
        let shown = open(&world.app, cookie, &page).await.expect(200);
        assert!(!shown.says("Send a test message") && !shown.links().contains(&format!("{page}/edit")));
        assert_eq!(shown.says("Try on the past"), tries);
        open(&world.app, cookie, &format!("{page}/edit")).await.expect(403);
        for action in ["disable", "test", "delete"] {
            submit(&world.app, cookie, &format!("{page}/{action}"), &[]).await.expect(403);
        }
    }
    let viewer = open(&world.app, &world.viewer.cookie, &page).await.expect(200);
    assert!(viewer.says("An address that you do not see") && !viewer.says("ada@example.com"));
    assert!(!open(&world.app, &world.viewer.cookie, "/alerts").await.expect(200).says("New alert"));
    open(&world.app, &world.viewer.cookie, "/alerts/new").await.expect(403);
    assert_eq!(alert(&world, id).await["enabled"], true);
}

async fn other_projects_and_brands_do_not_exist(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let id = world.rule_of(&world.admin, &json!({ "scope": { "worksite_ids": [2] } })).await;
    let stranger = world.app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    for cookie in [&stranger.cookie, &world.restricted.cookie] {
        open(&world.app, cookie, &format!("/alerts/{id}")).await.expect(404);
        open(&world.app, cookie, &format!("/alerts/{id}/edit")).await.expect(404);
        submit(&world.app, cookie, &format!("/alerts/{id}/delete"), &[]).await.expect(404);
        assert!(!open(&world.app, cookie, "/alerts").await.expect(200).says("Too many"));
    }
    open(&world.app, &world.member.cookie, "/alerts/x").await.expect(404);
    // What a restricted member does not see cannot be chosen, and is refused.
    let form = open(&world.app, &world.restricted.cookie, "/alerts/new?metric=incursions").await.expect(200);
    assert!(form.says("Yard") && !form.says("Depot"));
    let fields = too_many(&[("scope.worksite_ids", "2")]);
    let page = submit(&world.app, &world.restricted.cookie, "/alerts/new", &fields).await.expect(422);
    assert!(page.fault("scope.worksite_ids").is_some());
}

async fn names_are_never_markup(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let name = "<img src=x onerror=\"alert(1)\"> & 'Co'";
    world.patch("machines/1", &json!({ "name": name })).await;
    let id =
        world.rule(&json!({ "name": name, "split_by": "machine", "scope": { "machine_ids": [1] } })).await;
    world.incursions(1, 3).await;
    world.advance_minutes(1);
    world.mails().await;
    let firing = world.firings(id).await.remove(0);
    for path in
        ["/alerts".to_owned(), format!("/alerts/{id}"), format!("/alerts/{id}/firings/{}", firing["id"])]
    {
        assert!(open(&world.app, &world.member.cookie, &path).await.expect(200).says(name), "{path}");
    }
    let form = open(&world.app, &world.member.cookie, &format!("/alerts/{id}/edit")).await.expect(200);
    assert_eq!(form.field("name").as_deref(), Some(name));
    let fields = too_many(&[("name", name), ("split_by", "machine")]);
    assert!(
        submit(&world.app, &world.member.cookie, "/alerts/dry-run", &fields).await.expect(200).says(name)
    );
}

async fn alerts_are_in_the_readers_language(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let id = world.rule(&json!({ "metric": "acknowledgement_rate", "threshold": 0.6 })).await;
    world.patch("admin/brand", &json!({ "locale": "de-DE" })).await;
    let page = open(&world.app, &world.member.cookie, &format!("/alerts/{id}")).await.expect(200);
    assert!(page.says("Quittierungsquote: höchstens 60 % in 24 Stunden"), "{}", page.text());
    let form = open(&world.app, &world.member.cookie, &format!("/alerts/{id}/edit")).await.expect(200);
    assert!(form.says("Schwellenwert") && form.field("threshold").as_deref() == Some("0,6"));
    let fields = [("metric", "acknowledgement_rate"), ("threshold", "0,6")];
    let page = submit(&world.app, &world.member.cookie, "/alerts/dry-run", &fields).await.expect(200);
    assert!(page.says("Sie hätte 0-mal ausgelöst"), "{}", page.text());
    let fields = too_many(&[("name", "Tausend"), ("threshold", "1.000")]);
    let made = submit(&world.app, &world.member.cookie, "/alerts/new", &fields).await.expect(303);
    let page = open(&world.app, &world.member.cookie, &made.location()).await.expect(200);
    assert!(page.says("mindestens 1.000"), "{}", page.text());
}

/// The console writes 1,000; whoever writes it the same way must not get an alert at 1.
async fn a_threshold_is_read_as_the_console_writes_numbers(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let cookie = &world.member.cookie;
    let fields = too_many(&[("threshold", "1,000")]);
    let made = submit(&world.app, cookie, "/alerts/new", &fields).await.expect(303);
    let page = open(&world.app, cookie, &made.location()).await.expect(200);
    assert!(page.says("at least 1,000 in"), "{}", page.text());
    for ambiguous in ["1.000", "1,5", "10.000,5", "0,125"] {
        let fields = too_many(&[("threshold", ambiguous)]);
        let page = submit(&world.app, cookie, "/alerts/new", &fields).await.expect(422);
        assert_eq!(page.fault("threshold").as_deref(), Some("Please write a number such as 1,000 or 0.5."));
        assert_eq!(page.field("threshold").as_deref(), Some(ambiguous));
    }
}
