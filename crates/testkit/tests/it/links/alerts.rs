//! /links/alerts: unsubscribing from the mails of an alert.

use domain::Span;
use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    opening_the_link_changes_nothing,
    the_button_and_the_header_unsubscribe_one_recipient,
    a_body_of_any_kind_is_accepted,
    leaving_twice_is_the_same,
    a_mail_that_waits_is_not_sent_to_who_has_left,
    a_link_that_was_altered_does_not_exist,
    a_link_expires,
    a_link_ends_with_its_recipient_and_its_alert,
    the_page_is_in_the_language_of_the_reader,
);

/// An alert with two recipients, and the paths of the links in their mails.
struct Linked {
    world: AlertWorld,
    rule: i64,
    ada: String,
    viewer: String,
}

async fn linked(app: TestApp) -> Linked {
    let world = AlertWorld::new(app).await;
    let recipients = json!([{ "email": "ada@example.com" }, { "user_id": 3 }]);
    let members = json!({
        "name": "<b>Yard</b>", "threshold": 1, "split_by": "machine", "recipients": recipients,
    });
    let rule = world.rule(&members).await;
    world.incursion(1, &json!({})).await;
    let mails = world.mails().await;
    let path = |address: &str| {
        let mail = mails.iter().find(|mail| mail.to.as_str() == address).unwrap();
        mail.unsubscribe.as_deref().unwrap().strip_prefix("http://127.0.0.1:8080").unwrap().to_owned()
    };
    let (ada, viewer) = (path("ada@example.com"), path("viewer@example.com"));
    Linked { world, rule, ada, viewer }
}

impl Linked {
    /// When the recipients have left, in their order.
    async fn left_at(&self) -> Vec<Value> {
        let rule = self.world.get(&format!("/api/v1/alerts/{}", self.rule)).await;
        let recipients = rule["recipients"].as_array().unwrap();
        recipients.iter().map(|recipient| recipient["unsubscribed_at"].clone()).collect()
    }

    async fn audit_rows(&self) -> Vec<Value> {
        let log = self.world.get("/api/v1/admin/audit_log?action=alert.unsubscribed").await;
        log["data"].as_array().unwrap().clone()
    }
}

