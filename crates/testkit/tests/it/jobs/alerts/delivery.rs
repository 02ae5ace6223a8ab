//! Mails through a real server: what arrives, and what happens when the server is away, refuses a recipient, or a worker is killed.

use std::collections::HashSet;
use std::time::Duration;

use mail::{Security, Transport};
use serde_json::{Value, json};
use store::JobCounts;
use testbed::{ReceivedMessage, SmtpBehaviour, SmtpServer};
use testkit::{Engine, Process, TestApp, on_both_engines};

use super::world::AlertWorld;
use crate::mail::parse;
use crate::program;

on_both_engines!(
    a_parser_reads_what_arrives,
    every_alarm_arrives_once_after_the_server_was_away_for_an_hour,
    a_recipient_whom_the_server_refuses_is_shown_and_the_others_go_on,
    a_refusal_that_is_not_about_the_recipient_is_tried_again,
    an_address_that_is_not_valid_for_mail_is_shown,
    a_mail_is_tried_for_three_days_and_then_says_that_it_failed,
    a_delivery_whose_job_is_gone_has_failed,
    a_job_that_is_given_up_says_so_in_its_delivery,
    a_mail_that_is_sent_again_after_a_crash_is_the_same,
);

/// Starts a world whose mails go to this server.
async fn world_with(engine: Engine, server: &SmtpServer) -> AlertWorld {
    let port = server.address().port();
    let app = TestApp::start_with(engine, |config| {
        config.mail.transport = Transport::Smtp;
        config.mail.smtp.host = "127.0.0.1".to_owned();
        config.mail.smtp.port = port;
        config.mail.smtp.security = Security::None;
    });
    AlertWorld::new(app.await).await
}

fn accepted(server: &SmtpServer) -> Vec<ReceivedMessage> {
    server.received().into_iter().filter(|message| message.is_accepted).collect()
}

/// Returns the recipients of a rule as the admin sees them.
async fn recipients(world: &AlertWorld, rule: i64) -> Vec<Value> {
    world.get(&format!("/api/v1/alerts/{rule}")).await["recipients"].as_array().unwrap().clone()
}

async fn a_parser_reads_what_arrives(engine: Engine) {
    let server = SmtpServer::start().unwrap();
    let world = world_with(engine, &server).await;
    let rule = world.rule(&json!({ "name": "Größe", "split_by": "machine" })).await;
    world.incursions(1, 3).await;
    world.mails().await;
    let received = accepted(&server);
    let [message] = received.as_slice() else { panic!("{} messages", received.len()) };
    assert_eq!(message.to, ["ada@example.com"]);
    let parsed = parse(&message.text);
    assert_eq!((&parsed["type"], &parsed["defects"]), (&json!("multipart/alternative"), &json!([])));
    let headers = &parsed["headers"];
    assert_eq!(headers["subject"], "Warning: 3 incursions in 60 minutes at Digger, Yard (threshold 3)");
    assert_eq!(headers["to"], "ada <ada@example.com>");
    assert_eq!(headers["list-unsubscribe-post"], "List-Unsubscribe=One-Click");
    let link = headers["list-unsubscribe"].as_str().unwrap();
    let link = link.strip_prefix('<').and_then(|link| link.strip_suffix('>')).unwrap();
    let text = parsed["parts"][0]["text"].as_str().unwrap();
    assert!(text.contains("Alert: Größe\n") && text.contains(link), "{text}");
    let related = &parsed["parts"][1];
    assert_eq!(related["type"], "multipart/related");
    let html = related["parts"][0]["text"].as_str().unwrap();
    let image = &related["parts"][1];
    let id = image["headers"]["content-id"].as_str().unwrap().trim_matches(['<', '>']);
    assert!(id.starts_with("chart.") && id.ends_with("@127.0.0.1"), "{id}");
    assert!(html.contains(&format!("src=\"cid:{id}\"")) && html.contains("Größe"), "{html}");
    let bytes = image["bytes"].as_str().unwrap();
    // The signature, then the header with the width and the height.
    assert!(bytes.starts_with("89504e470d0a1a0a0000000d49484452"), "{}", &bytes[..64]);
    let width = u32::from_str_radix(&bytes[32..40], 16).unwrap();
    assert!((560..=4_000).contains(&width), "{width}");
    // The link of the header is the one that works.
    let path = link.strip_prefix("http://127.0.0.1:8080").unwrap();
    let click = world.app.post(path).bytes("application/x-www-form-urlencoded", "List-Unsubscribe=One-Click");
    click.send().await.expect(200);
    assert_ne!(recipients(&world, rule).await[0]["unsubscribed_at"], Value::Null);
}

