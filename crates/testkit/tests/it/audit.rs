//! The audit log and its hash chain.

use domain::{AuditRow, DeviceKind, Role, Span};
use serde_json::{Value, json};
use testkit::{Engine, PASSWORD, TestApp, on_both_engines};

on_both_engines!(
    what_people_do_is_written_down,
    refused_logins_are_summed_by_account_and_minute,
    sealers_in_many_processes_make_one_chain,
    rows_cannot_be_changed_or_taken_away,
    the_chain_shows_what_was_touched
);

/// Returns all rows in the order in which they were sealed.
async fn rows(app: &TestApp) -> Vec<AuditRow> {
    app.app.seal_audit_log().await.unwrap();
    let (store, platform) = app.database().open().await;
    let mut tx = store.read().await.unwrap();
    let mut all = Vec::new();
    for chain in tx.audits(&platform).chains().await.unwrap() {
        all.extend(tx.audits(&platform).sealed_rows(chain.chain, 0, 10_000).await.unwrap());
    }
    all
}

async fn what_people_do_is_written_down(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let dead = app.post("/api/v1/tester/people_assets").bearer(&token).json(&json!({})).send().await;
    dead.expect(401);
    let logout =
        app.delete("/api/v1/session").cookie(&ada.cookie).with_address("192.0.2.5").send().await.expect(200);
    let email = domain::EmailAddress::parse(&ada.email).unwrap();
    app.app.set_access(&email, Some(Role::Member), None).await.unwrap();

    let rows = rows(&app).await;
    let actions: Vec<&str> = rows.iter().map(|row| row.action.as_str()).collect();
    let expected = [
        "brand.created",
        "user.created",
        "session.started",
        "session.started",
        "token.issued",
        "token.rotated",
        "session.ended",
        "user.access_changed",
    ];
    assert_eq!(actions, expected);
    let ended = &rows[6];
    assert_eq!((ended.actor_kind.as_str(), ended.actor_id), ("user", Some(1)));
    assert_eq!(ended.address.as_deref(), Some("192.0.2.5"));
    assert_eq!(ended.request_id.as_deref(), Some(logout.header("x-request-id")));
    let changed: Value = serde_json::from_str(&rows[7].details).unwrap();
    assert_eq!((&changed["before"]["role"], &changed["after"]["role"]), (&json!("admin"), &json!("member")));
    // Personal data is stored beside the row, where it can be erased.
    assert!(rows.iter().all(|row| !row.details.contains("ada@")));
    assert!(rows[1].personal_text.as_deref().unwrap().contains("ada@example.com"));
}

async fn refused_logins_are_summed_by_account_and_minute(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    for _ in 0..3 {
        app.log_in_v1("ada@example.com", "wrong").await.expect(401);
    }
    // One login has a password in place of the email address, another an invented address.
    app.log_in_v1("Tr0ub4dor&3", "wrong").await.expect(401);
    app.log_in_v1("nobody@example.com", "wrong").await.expect(401);
    let sum = || app.app.audit_failed_logins();
    sum().await.unwrap();
    assert!(rows(&app).await.iter().all(|row| row.action != "login.refused"), "the minute is not over");
    app.clock.advance(Span::seconds(30));
    let other = app.second_instance().await;
    let (one, two) = tokio::join!(sum(), other.app.audit_failed_logins());
    one.and(two).unwrap();
    let refused: Vec<(Option<i64>, i64, Option<String>)> = rows(&app)
        .await
        .into_iter()
        .filter(|row| row.action == "login.refused")
        .map(|row| {
            let details: Value = serde_json::from_str(&row.details).unwrap();
            (row.brand.map(|brand| brand.0), details["refusals"].as_i64().unwrap(), row.personal_text)
        })
        .collect();
    let expected = [(None, 2, None), (Some(1), 3, Some(r#"{"account":"ada@example.com"}"#.to_owned()))];
    assert_eq!(refused, expected);
    for typed in ["Tr0ub4dor", "nobody@example.com"] {
        assert_eq!(
            testkit::find_tables_with_text(app.database(), typed).await,
            [""; 0],
            "{typed} is not stored anywhere"
        );
    }
}

async fn the_chain_shows_what_was_touched(engine: Engine) {
    let stray = "insert into audit_log (at, actor_kind, action, target_kind, details) values (1, 'user', 'x', 'x', '{}')";
    for (meddling, found) in [
        ("", ""),
        (
            "update audit_log set details = '{}' where action = 'brand.created' and brand_id = 1",
            "row 1 was changed",
        ),
        ("update audit_log set brand_id = 2 where id = 2", "the row of link 2 is missing"),
        ("update audit_texts set text = '{}' where audit_id = 3", "the personal text of row 3"),
        ("delete from audit_seals where position = 3", "link 3 is missing"),
        ("delete from audit_seals where position = 5", "ends at link 4 instead of 5"),
        ("delete from audit_chains where chain = 1", "no record of its end"),
        (stray, "neither sealed nor waiting to be sealed"),
    ] {
        let app = TestApp::start(engine).await;
        for n in 0..4 {
            app.create_user(&format!("u{n}@example.com"), Role::Viewer).await;
        }
        app.app.rotate_signing_key(app::EarlierTokens::Keep).await.unwrap();
        app.ensure_brand("Other").await;
        app.app.seal_audit_log().await.unwrap();
        let report = app.app.check_audit_log().await.unwrap();
        assert_eq!((report.sealed, report.faults.len()), (7, 0), "{report:?}");
        if !meddling.is_empty() {
            testkit::drop_audit_triggers(app.database()).await;
            testkit::execute_raw_sql(app.database(), meddling).await.unwrap();
            let report = app.app.check_audit_log().await.unwrap();
            assert!(report.faults.iter().any(|fault| fault.contains(found)), "{meddling}: {report:?}");
        }
    }
}

async fn sealers_in_many_processes_make_one_chain(app: TestApp) {
    let mut places = Vec::new();
    for _ in 0..4 {
        places.push(app.second_instance().await);
    }
    app.create_user("ada@example.com", Role::Viewer).await;
    let mut work = tokio::task::JoinSet::new();
    for place in &places {
        let app = std::sync::Arc::clone(&place.app);
        work.spawn(async move {
            for _ in 0..10 {
                app.rotate_signing_key(app::EarlierTokens::Keep).await.unwrap();
                app.seal_audit_log().await.unwrap();
            }
        });
    }
    work.join_all().await;
    app.app.seal_audit_log().await.unwrap();
    let report = app.app.check_audit_log().await.unwrap();
    assert_eq!((report.sealed, report.faults), (42, Vec::<String>::new()));
}

async fn rows_cannot_be_changed_or_taken_away(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    for statement in ["update audit_log set action = 'x'", "delete from audit_log"] {
        let refused = testkit::execute_raw_sql(app.database(), statement).await.unwrap_err();
        assert!(refused.contains("append-only"), "{refused}");
    }
    app.log_in_v1("ada@example.com", PASSWORD).await.expect(201);
}
