//! When messages are sent: at once, when active hours begin, in a digest, when an alarm clears, and as a test.

mod content;
mod waiting;

use domain::Span;
use http::Method;
use mail::Email;
use serde_json::{Value, json};
use testkit::{Engine, TestApp, on_both_engines};

use super::world::AlertWorld;

on_both_engines!(
    too_many_messages_within_an_hour_are_collected_into_one,
    a_digest_of_a_disabled_alert_is_not_sent,
    what_is_held_is_sent_as_one_when_active_hours_begin,
    sites_with_other_clocks_are_told_in_their_own_hours,
    what_has_cleared_while_it_was_held_is_not_told,
    a_clearing_is_told_if_the_alert_says_so,
    a_clearing_outside_active_hours_waits_for_them,
    a_test_is_marked_and_changes_nothing,
    an_alert_can_be_tested_five_times_an_hour,
    deleting_an_alert_does_not_allow_more_tests,
    a_test_without_a_value_shows_an_example,
);

fn subjects(mails: &[Email]) -> Vec<&str> {
    mails.iter().map(|mail| mail.subject.as_str()).collect()
}

/// Active every day from 07:00 to 12:00, by the clocks of the sites. Tests begin on a Sunday at 13:00 in the yard and 07:00 in the depot.
fn mornings() -> Value {
    json!({ "days": [1, 2, 3, 4, 5, 6, 7], "from": "07:00", "to": "12:00", "time_zone": null })
}

async fn too_many_messages_within_an_hour_are_collected_into_one(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.alerts.max_messages_per_hour = 1).await;
    let world = AlertWorld::new(app).await;
    let members = json!({ "threshold": 1, "split_by": "machine", "window_minutes": 240 });
    let rule = world.rule(&members).await;
    world.incursion(1, &json!({})).await;
    let mails = world.mails().await;
    assert_eq!(subjects(&mails), ["Warning: 1 incursion in 4 hours at Digger, Yard (threshold 1)"]);
    world.advance_minutes(10);
    world.incursion(2, &json!({})).await;
    world.incursion(3, &json!({})).await;
    assert!(world.mails().await.is_empty());
    assert_eq!(world.firings(rule).await.len(), 3, "they fire all the same");
    world.advance_minutes(49);
    assert!(world.mails().await.is_empty());
    // An hour after the mail before.
    world.advance_minutes(1);
    let mails = world.mails().await;
    let [digest] = mails.as_slice() else { panic!("{:?}", subjects(&mails)) };
    assert!(digest.subject.starts_with("Warning: 1 incursion in 4 hours at "), "{}", digest.subject);
    assert!(digest.subject.ends_with("(threshold 1), and 1 more"), "{}", digest.subject);
    for part in ["has sent many mails within an hour", "at Loader, Yard", "at Truck, Depot"] {
        assert!(digest.text.contains(part), "{}", digest.text);
    }
    world.advance_minutes(60);
    assert!(world.mails().await.is_empty(), "it is sent once");
}

async fn a_digest_of_a_disabled_alert_is_not_sent(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.alerts.max_messages_per_hour = 1).await;
    let world = AlertWorld::new(app).await;
    let members = json!({ "threshold": 1, "split_by": "machine", "window_minutes": 240 });
    let rule = world.rule(&members).await;
    // Another alert, so that the brand is evaluated.
    world.rule(&json!({ "name": "Other", "threshold": 1_000 })).await;
    world.incursion(1, &json!({})).await;
    world.incursion(2, &json!({})).await;
    assert_eq!(world.mails().await.len(), 1);
    world.patch(&format!("alerts/{rule}"), &json!({ "enabled": false })).await;
    world.advance_minutes(61);
    assert!(world.mails().await.is_empty());
}