async fn every_alarm_arrives_once_after_the_server_was_away_for_an_hour(engine: Engine) {
    let server = SmtpServer::start().unwrap();
    let world = world_with(engine, &server).await;
    for number in 0..10 {
        let members = json!({ "name": format!("Rule {number}"), "threshold": 1, "split_by": "machine",
            "window_minutes": 1_440 });
        world.rule(&members).await;
    }
    server.set_default_behaviour(SmtpBehaviour::RefuseGreeting("421 away"));
    for machine in 1..=3 {
        world.incursion(machine, &json!({})).await;
    }
    assert_eq!(world.evaluate().await.fired, 30);
    for _ in 0..12 {
        world.app.run_jobs().await;
        world.advance_minutes(5);
    }
    assert!(server.received().is_empty());
    server.set_default_behaviour(SmtpBehaviour::Accept);
    // The longest time between two attempts.
    world.advance_minutes(60);
    world.evaluate().await;
    world.app.run_jobs().await;
    let received = accepted(&server);
    let ids: HashSet<&str> = received.iter().map(|message| message.header("Message-ID")).collect();
    assert_eq!((received.len(), ids.len()), (30, 30));
    assert_eq!(world.app.app.job_counts().await.unwrap(), JobCounts::default());
    let count = "select cast(count(*) as text) from alert_deliveries where state = 'sent'";
    assert_eq!(testkit::query_raw_sql(world.app.database(), count).await, ["30"]);
}

async fn a_recipient_whom_the_server_refuses_is_shown_and_the_others_go_on(engine: Engine) {
    let server = SmtpServer::start().unwrap();
    let world = world_with(engine, &server).await;
    let (ada, bob) = (json!({ "email": "ada@example.com" }), json!({ "email": "bob@example.com" }));
    let members = json!({ "threshold": 1, "split_by": "machine", "recipients": [ada, bob] });
    let rule = world.rule(&members).await;
    server.queue_behaviours([SmtpBehaviour::RefuseRecipient("550 5.1.1 <ada@example.com> is unknown")]);
    world.incursion(1, &json!({})).await;
    world.mails().await;
    let to = |messages: Vec<ReceivedMessage>| -> Vec<String> {
        messages.into_iter().flat_map(|message| message.to).collect()
    };
    assert_eq!(to(accepted(&server)), ["bob@example.com"]);
    assert_eq!(world.app.app.job_counts().await.unwrap(), JobCounts::default(), "the job is done");
    let shown = recipients(&world, rule).await;
    assert_eq!(shown[0]["refused_reason"], "550");
    assert_eq!(shown[0]["refused_at"], "2026-03-01T12:00:30Z");
    assert_eq!(shown[1]["refused_at"], Value::Null);
    // Nothing is sent to Ada any more.
    world.incursion(2, &json!({})).await;
    world.mails().await;
    assert_eq!(to(accepted(&server)), ["bob@example.com", "bob@example.com"]);
    let firing = world.firings(rule).await[1]["id"].clone();
    let firing = world.get(&format!("/api/v1/alerts/{rule}/firings/{firing}")).await;
    let first = &firing["deliveries"][0];
    assert_eq!((&first["state"], &first["reason"]), (&json!("suppressed"), &json!("refused")));
    // Until the address is set anew.
    let path = format!("alerts/{rule}");
    world.patch(&path, &json!({ "recipients": [bob] })).await;
    world.patch(&path, &json!({ "recipients": [bob, ada] })).await;
    assert!(recipients(&world, rule).await.iter().all(|recipient| recipient["refused_at"].is_null()));
    world.incursion(3, &json!({})).await;
    world.mails().await;
    assert_eq!(to(accepted(&server)).len(), 4);
}

