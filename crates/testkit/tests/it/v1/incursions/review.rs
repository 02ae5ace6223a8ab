//! POST /api/v1/incursions/{id}/review

use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{PATH, Yard};

on_both_engines!(
    reviews_are_kept_one_after_the_other,
    what_is_dismissed_is_not_counted_until_asked_for,
    to_say_the_same_again_changes_nothing_but_a_comment_is_kept,
    a_review_of_what_was_changed_meanwhile_is_refused,
    a_review_can_be_repeated_and_keeps_no_name,
    a_review_is_audited_with_its_comment_beside,
    reviews_at_once_are_all_kept,
    incursions_of_other_projects_cannot_be_reviewed,
);

async fn reviews_are_kept_one_after_the_other(app: TestApp) {
    let yard = Yard::new(app).await;
    let id = yard.facts.add_incursions(vec![yard.row(60, Some(1))]).await[0];
    let member = yard.app.sign_in_new_user("mem@example.com", Role::Member).await;
    let first = yard.review(&member, id, &json!({ "state": "dismissed", "comment": " Loading\nbay " })).await;
    let first = first.expect(200);
    assert_eq!(first.header("etag"), "\"2\"");
    let said = json!({
        "state": "dismissed", "by": { "type": "user", "id": 2, "name": "mem" }, "at": "2026-03-01T12:00:37Z", "comment": "Loading\nbay",
    });
    assert_eq!(first.json()["review"], said);
    yard.app.clock.advance(Span::minutes(1));
    let second = yard.review(&yard.admin, id, &json!({ "state": "confirmed" })).await.expect(200).json();
    assert_eq!((&second["seq"], &second["review"]["state"]), (&json!(3), &json!("confirmed")));
    assert_eq!(second["review"]["by"]["name"], "admin");
    assert_eq!(second["reviews"][0], said);
    assert_eq!(second["reviews"][1], second["review"]);
    let causes: Vec<&Value> = second["changes"].as_array().unwrap().iter().map(|of| &of["cause"]).collect();
    assert_eq!(causes, [&json!("review"), &json!("review")]);
    assert_eq!(second["changes"][1]["replaced"]["review"], "dismissed");
    // A review can be undone.
    let back = yard.review(&yard.admin, id, &json!({ "state": "unreviewed" })).await.expect(200).json();
    assert_eq!(
        (&back["review"]["state"], &back["reviews"][2]["state"]),
        (&json!("unreviewed"), &json!("unreviewed"))
    );
    assert_eq!(yard.get(&yard.admin, "/1").await.expect(200).json(), back);
    assert_eq!(yard.ids(&yard.admin, "?after_seq=3").await, [1]);
}

async fn what_is_dismissed_is_not_counted_until_asked_for(app: TestApp) {
    let yard = Yard::new(app).await;
    let ids = yard.facts.add_incursions((0..4).map(|number| yard.row(number, Some(1))).collect()).await;
    for (id, state) in ids.iter().zip(["unreviewed", "confirmed", "dismissed", "false_detection"]) {
        yard.review(&yard.admin, *id, &json!({ "state": state })).await.expect(200);
    }
    assert_eq!(yard.ids(&yard.admin, "").await, [1, 2]);
    assert_eq!(yard.ids(&yard.admin, "?review=dismissed&review=false_detection").await, [3, 4]);
}

async fn to_say_the_same_again_changes_nothing_but_a_comment_is_kept(app: TestApp) {
    let yard = Yard::new(app).await;
    let id = yard.facts.add_incursions(vec![yard.row(60, Some(1))]).await[0];
    let once = yard.review(&yard.admin, id, &json!({ "state": "confirmed" })).await.expect(200).json();
    let rows = testkit::count_rows(yard.app.database()).await;
    for body in [json!({ "state": "confirmed" }), json!({ "state": "confirmed", "comment": " \n " })] {
        assert_eq!(yard.review(&yard.admin, id, &body).await.expect(200).json(), once);
    }
    assert_eq!(testkit::count_rows(yard.app.database()).await, rows);
    let body = json!({ "state": "confirmed", "comment": "Seen on video" });
    let again = yard.review(&yard.admin, id, &body).await.expect(200).json();
    assert!(again["seq"].as_i64() > once["seq"].as_i64(), "{again}");
    assert_eq!(again["reviews"].as_array().unwrap().len(), 2);
    let long = json!({ "state": "confirmed", "comment": "x".repeat(4_001) });
    assert_eq!(yard.review(&yard.admin, id, &long).await.expect(422).json()["errors"][0]["code"], "too_long");
    let bad = yard.review(&yard.admin, id, &json!({ "state": "seen" })).await.expect(422).json();
    assert_eq!(bad["errors"][0]["code"], "invalid_review");
}