async fn what_is_held_is_sent_as_one_when_active_hours_begin(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let members = json!({
        "threshold": 1, "split_by": "machine", "window_minutes": 2_880, "active_hours": mornings(),
    });
    let rule = world.rule(&members).await;
    world.incursion(1, &json!({})).await;
    world.incursion(2, &json!({})).await;
    assert!(world.mails().await.is_empty());
    let states = |firings: Vec<Value>| -> Vec<Value> {
        firings.iter().map(|firing| json!([firing["state"], firing["held_until"]])).collect()
    };
    let held = json!(["held", "2026-03-02T06:00:00Z"]);
    assert_eq!(states(world.firings(rule).await), [held.clone(), held]);
    world.advance_minutes(17 * 60 + 59);
    assert!(world.mails().await.is_empty());
    world.advance_minutes(1);
    let mails = world.mails().await;
    let [mail] = mails.as_slice() else { panic!("{:?}", subjects(&mails)) };
    assert!(mail.subject.ends_with(", and 1 more"), "{}", mail.subject);
    assert!(mail.text.contains("outside the active hours"), "{}", mail.text);
    assert!(mail.text.contains("at Digger, Yard") && mail.text.contains("at Loader, Yard"), "{}", mail.text);
    let fired = json!(["fired", null]);
    assert_eq!(states(world.firings(rule).await), [fired.clone(), fired]);
    world.advance_minutes(60);
    assert!(world.mails().await.is_empty());
}

async fn sites_with_other_clocks_are_told_in_their_own_hours(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let members = json!({
        "threshold": 1, "split_by": "machine", "window_minutes": 2_880, "active_hours": mornings(),
    });
    world.rule(&members).await;
    // 18:00 UTC: the morning is over in the depot, too.
    world.advance_minutes(6 * 60);
    world.incursion(3, &json!({})).await;
    assert!(world.mails().await.is_empty());
    world.incursion(1, &json!({})).await;
    assert!(world.mails().await.is_empty());
    // 06:00 UTC is 07:00 in the yard and 01:00 in the depot.
    world.advance_minutes(12 * 60);
    let mails = world.mails().await;
    assert_eq!(subjects(&mails), ["Warning: 1 incursion in 2 days at Digger, Yard (threshold 1)"]);
    world.advance_minutes(5 * 60 + 58);
    assert!(world.mails().await.is_empty());
    world.advance_minutes(2);
    let mails = world.mails().await;
    assert_eq!(subjects(&mails), ["Warning: 1 incursion in 2 days at Truck, Depot (threshold 1)"]);
}

async fn what_has_cleared_while_it_was_held_is_not_told(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let members = json!({
        "threshold": 1, "split_by": "machine", "active_hours": mornings(), "notify_on_clear": true,
    });
    let rule = world.rule(&members).await;
    world.incursion(1, &json!({})).await;
    assert!(world.mails().await.is_empty());
    world.advance_minutes(61);
    assert!(world.mails().await.is_empty());
    let firing = world.firings(rule).await.remove(0);
    assert_eq!((&firing["state"], &firing["clear_reason"]), (&json!("cleared"), &json!("recovered")));
    world.advance_minutes(18 * 60);
    assert!(world.mails().await.is_empty());
}

async fn a_clearing_is_told_if_the_alert_says_so(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.rule(&json!({ "name": "Quiet", "split_by": "machine" })).await;
    world.rule(&json!({ "name": "Loud", "split_by": "machine", "notify_on_clear": true })).await;
    world.incursions(1, 3).await;
    let fired = world.mails().await;
    assert_eq!(fired.len(), 2);
    world.advance_minutes(61);
    let mails = world.mails().await;
    let headline = "0 incursions in 60 minutes at Digger, Yard (threshold 3), was 3";
    assert_eq!(subjects(&mails), [format!("Cleared: {headline}")]);
    for part in ["Value when it fired: 3\n", "Value when it cleared: 0\n"] {
        assert!(mails[0].text.contains(part), "{}", mails[0].text);
    }
    // Mail programs show it beside the mail of the alarm.
    let first = fired.iter().find(|mail| mail.text.contains("Alert: Loud")).unwrap();
    assert_eq!((mails[0].in_reply_to.as_ref(), &first.in_reply_to), (Some(&first.id), &None));
    assert!(mails[0].text.contains("An alarm of Acme has cleared."), "{}", mails[0].text);
    assert!(mails[0].text.contains("Reason: the value is on the good side again"), "{}", mails[0].text);
    assert!(mails[0].text.contains("Alert: Loud"), "{}", mails[0].text);
}

