//! What mails say, and to whom: names, projects, languages, links, charts.

use http::Method;
use mail::Email;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    a_mail_says_what_happened_and_links_to_the_records,
    a_mail_shows_what_its_recipient_may_see,
    the_brand_decides_whether_addresses_get_names,
    a_mail_is_in_the_language_of_its_recipient,
    a_user_who_was_deactivated_gets_none,
    who_was_removed_meanwhile_gets_none,
    names_stay_text,
    a_mail_about_devices_has_no_chart,
    a_mail_says_what_its_alert_is_restricted_to,
    a_mail_names_only_what_its_recipient_sees,
    a_mail_about_a_tag_says_when_it_was_tested,
    the_worst_of_several_comes_first,
);

/// The width and height of a PNG.
fn png_size(bytes: &[u8]) -> (u32, u32) {
    assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n", "it is a PNG");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

/// Returns the mails by their recipients.
fn by_recipient(mails: &[Email]) -> Vec<(&str, &Email)> {
    let mut found: Vec<_> = mails.iter().map(|mail| (mail.to.as_str(), mail)).collect();
    found.sort_by_key(|(to, _)| *to);
    found
}

/// Returns the states and reasons of the deliveries of a firing, in the order of the recipients.
async fn deliveries(world: &AlertWorld, rule: i64) -> Vec<Value> {
    let id = world.firings(rule).await[0]["id"].clone();
    let firing = world.get(&format!("/api/v1/alerts/{rule}/firings/{id}")).await;
    let deliveries = firing["deliveries"].as_array().unwrap();
    deliveries.iter().map(|delivery| json!([delivery["state"], delivery["reason"]])).collect()
}

async fn a_mail_says_what_happened_and_links_to_the_records(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "name": "Diggers", "split_by": "machine", "severity": "critical" })).await;
    world.incursions(1, 2).await;
    let last = world.incursion(1, &json!({})).await;
    let mails = world.mails().await;
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    assert_eq!(mail.subject, "Critical: 3 incursions in 60 minutes at Digger, Yard (threshold 3)");
    assert_eq!((mail.to.as_str(), mail.name.as_str()), ("ada@example.com", "ada"));
    let base = "http://127.0.0.1:8080";
    let firing = world.firings(rule).await[0]["id"].clone();
    for part in [
        "Hello,\n\nAn alert of Acme has fired.\n\nCritical: 3 incursions",
        "    Value: 3\n    Threshold: at least 3\n    Period: 1 March 2026, 12:00 to 13:00 (Europe/Berlin)\n",
        "    Worksite: Yard\n    Machine: Digger\n    Fired: 1 March 2026, 13:00 (Europe/Berlin)\n",
        &format!("    Open the alarm: {base}/alerts/{rule}/firings/{firing}\n"),
        &format!("    Worksite Yard: {base}/sites/1\n    Machine Digger: {base}/machines/1\n"),
        &format!("    Incursion {last}: {base}/incursions/{last}\n"),
        &format!("    Alert: Diggers\n    Open the alert: {base}/alerts/{rule}\n"),
    ] {
        assert!(mail.text.contains(part), "{part}\n\n{}", mail.text);
    }
    let [chart] = mail.images.as_slice() else { panic!("{} images", mail.images.len()) };
    assert_eq!((chart.id.as_str(), chart.content_type), (&*mail.id.part("chart"), "image/png"));
    let shown = format!("<img src=\"cid:{}\" alt=\"", chart.id);
    assert!(mail.html.contains(&shown), "{}", mail.html);
    // Twice as wide as it is shown, so that it is sharp.
    assert_eq!(png_size(&chart.bytes), (1_120, 640));
    assert!(chart.bytes.len() < 200_000, "{} bytes", chart.bytes.len());
    let link = mail.unsubscribe.as_deref().unwrap();
    assert!(link.starts_with(&format!("{base}/links/alerts/1.{rule}.")), "{link}");
    assert!(mail.text.contains(link) && mail.html.contains(&format!("href=\"{link}\"")), "{}", mail.text);
    assert_eq!(deliveries(&world, rule).await, [json!(["sent", null])]);
}