async fn opening_the_link_changes_nothing(app: TestApp) {
    let there = linked(app).await;
    assert!(there.ada.starts_with(&format!("/links/alerts/1.{}.", there.rule)), "{}", there.ada);
    let page = there.world.app.get(&there.ada).send().await.expect(200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert!(page.header("content-security-policy").contains("form-action 'self'"), "{:?}", page.headers);
    assert_eq!(page.header("referrer-policy"), "no-referrer");
    assert_eq!(page.header("cache-control"), "no-store");
    let text = page.text();
    assert!(text.contains("<form method=\"post\">") && text.contains(">Unsubscribe</button>"), "{text}");
    assert!(text.contains("&quot;&lt;b&gt;Yard&lt;/b&gt;&quot; of Acme?") && !text.contains("<b>"), "{text}");
    let head = there.world.app.request(Method::HEAD, &there.ada).send().await.expect(200);
    assert!(head.body.is_empty());
    there.world.app.delete(&there.ada).send().await.expect(405);
    assert_eq!(there.left_at().await, [Value::Null, Value::Null]);
    assert!(there.audit_rows().await.is_empty());
}

async fn the_button_and_the_header_unsubscribe_one_recipient(app: TestApp) {
    let there = linked(app).await;
    let one_click = ("application/x-www-form-urlencoded", "List-Unsubscribe=One-Click");
    // From a page of another origin, as mail programs in browsers do it.
    let call = there.world.app.post(&there.ada).header("origin", "https://mail.example.com");
    let done = call.header("sec-fetch-site", "cross-site").bytes(one_click.0, one_click.1).send().await;
    let text = done.expect(200).text();
    assert!(text.contains("You no longer receive mails") && !text.contains("<form"), "{text}");
    assert_eq!(there.left_at().await, [json!("2026-03-01T12:00:30Z"), Value::Null]);
    let rows = there.audit_rows().await;
    assert_eq!(rows.len(), 1);
    assert!(!rows[0].to_string().contains("ada@example.com"), "{}", rows[0]);
    there.world.incursion(2, &json!({})).await;
    let mails = there.world.mails().await;
    let to: Vec<&str> = mails.iter().map(|mail| mail.to.as_str()).collect();
    assert_eq!(to, ["viewer@example.com"]);
    let second = there.world.firings(there.rule).await[1]["id"].clone();
    let path = format!("/api/v1/alerts/{}/firings/{second}", there.rule);
    let first = there.world.get(&path).await["deliveries"][0].clone();
    assert_eq!((&first["state"], &first["reason"]), (&json!("suppressed"), &json!("unsubscribed")));
    // A test is a mail of the alert, too.
    let test = format!("/api/v1/alerts/{}/test", there.rule);
    let reply = there.world.send(&there.world.member, Method::POST, &test, None).await.expect(200);
    assert_eq!(reply.json()["deliveries"], 1);
    assert_eq!(there.world.mails().await.len(), 1);
    // Nor does who has left get tests of others, and nobody learns that.
    let other = there.world.rule(&json!({ "threshold": 1_000 })).await;
    let test = format!("/api/v1/alerts/{other}/test");
    let reply = there.world.send(&there.world.member, Method::POST, &test, None).await.expect(200);
    assert_eq!(reply.json()["deliveries"], 0);
    assert!(there.world.mails().await.is_empty());
}

async fn a_body_of_any_kind_is_accepted(app: TestApp) {
    let there = linked(app).await;
    there.world.app.post(&there.ada).send().await.expect(200);
    let form = "--x\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\n\
         One-Click\r\n--x--\r\n";
    let call = there.world.app.post(&there.viewer).bytes("multipart/form-data; boundary=x", form);
    call.send().await.expect(200);
    let call = there.world.app.post(&there.viewer).bytes("text/plain", "x".repeat(100_000));
    call.send().await.expect(200);
    assert!(there.left_at().await.iter().all(|left| !left.is_null()));
    let refused = there.world.app.post(&format!("{}?now=1", there.ada)).send().await.expect(400);
    assert_eq!(refused.json()["errors"][0]["code"], "unknown_parameter");
}

async fn leaving_twice_is_the_same(app: TestApp) {
    let there = linked(app).await;
    there.world.app.post(&there.ada).send().await.expect(200);
    let before = there.left_at().await;
    there.world.advance_minutes(5);
    let again = there.world.app.post(&there.ada).send().await.expect(200).text();
    let page = there.world.app.get(&there.ada).send().await.expect(200).text();
    assert_eq!(page, again, "the page says that it is done");
    assert_eq!(there.left_at().await, before);
    assert_eq!(there.audit_rows().await.len(), 1);
}

async fn a_mail_that_waits_is_not_sent_to_who_has_left(app: TestApp) {
    let there = linked(app).await;
    there.world.incursion(2, &json!({})).await;
    there.world.evaluate().await;
    there.world.app.post(&there.ada).send().await.expect(200);
    let mails = there.world.mails().await;
    let to: Vec<&str> = mails.iter().map(|mail| mail.to.as_str()).collect();
    assert_eq!(to, ["viewer@example.com"]);
}

async fn a_link_that_was_altered_does_not_exist(app: TestApp) {
    let there = linked(app).await;
    let token = there.ada.strip_prefix("/links/alerts/").unwrap();
    let parts: Vec<&str> = token.split('.').collect();
    let [brand, rule, recipient, expires, code] = parts.as_slice() else { panic!("{token}") };
    let later = (expires.parse::<i64>().unwrap() + 1).to_string();
    let other_code: String = code.chars().rev().collect();
    let other = (recipient.parse::<i64>().unwrap() + 1).to_string();
    for altered in [
        format!("2.{rule}.{recipient}.{expires}.{code}"),
        format!("{brand}.2.{recipient}.{expires}.{code}"),
        format!("{brand}.{rule}.{other}.{expires}.{code}"),
        format!("{brand}.{rule}.{recipient}.{later}.{code}"),
        format!("{brand}.{rule}.{recipient}.{expires}.{other_code}"),
        format!("{brand}.{rule}.{recipient}.{expires}."),
        format!("{brand}.{rule}.{recipient}.{expires}"),
        format!("{token}x"),
        format!("0{token}"),
        "x".to_owned(),
        "%00".to_owned(),
    ] {
        let path = format!("/links/alerts/{altered}");
        for method in [Method::GET, Method::POST] {
            let reply = there.world.app.request(method, &path).send().await.expect(404);
            assert_eq!(reply.code(), "not_found", "{altered}");
        }
    }
    // A token for something else is none for this.
    let report = there.ada.replace("/links/alerts/", "/links/reports/");
    there.world.app.get(&report).send().await.expect(404);
    assert_eq!(there.left_at().await, [Value::Null, Value::Null]);
    there.world.app.post(&there.ada).send().await.expect(200);
}

async fn a_link_expires(app: TestApp) {
    let there = linked(app).await;
    there.world.app.clock.advance(Span::seconds(400 * 24 * 60 * 60 - 1));
    there.world.app.get(&there.ada).send().await.expect(200);
    there.world.app.clock.advance(Span::seconds(1));
    for method in [Method::GET, Method::POST] {
        there.world.app.request(method, &there.ada).send().await.expect(404);
    }
}

async fn a_link_ends_with_its_recipient_and_its_alert(app: TestApp) {
    let there = linked(app).await;
    let path = format!("alerts/{}", there.rule);
    there.world.patch(&path, &json!({ "recipients": [{ "user_id": 3 }] })).await;
    there.world.app.post(&there.ada).send().await.expect(404);
    there.world.app.get(&there.viewer).send().await.expect(200);
    let path = format!("/api/v1/alerts/{}", there.rule);
    there.world.send(&there.world.admin, Method::DELETE, &path, None).await.expect(200);
    for method in [Method::GET, Method::POST] {
        let reply = there.world.app.request(method, &there.viewer).send().await.expect(404);
        assert_eq!(reply.code(), "not_found");
    }
}

async fn the_page_is_in_the_language_of_the_reader(app: TestApp) {
    let there = linked(app).await;
    there.world.patch("admin/brand", &json!({ "locale": "de-AT" })).await;
    let page = there.world.app.get(&there.ada).send().await.expect(200).text();
    assert!(page.contains("<html lang=\"de\">") && page.contains(">Abbestellen</button>"), "{page}");
    let done = there.world.app.post(&there.viewer).send().await.expect(200).text();
    assert!(done.contains("Sie erhalten keine Mails der Alarmregel"), "{done}");
}