async fn a_clearing_outside_active_hours_waits_for_them(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let members = json!({ "threshold": 1, "split_by": "machine", "window_minutes": 60,
        "active_hours": mornings(), "notify_on_clear": true });
    world.rule(&members).await;
    // 11:30 in the depot.
    world.advance_minutes(4 * 60 + 30);
    world.incursion(3, &json!({})).await;
    assert_eq!(world.mails().await.len(), 1);
    // 12:31 there.
    world.advance_minutes(61);
    assert!(world.mails().await.is_empty());
    // 07:00 on the next day.
    world.advance_minutes(18 * 60 + 29);
    let mails = world.mails().await;
    assert_eq!(
        subjects(&mails),
        ["Cleared: 0 incursions in 60 minutes at Truck, Depot (threshold 1), was 1"]
    );
    assert!(mails[0].text.contains("was held until they began"), "{}", mails[0].text);
}

async fn a_test_is_marked_and_changes_nothing(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let recipients = json!([{ "email": "ada@example.com" }, { "user_id": 3 }]);
    let rule = world.rule(&json!({ "split_by": "machine", "recipients": recipients })).await;
    world.incursions(2, 2).await;
    assert!(world.mails().await.is_empty());
    let path = format!("/api/v1/alerts/{rule}/test");
    let reply = world.send(&world.member, Method::POST, &path, None).await.expect(200);
    assert_eq!(reply.json()["deliveries"], 2);
    let mails = world.mails().await;
    assert_eq!(mails.len(), 2);
    for mail in &mails {
        let subject = "Test of \"Too many\": 2 incursions in 60 minutes at Loader, Yard (threshold 3)";
        assert_eq!(mail.subject, subject);
        assert!(mail.text.contains("This is a test") && mail.text.contains("Value: 2\n"), "{}", mail.text);
        let link = mail.unsubscribe.as_deref().unwrap();
        assert!(mail.text.contains(link) && mail.images.len() == 1, "{}", mail.text);
        for part in ["/sites/1\n", "/machines/2\n", "(Europe/Berlin)\n"] {
            assert!(mail.text.contains(part), "{part}: {}", mail.text);
        }
        assert!(!mail.text.contains("/firings/"), "{}", mail.text);
    }
    assert!(world.firings(rule).await.is_empty());
    let log = world.get("/api/v1/admin/audit_log?action=alert.tested").await;
    assert_eq!(log["data"].as_array().unwrap().len(), 1);
    // The viewer may not, and the restricted member does not see the alert.
    world.send(&world.viewer, Method::POST, &path, None).await.expect(403);
    world.send(&world.restricted, Method::POST, &path, None).await.expect(404);
}

async fn an_alert_can_be_tested_five_times_an_hour(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({})).await;
    let test =
        async || world.send(&world.member, Method::POST, &format!("/api/v1/alerts/{rule}/test"), None).await;
    for _ in 0..5 {
        test().await.expect(200);
        world.app.clock.advance(Span::minutes(1));
    }
    assert_eq!(test().await.expect(409).code(), "too_many_tests");
    world.advance_minutes(56);
    test().await.expect(200);
    assert_eq!(world.mails().await.len(), 6);
}

async fn deleting_an_alert_does_not_allow_more_tests(app: TestApp) {
    let world = AlertWorld::new(app).await;
    for number in 0..21 {
        let rule = world.rule(&json!({})).await;
        let path = format!("/api/v1/alerts/{rule}");
        let reply = world.send(&world.member, Method::POST, &format!("{path}/test"), None).await;
        if number < 20 {
            reply.expect(200);
        } else {
            assert_eq!(reply.expect(409).code(), "too_many_tests");
        }
        world.send(&world.member, Method::DELETE, &path, None).await.expect(200);
    }
    // Others can still test.
    let rule = world.rule_of(&world.admin, &json!({})).await;
    world.send(&world.admin, Method::POST, &format!("/api/v1/alerts/{rule}/test"), None).await.expect(200);
    world.mails().await;
}

async fn a_test_without_a_value_shows_an_example(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let members = json!({ "name": "Yard <b>rate</b>", "metric": "acknowledgement_rate", "threshold": 0.8 });
    let rule = world.rule(&members).await;
    world.send(&world.admin, Method::POST, &format!("/api/v1/alerts/{rule}/test"), None).await.expect(200);
    let mails = world.mails().await;
    let [mail] = mails.as_slice() else { panic!("{:?}", subjects(&mails)) };
    assert!(mail.text.contains("Value: 80 %\n"), "{}", mail.text);
    assert!(mail.text.contains("so this one is an example"), "{}", mail.text);
    assert!(!mail.html.contains("<b>") && mail.html.contains("Yard &#60;b&#62;rate"), "{}", mail.html);
}