async fn a_mail_shows_what_its_recipient_may_see(app: TestApp) {
    let world = AlertWorld::new(app).await;
    // The admin, the member, the viewer, and the member who sees only the first project.
    let recipients = json!([
        { "user_id": 1 }, { "user_id": 2 }, { "user_id": 3 }, { "user_id": 4 },
        { "email": "viewer@example.com" },
    ]);
    let rule = world.rule(&json!({ "split_by": "person", "recipients": recipients })).await;
    world.incursions(3, 3).await;
    let mails = world.mails().await;
    let found = by_recipient(&mails);
    let to: Vec<&str> = found.iter().map(|(to, _)| *to).collect();
    assert_eq!(
        to,
        ["admin@example.com", "member@example.com", "viewer@example.com", "viewer@example.com"],
        "the address and the user are two recipients"
    );
    for (_, mail) in &found[..2] {
        assert!(mail.subject.contains("for Ada, Depot"), "{}", mail.subject);
        assert!(mail.text.contains("Person: Ada\n"), "{}", mail.text);
    }
    for (_, mail) in &found[2..] {
        assert!(mail.subject.contains("for Person 1, Depot"), "{}", mail.subject);
        assert!(!mail.text.contains("Ada\n") && !mail.html.contains("Ada<"), "{}", mail.text);
    }
    let (sent, hidden) = (json!(["sent", null]), json!(["suppressed", "not_visible"]));
    let states = deliveries(&world, rule).await;
    assert_eq!(states, [sent.clone(), sent.clone(), sent.clone(), hidden, sent]);
}

async fn the_brand_decides_whether_addresses_get_names(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.rule(&json!({ "split_by": "person" })).await;
    world.incursions(1, 3).await;
    let mails = world.mails().await;
    assert!(mails[0].subject.contains("for Person 1, Yard"), "{}", mails[0].subject);
    world.patch("admin/brand", &json!({ "alerts_show_names": true })).await;
    world.rule(&json!({ "name": "Another", "split_by": "person" })).await;
    let mails = world.mails().await;
    assert!(mails[0].subject.contains("for Ada, Yard"), "{}", mails[0].subject);
}