async fn a_review_of_what_was_changed_meanwhile_is_refused(app: TestApp) {
    let yard = Yard::new(app).await;
    let id = yard.facts.add_incursions(vec![yard.row(60, Some(1))]).await[0];
    let call = |tag: &str| {
        let body = json!({ "state": "confirmed", "comment": "x" });
        let call = yard.app.post(&format!("{PATH}/{id}/review")).cookie(&yard.admin.cookie);
        call.header("if-match", tag).json(&body).send()
    };
    let etag = call("\"1\"").await.expect(200).header("etag").to_owned();
    assert_eq!(call("\"1\"").await.expect(412).code(), "stale");
    call(&etag).await.expect(200);
}

async fn a_review_can_be_repeated_and_keeps_no_name(app: TestApp) {
    let yard = Yard::new(app).await;
    let id = yard.facts.add_incursions(vec![yard.row(60, Some(1))]).await[0];
    let call = |state: &str| {
        let body = json!({ "state": state, "comment": "Looked at twice" });
        let call = yard.app.post(&format!("{PATH}/{id}/review")).cookie(&yard.admin.cookie);
        call.header("idempotency-key", "k-1").json(&body).send()
    };
    let first = call("confirmed").await.expect(200).json();
    assert_eq!(call("confirmed").await.expect(200).json(), first);
    assert_eq!(first["reviews"].as_array().unwrap().len(), 1);
    assert_eq!(call("dismissed").await.expect(422).code(), "idempotency_key_reused");
    // The pedestrian's name is stored with people and in the erasable texts of the audit log, and nowhere else.
    let places = testkit::find_tables_with_text(yard.app.database(), "Ada").await;
    assert!(!places.iter().any(|place| place.contains("idempotency")), "{places:?}");
}

async fn a_review_is_audited_with_its_comment_beside(app: TestApp) {
    let yard = Yard::new(app).await;
    let id = yard.facts.add_incursions(vec![yard.row(60, Some(1))]).await[0];
    let body = json!({ "state": "false_detection", "comment": "Bob's tag in his locker" });
    yard.review(&yard.admin, id, &body).await.expect(200);
    let log = yard.app.get("/api/v1/admin/audit_log?limit=1").cookie(&yard.admin.cookie).send().await;
    let entry = log.expect(200).json()["data"][0].clone();
    assert_eq!(
        (&entry["action"], &entry["target"]["kind"]),
        (&json!("incursion.reviewed"), &json!("incursion"))
    );
    let details = &entry["details"];
    assert_eq!(details["before"], json!({ "state": "unreviewed", "seq": 1 }));
    assert_eq!(details["after"], json!({ "state": "false_detection", "seq": 2 }));
    assert!(!details.to_string().contains("locker"), "{entry}");
    assert!(entry.to_string().contains("locker"), "{entry}");
}

async fn reviews_at_once_are_all_kept(app: TestApp) {
    let yard = Yard::new(app).await;
    let id = yard.facts.add_incursions(vec![yard.row(60, Some(1))]).await[0];
    let calls = (0..10).map(|number| {
        let body = json!({ "state": "confirmed", "comment": format!("number {number}") });
        let call = yard.app.post(&format!("{PATH}/{id}/review")).cookie(&yard.admin.cookie).json(&body);
        tokio::spawn(call.send())
    });
    let calls: Vec<_> = calls.collect();
    for call in calls {
        call.await.unwrap().expect(200);
    }
    let shown = yard.get(&yard.admin, "/1").await.expect(200).json();
    let reviews = shown["reviews"].as_array().unwrap();
    let mut comments: Vec<String> = reviews.iter().map(|of| of["comment"].to_string()).collect();
    comments.sort();
    let expected: Vec<String> = (0..10).map(|number| format!("\"number {number}\"")).collect();
    assert_eq!(comments, expected);
    let seqs: Vec<i64> =
        shown["changes"].as_array().unwrap().iter().map(|of| of["seq"].as_i64().unwrap()).collect();
    assert_eq!(seqs, (2..=11).collect::<Vec<_>>());
}

async fn incursions_of_other_projects_cannot_be_reviewed(app: TestApp) {
    let yard = Yard::new(app).await;
    let ids =
        yard.facts.add_incursions(vec![yard.row(3, Some(1)), yard.row(2, Some(2)), yard.row(1, None)]).await;
    let some = yard.restricted("some@example.com", Role::Member, &[1]).await;
    let body = json!({ "state": "confirmed" });
    for (id, status) in ids.iter().zip([200, 404, 404]) {
        yard.review(&some, *id, &body).await.expect(status);
    }
    assert_eq!(yard.ids(&yard.admin, "?review=confirmed").await, [1]);
}