async fn a_refusal_that_is_not_about_the_recipient_is_tried_again(engine: Engine) {
    let server = SmtpServer::start().unwrap();
    let world = world_with(engine, &server).await;
    let rule = world.rule(&json!({ "threshold": 1 })).await;
    server.queue_behaviours([SmtpBehaviour::RefuseRecipient("550 5.7.1 relaying denied")]);
    world.incursion(1, &json!({})).await;
    world.mails().await;
    assert!(accepted(&server).is_empty());
    assert_eq!(recipients(&world, rule).await[0]["refused_at"], Value::Null);
    world.advance_minutes(1);
    world.app.run_jobs().await;
    assert_eq!(accepted(&server).len(), 1);
}

async fn an_address_that_is_not_valid_for_mail_is_shown(engine: Engine) {
    let server = SmtpServer::start().unwrap();
    let world = world_with(engine, &server).await;
    let rule = world.rule(&json!({ "threshold": 1, "split_by": "machine" })).await;
    // New ones are refused; these may have been stored before.
    for (machine, address) in [(1, "a..b@exa_mple.com"), (2, "a@[127.0.0.1]"), (3, "\u{200b}@b.test")] {
        let odd = format!(
            "update alert_recipients set email = '{address}', refused_at = null, refused_reason = null"
        );
        testkit::execute_raw_sql(world.app.database(), &odd).await.unwrap();
        world.incursion(machine, &json!({})).await;
        world.mails().await;
        assert_eq!(recipients(&world, rule).await[0]["refused_reason"], "invalid_address", "{address}");
        assert_eq!(world.app.app.job_counts().await.unwrap(), JobCounts::default());
    }
    let states = "select distinct state || ' ' || reason from alert_deliveries";
    assert_eq!(testkit::query_raw_sql(world.app.database(), states).await, ["failed refused"]);
}

async fn a_mail_is_tried_for_three_days_and_then_says_that_it_failed(engine: Engine) {
    let server = SmtpServer::start().unwrap();
    let world = world_with(engine, &server).await;
    let rule = world.rule(&json!({ "threshold": 1, "split_by": "machine", "window_minutes": 43_200 })).await;
    server.set_default_behaviour(SmtpBehaviour::RefuseGreeting("421 away"));
    world.incursion(1, &json!({})).await;
    world.mails().await;
    let firing = world.firings(rule).await[0]["id"].clone();
    let path = format!("/api/v1/alerts/{rule}/firings/{firing}");
    let delivery = async || world.get(&path).await["deliveries"][0].clone();
    let first = delivery().await;
    assert_eq!((&first["state"], &first["attempts"]), (&json!("queued"), &json!(1)));
    assert_eq!(first["reason"], "mail_server_unavailable");
    assert_ne!(first["last_attempt_at"], Value::Null);
    // More attempts than a job has, over a weekend.
    for _ in 0..2 * 24 {
        world.advance_minutes(60);
        world.app.run_jobs().await;
    }
    let waiting = delivery().await;
    assert_eq!((&waiting["state"], &waiting["attempts"]), (&json!("queued"), &json!(49)));
    for _ in 0..2 * 24 {
        world.advance_minutes(60);
        world.app.run_jobs().await;
    }
    let last = delivery().await;
    assert_eq!((&last["state"], &last["reason"]), (&json!("failed"), &json!("mail_server_unavailable")));
    assert_eq!(world.app.app.job_counts().await.unwrap(), JobCounts::default());
}