async fn a_mail_is_in_the_language_of_its_recipient(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let own = world.app.get("/api/v2/user_preferences").bearer(&world.viewer.jwt).send().await.expect(200);
    let attributes = json!({ "language": "de", "time_zone": "Europe/Berlin" });
    let id = own.json()["data"]["id"].clone();
    let change = json!({ "data": { "type": "user_preferences", "id": id, "attributes": attributes } });
    let call = world.app.patch("/api/v2/user_preferences").bearer(&world.viewer.jwt);
    call.bytes("application/vnd.api+json", change.to_string()).send().await.expect(200);
    let recipients = json!([{ "user_id": 2 }, { "user_id": 3 }]);
    world.rule(&json!({ "split_by": "worksite", "recipients": recipients })).await;
    world.incursions(1, 3).await;
    let mails = world.mails().await;
    let found = by_recipient(&mails);
    let [(_, member), (_, viewer)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(member.subject, "Warning: 3 incursions in 60 minutes at Yard (threshold 3)");
    assert_eq!(viewer.subject, "Warnung: 3 Annäherungen in 60 Minuten am Standort Yard (Schwellenwert 3)");
    for part in [
        "Guten Tag viewer,",
        "Schwellenwert: mindestens 3",
        "Zeitraum: 1. März 2026, 12:00 bis 13:00 (Europe/Berlin)",
        "Um keine Mails dieser Alarmregel mehr zu erhalten",
    ] {
        assert!(viewer.text.contains(part), "{}", viewer.text);
    }
    assert_ne!(member.images, viewer.images, "the chart has the language of its reader");
}

async fn a_user_who_was_deactivated_gets_none(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let recipients = json!([{ "user_id": 2 }, { "user_id": 3 }]);
    let rule = world.rule(&json!({ "recipients": recipients })).await;
    let path = "/api/v1/admin/users/3/deactivate";
    world.send(&world.admin, Method::POST, path, None).await.expect(200);
    world.incursions(1, 3).await;
    let mails = world.mails().await;
    assert_eq!(by_recipient(&mails).iter().map(|(to, _)| *to).collect::<Vec<_>>(), ["member@example.com"]);
    let states = deliveries(&world, rule).await;
    assert_eq!(states, [json!(["sent", null]), json!(["suppressed", "user_deactivated"])]);
}

async fn who_was_removed_meanwhile_gets_none(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let recipients = json!([{ "email": "ada@example.com" }, { "email": "eve@example.com" }]);
    let rule = world.rule(&json!({ "recipients": recipients })).await;
    world.incursions(1, 3).await;
    world.evaluate().await;
    let left = json!({ "recipients": [{ "email": "eve@example.com" }, { "email": "new@example.com" }] });
    world.patch(&format!("alerts/{rule}"), &left).await;
    let mails = world.mails().await;
    assert_eq!(by_recipient(&mails).iter().map(|(to, _)| *to).collect::<Vec<_>>(), ["eve@example.com"]);
    // A rule that was deleted sends nothing any more.
    let other = world.rule(&json!({ "name": "Other" })).await;
    world.evaluate().await;
    world.send(&world.admin, Method::DELETE, &format!("/api/v1/alerts/{other}"), None).await.expect(200);
    assert!(world.mails().await.is_empty());
}

async fn names_stay_text(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.patch("machines/1", &json!({ "name": "<script>x</script> & \"Co\"" })).await;
    world.rule(&json!({ "name": "<img src=x> {brand}", "split_by": "machine" })).await;
    world.incursions(1, 3).await;
    let mails = world.mails().await;
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    assert!(mail.subject.contains("<script>x</script> & \"Co\", Yard"), "{}", mail.subject);
    assert!(!mail.html.contains("<script") && !mail.html.contains("<img src=x"), "{}", mail.html);
    assert!(mail.text.contains("Alert: <img src=x> {brand}\n"), "{}", mail.text);
    let injected = json!({
        "name": "Yard\r\nBcc: eve@example.com", "metric": "incursions", "threshold": 3,
        "recipients": [{ "email": "ada@example.com" }],
    });
    world.send(&world.member, Method::POST, "/api/v1/alerts", Some(&injected)).await.expect(422);
}

async fn a_mail_about_devices_has_no_chart(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let members = json!({ "metric": "base_station_silent", "threshold": 60, "split_by": "base_station" });
    world.rule(&members).await;
    world.incursion(1, &json!({})).await;
    world.mails().await;
    world.advance_minutes(61);
    let mails = world.mails().await;
    let about = |mail: &&Email| mail.subject.contains("Base station ST-1");
    let mail = mails.iter().find(about).unwrap_or_else(|| panic!("{mails:?}"));
    let expected = "Warning: Base station ST-1 silent for 1 h 1 min at Digger, Yard (threshold 1 h)";
    assert_eq!(mail.subject, expected);
    assert!(mail.images.is_empty() && !mail.html.contains("<img"), "{}", mail.html);
    let contact = "Last contact: 1 March 2026, 13:00 (Europe/Berlin)\n";
    assert!(mail.text.contains(contact), "{}", mail.text);
    assert!(mail.text.contains("Base station: ST-1\n") && !mail.text.contains("Period:"), "{}", mail.text);
}

async fn a_mail_says_what_its_alert_is_restricted_to(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let scope = json!({ "machine_ids": [1], "person_ids": [1], "zones": ["warning"] });
    let recipients = json!([{ "user_id": 2 }, { "email": "ada@example.com" }]);
    world.rule(&json!({ "split_by": "worksite", "scope": scope, "recipients": recipients })).await;
    world.incursions(1, 3).await;
    let mails = world.mails().await;
    let found = by_recipient(&mails);
    let [(_, address), (_, member)] = found.as_slice() else { panic!("{found:?}") };
    let subject = "Warning: 3 incursions in 60 minutes at Yard, only Digger, Ada, 1 more (threshold 3)";
    assert_eq!(member.subject, subject);
    let restriction = "    Restricted to: Machine Digger; Ada; Zone Warning\n";
    assert!(member.text.contains(restriction), "{}", member.text);
    // Whoever may not see names does not learn them from the scope either.
    assert_eq!(address.subject, subject.replace("Ada", "Person 1"));
    let restriction = restriction.replace("Ada", "Person 1");
    assert!(address.text.contains(&restriction), "{}", address.text);
    // What the place says is no restriction.
    world.rule(&json!({ "name": "One", "split_by": "machine", "scope": { "machine_ids": [1] } })).await;
    let mails = world.mails().await;
    assert_eq!(mails[0].subject, "Warning: 3 incursions in 60 minutes at Digger, Yard (threshold 3)");
    assert!(!mails[0].text.contains("Restricted to"), "{}", mails[0].text);
}

async fn a_mail_names_only_what_its_recipient_sees(app: TestApp) {
    let world = AlertWorld::new(app).await;
    // The fourth user sees only the first project, and machine 3 is in the other one.
    let members = json!({
        "split_by": "worksite", "scope": { "machine_ids": [1, 3] }, "recipients": [{ "user_id": 4 }],
    });
    world.rule(&members).await;
    world.incursions(1, 3).await;
    let mails = world.mails().await;
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    assert!(mail.subject.contains("at Yard, only Digger, 1 more (threshold 3)"), "{}", mail.subject);
    assert!(mail.text.contains("Restricted to: Machine Digger, 1 more\n"), "{}", mail.text);
    assert!(!mail.text.contains("Truck") && !mail.html.contains("Truck"), "{}", mail.text);
}

async fn a_mail_about_a_tag_says_when_it_was_tested(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let members = json!({ "metric": "tag_test_overdue", "threshold": 30, "scope": { "tag_ids": [1, 2] } });
    world.rule(&members).await;
    let at = "2026-01-20T08:00:00Z";
    let test =
        json!({ "uid": world.next_uid(), "kind": "tag_test", "tag": "TAG-2", "passed": true, "at": at });
    world.events(1, &[test]).await;
    let mails = world.mails().await;
    let about = |tag: &str| mails.iter().find(|mail| mail.subject.contains(tag)).unwrap();
    let (first, second) = (about("TAG-1"), about("TAG-2"));
    let subject = "Warning: 59 days worn without ever passing a tag test for tag TAG-1 (threshold 30 days)";
    assert_eq!(first.subject, subject);
    assert!(first.text.contains("Last passed test: never\n    First worn: 1 January 2026"), "{}", first.text);
    let subject = "Warning: 40 days without a passed tag test for tag TAG-2 (threshold 30 days)";
    assert_eq!(second.subject, subject);
    assert!(second.text.contains("Last passed test: 20 January 2026"), "{}", second.text);
}

async fn the_worst_of_several_comes_first(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let active_hours =
        json!({ "days": [1, 2, 3, 4, 5, 6, 7], "from": "07:00", "to": "12:00", "time_zone": "UTC" });
    let members = json!({ "metric": "tag_battery_low", "threshold": 50, "active_hours": active_hours });
    world.rule(&members).await;
    for (tag, percent) in [("TAG-1", 40), ("TAG-2", 8), ("TAG-3", 30)] {
        let at = world.app.clock.now();
        let event = json!({
            "uid": world.next_uid(), "kind": "tag_battery", "tag": tag, "percent": percent, "at": at,
        });
        world.events(1, &[event]).await;
    }
    assert!(world.mails().await.is_empty(), "it is afternoon");
    world.advance_minutes(19 * 60);
    let mails = world.mails().await;
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    assert_eq!(mail.subject, "Warning: Tag battery at 8 % for tag TAG-2 (threshold 50 %), and 2 more");
    let places = ["at 8 %", "at 30 %", "at 40 %"].map(|value| mail.text.find(value));
    assert!(places.is_sorted() && places[0].is_some(), "{}", mail.text);
}
