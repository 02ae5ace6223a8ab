//! Erasing a person reaches alerts.

use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{PATH, too_many, with};
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    an_erased_person_gets_no_more_mails,
    firings_about_an_erased_person_name_nobody,
    an_erased_person_is_no_split_any_more,
    an_alert_about_an_erased_person_does_not_watch_everyone,
    erasing_counts_what_it_changed,
);

async fn erase(world: &AlertWorld, person: i64) {
    world.post(&format!("people/{person}/erase"), &json!({})).await;
}

async fn an_erased_person_gets_no_more_mails(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.patch("people/1", &json!({ "email": "Ada@Example.com" })).await;
    let recipients = json!([{ "email": "ada@example.com" }, { "email": "bob@example.com" }]);
    let both = world.rule(&json!({ "recipients": recipients })).await;
    let only = world.rule(&json!({})).await;
    let path = format!("{PATH}/{both}");
    let before = world.send(&world.member, Method::GET, &path, None).await.expect(200);
    erase(&world, 1).await;
    let after = world.send(&world.member, Method::GET, &path, None).await.expect(200);
    assert_ne!(after.header("etag"), before.header("etag"));
    let emails: Vec<Value> =
        after.json()["recipients"].as_array().unwrap().iter().map(|one| one["email"].clone()).collect();
    assert_eq!(emails, [json!("bob@example.com")]);
    assert_eq!(world.get(&format!("{PATH}/{only}")).await["recipients"], json!([]));
    world.incursions(1, 3).await;
    world.advance_minutes(1);
    let to: Vec<String> = world.mails().await.iter().map(|mail| mail.to.to_string()).collect();
    assert!(to.len() == 1 && to[0].contains("bob@example.com"), "{to:?}");
    // The one without recipients has fired all the same.
    assert_eq!(world.firings(only).await.len(), 1);
}

async fn firings_about_an_erased_person_name_nobody(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let id = world.rule(&json!({ "split_by": "person" })).await;
    world.incursions(1, 3).await;
    for _ in 0..3 {
        world.incursion(1, &json!({ "tag": "TAG-2" })).await;
    }
    world.advance_minutes(1);
    world.mails().await;
    let people = async |world: &AlertWorld| -> Vec<(Value, Value, Value)> {
        let firings = world.firings(id).await;
        let mut shown: Vec<_> = firings
            .iter()
            .map(|firing| {
                let person = firing["person"]["name"].clone();
                (person, firing["state"].clone(), firing["clear_reason"].clone())
            })
            .collect();
        shown.sort_by_key(|(person, ..)| person.to_string());
        shown
    };
    let ada = (json!("Ada"), json!("fired"), Value::Null);
    let bob = (json!("Bob"), json!("fired"), Value::Null);
    assert_eq!(people(&world).await, [ada, bob.clone()]);
    erase(&world, 1).await;
    let nobody = (Value::Null, json!("cleared"), json!("person_erased"));
    assert_eq!(people(&world).await, [bob, nobody]);
    let of_person = world.get("/api/v1/alert_firings?person_id=1").await;
    assert_eq!(of_person["data"], json!([]));
    world.app.run_jobs().await;
}

async fn an_erased_person_is_no_split_any_more(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let splits = [
        json!({ "split_by": "person" }),
        json!({ "metric": "repeat_pair", "threshold": 3 }),
        json!({ "split_by": "machine" }),
    ];
    let mut rules = Vec::new();
    for more in &splits {
        rules.push(world.rule(&with(more.clone(), &json!({ "cool_down_minutes": 0 }))).await);
    }
    world.incursions(1, 3).await;
    assert_eq!(world.evaluate().await.fired, 3);
    erase(&world, 1).await;
    // Facts and time alike have it judged again.
    world.incursion(2, &json!({ "tag": "TAG-2" })).await;
    assert_eq!(world.evaluate().await.fired, 0);
    for _ in 0..3 {
        world.advance_minutes(1);
        assert_eq!(world.evaluate().await.fired, 0);
    }
    for rule in &rules {
        assert_eq!(world.firings(*rule).await.len(), 1);
    }
    // What they did still counts for the machine.
    assert_eq!(world.firings(rules[2]).await[0]["state"], "fired");
    for (more, expected) in splits.iter().zip([json!([[2]]), json!([[2, 2]]), json!([[1], [2]])]) {
        let body = with(too_many("Trial"), more);
        let path = format!("{PATH}/dry_run");
        let run = world.send(&world.admin, Method::POST, &path, Some(&body)).await.expect(200).json();
        let splits = run["splits"].as_array().unwrap().iter();
        let shown: Vec<&Value> = splits.map(|split| &split["ids"]).collect();
        assert_eq!(json!(shown), expected, "{run}");
    }
    world.app.run_jobs().await;
}

async fn an_alert_about_an_erased_person_does_not_watch_everyone(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let two = world.rule(&json!({ "scope": { "person_ids": [1, 2] } })).await;
    let one = world.rule(&json!({ "scope": { "person_ids": [1] }, "split_by": "machine" })).await;
    world.incursions(1, 3).await;
    world.advance_minutes(1);
    assert_eq!(world.mails().await.len(), 2);
    erase(&world, 1).await;
    let shown = world.get(&format!("{PATH}/{two}")).await;
    assert_eq!((&shown["scope"]["person_ids"], &shown["enabled"]), (&json!([2]), &json!(true)));
    let shown = world.get(&format!("{PATH}/{one}")).await;
    assert_eq!((&shown["scope"]["person_ids"], &shown["enabled"]), (&json!([]), &json!(false)));
    assert_eq!((&shown["status"], &shown["open_firings"]), (&json!("disabled"), &json!(0)));
    assert_eq!(shown["status_reason"], "person_erased");
    assert_eq!(shown["recipients"][0]["email"], "ada@example.com");
    // It says so until it is about something else, or enabled.
    let path = format!("alerts/{one}");
    assert_eq!(world.patch(&path, &json!({ "name": "Gate" })).await["status_reason"], "person_erased");
    let other = world.patch(&path, &json!({ "scope": { "zones": ["danger"] } })).await;
    assert_eq!((&other["status"], &other["status_reason"]), (&json!("disabled"), &json!("by_user")));
    assert_ne!(world.firings(one).await[0]["cleared_at"], Value::Null);
    // Nobody else sets it off.
    for _ in 0..3 {
        world.incursion(2, &json!({ "tag": "TAG-3" })).await;
    }
    world.advance_minutes(1);
    world.mails().await;
    assert_eq!(world.firings(one).await.len(), 1);
}

async fn erasing_counts_what_it_changed(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.patch("people/1", &json!({ "email": "ada@example.com" })).await;
    world.rule(&json!({ "scope": { "person_ids": [1, 2] }, "split_by": "person" })).await;
    world.incursions(1, 3).await;
    world.advance_minutes(1);
    world.mails().await;
    erase(&world, 1).await;
    let log = world.get("/api/v1/admin/audit_log?action=person.erased").await;
    // A recipient, a scope and a firing.
    assert_eq!(log["data"][0]["details"]["alerts"], 3);
    let rows = testkit::find_tables_with_text(world.app.database(), "ada@example.com").await;
    assert!(rows.iter().all(|table| !table.starts_with("alert_")), "{rows:?}");
    world.app.run_jobs().await;
}