async fn a_delivery_whose_job_is_gone_has_failed(engine: Engine) {
    let world = AlertWorld::new(TestApp::start(engine).await).await;
    world.rule(&json!({ "threshold": 1, "split_by": "machine" })).await;
    world.incursion(1, &json!({})).await;
    world.incursion(2, &json!({})).await;
    assert_eq!(world.evaluate().await.fired, 2);
    let database = world.app.database();
    let lost = "delete from jobs where id = (select max(id) from jobs where kind = 'alert_mail')";
    testkit::execute_raw_sql(database, lost).await.unwrap();
    assert_eq!(world.app.app.give_up_lost_deliveries().await.unwrap(), 0, "it may still be sent");
    world.advance_minutes(120);
    assert_eq!(world.app.app.give_up_lost_deliveries().await.unwrap(), 1);
    let states = "select state || ' ' || coalesce(reason, '') from alert_deliveries order by id";
    assert_eq!(testkit::query_raw_sql(database, states).await, ["queued ", "failed given_up"]);
    world.app.run_jobs().await;
    assert_eq!(testkit::query_raw_sql(database, states).await, ["sent ", "failed given_up"]);
}

async fn a_job_that_is_given_up_says_so_in_its_delivery(engine: Engine) {
    let world = AlertWorld::new(TestApp::start(engine).await).await;
    world.app.allow_leftover_jobs();
    world.rule(&json!({ "threshold": 1 })).await;
    world.incursion(1, &json!({})).await;
    assert_eq!(world.evaluate().await.fired, 1);
    let database = world.app.database();
    // The workers of all attempts died.
    let died = "update jobs set attempts = 1000 where kind = 'alert_mail'";
    testkit::execute_raw_sql(database, died).await.unwrap();
    world.app.run_jobs().await;
    assert_eq!(world.app.app.job_counts().await.unwrap().failed, 1);
    let states = "select state || ' ' || reason from alert_deliveries";
    assert_eq!(testkit::query_raw_sql(database, states).await, ["failed given_up"]);
}

async fn a_mail_that_is_sent_again_after_a_crash_is_the_same(engine: Engine) {
    let server = SmtpServer::start().unwrap();
    let world = AlertWorld::new(TestApp::start(engine).await).await;
    world.rule(&json!({ "threshold": 1, "split_by": "machine" })).await;
    world.incursion(1, &json!({})).await;
    // The processes evaluate as well. By their clock, which cannot be moved, the alarm has cleared long ago.
    assert_eq!(world.evaluate().await.fired, 1);
    let port = server.address().port().to_string();
    let settings = [
        ("KEEPCLEAR__MAIL__TRANSPORT", "smtp"),
        ("KEEPCLEAR__MAIL__SMTP__HOST", "127.0.0.1"),
        ("KEEPCLEAR__MAIL__SMTP__PORT", port.as_str()),
        ("KEEPCLEAR__MAIL__SMTP__SECURITY", "none"),
        // Long enough that a worker on a busy machine keeps its job, and the mail is not sent a third time.
        ("KEEPCLEAR__JOBS__LEASE_S", "5"),
        ("KEEPCLEAR__JOBS__POLL_INTERVAL_MS", "20"),
    ];
    // The first worker is killed after the server has read the message and not yet answered.
    server.queue_behaviours([SmtpBehaviour::StallAfterMessage]);
    let worker = Process::start_worker(program(), world.app.database(), &settings);
    assert!(server.wait_for_messages(1), "a worker works");
    let (status, _) = worker.stop("-KILL");
    assert!(!status.success());
    let worker = Process::start_worker(program(), world.app.database(), &settings);
    assert!(server.wait_for_messages(2), "another takes over");
    loop {
        let counts = world.app.app.job_counts().await.unwrap();
        if (counts.waiting, counts.running) == (0, 0) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (status, log) = worker.stop("-TERM");
    assert!(status.success(), "{log}");
    let received = server.received();
    let [first, again] = received.as_slice() else { panic!("{} messages", received.len()) };
    assert!(!first.header("Message-ID").is_empty() && again.is_accepted);
    assert_eq!(first.header("Message-ID"), again.header("Message-ID"));
    assert_eq!(first.header("Subject"), again.header("Subject"));
    let state = "select state from alert_deliveries";
    assert_eq!(testkit::query_raw_sql(world.app.database(), state).await, ["sent"]);
}
