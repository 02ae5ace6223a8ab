//! Upgrade of a database from before there was an installation key.

use std::fs;

use domain::{Role, Secret};
use serde_json::json;
use testkit::{Engine, TestApp, drop_audit_triggers, on_both_engines};

use super::{Forger, app_with_key_file};

on_both_engines!(
    an_old_database_is_sealed_at_its_first_start,
    of_two_hosts_that_start_at_once_one_makes_the_key,
);

/// Reverts a database to the state before there was a key: secrets in plaintext, links without a key.
async fn revert_to_unkeyed(app: &TestApp) {
    let forger = Forger::new(app).await;
    let mut tx = forger.store.begin().await.unwrap();
    for column in store::SEALED_COLUMNS {
        for value in tx.key_epochs(&forger.platform).values(column, 0, 100).await.unwrap() {
            let plain = app.app.unseal(column.purpose, value.context.as_bytes(), &value.sealed).unwrap();
            tx.key_epochs(&forger.platform).replace_value(column, value.id, plain).await.unwrap();
        }
    }
    tx.commit().await.unwrap();
    for chain in [0, 1] {
        forger.reseal(chain, true, 100).await;
    }
    forger
        .execute_raw_sql(
            "delete from key_epochs; delete from audit_marks; update installation set key_id = null",
        )
        .await;
    let _ = fs::remove_file(app.data().join("installation.key"));
    let _ = fs::remove_file(app.data().join("audit-heads.log"));
}

async fn an_old_database_is_sealed_at_its_first_start(engine: Engine) {
    let app = app_with_key_file(engine).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.app.rotate_signing_key(app::EarlierTokens::Keep).await.unwrap();
    // A sealed value in a table whose key column is not `id`.
    let begun = app.post("/api/v1/session/second_factor").cookie(&ada.cookie).send().await.expect(201).json();
    let secret = begun["secret"].as_str().unwrap();
    app.app.seal_audit_log().await.unwrap();
    revert_to_unkeyed(&app).await;

    let next = app.second_instance().await;
    assert!(app.data().join("installation.key").exists());
    next.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(200);
    next.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(200);
    let refresh = next.post("/api/v2/refresh").header("refreshtoken", &ada.refresh_token).send().await;
    refresh.expect(200);
    let otp = json!({ "otp": app.otp(secret) });
    let confirm = next.post("/api/v1/session/second_factor/confirm").cookie(&ada.cookie).json(&otp);
    confirm.send().await.expect(200);
    let (store, platform) = app.database().open().await;
    let mut tx = store.read().await.unwrap();
    for column in store::SEALED_COLUMNS {
        for value in tx.key_epochs(&platform).values(column, 0, 100).await.unwrap() {
            assert_eq!(value.sealed[..5], [1, 0, 0, 0, 1], "{}", column.purpose);
        }
    }
    drop(tx);
    next.create_user("bob@example.com", Role::Viewer).await;
    next.app.seal_audit_log().await.unwrap();
    let report = next.app.check_audit_log().await.unwrap();
    assert!(report.faults.is_empty() && report.sealed >= 6, "{report:?}");

    // The older part of the chain is bound into what follows and cannot be computed again.
    drop_audit_triggers(app.database()).await;
    let forger = Forger::new(&app).await;
    forger.execute_raw_sql("update audit_log set details = '{\"reason\":\"nothing\"}' where id = 2").await;
    let marked = "select cast(position as text) from audit_marks where chain = 1";
    let marked = testkit::query_raw_sql(app.database(), marked).await[0].parse().unwrap();
    forger.reseal(1, true, marked).await;
    let report = next.app.check_audit_log().await.unwrap();
    assert!(report.faults[0].contains("is not the one that epoch 1 began after"), "{report:?}");
}

async fn of_two_hosts_that_start_at_once_one_makes_the_key(engine: Engine) {
    let app = app_with_key_file(engine).await;
    app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.app.seal_audit_log().await.unwrap();
    revert_to_unkeyed(&app).await;
    let folders = [testkit::temporary_folder(), testkit::temporary_folder()];
    let start = |n: usize| {
        let mut config = app.config.clone();
        config.data = folders[n].path().to_owned();
        config.installation.key = Secret::default();
        async move {
            let opened = open_store(&config).await;
            let (clock, random) = (domain::Clock::System, domain::Random::System);
            server::Application::with_store(opened, &config, clock, random).await.map(drop)
        }
    };
    let (one, two) = tokio::join!(start(0), start(1));
    let keys = folders.iter().filter(|folder| folder.path().join("installation.key").exists()).count();
    assert_eq!((one.is_ok() != two.is_ok(), keys), (true, 1), "{:?} {:?}", one.err(), two.err());
    let refused = [start(0).await, start(1).await].into_iter().filter_map(Result::err).collect::<Vec<_>>();
    assert_eq!(refused.len(), 1);
    assert!(refused[0].to_string().contains("is missing"), "{}", refused[0]);
}

async fn open_store(config: &server::Config) -> (store::Store, store::Platform) {
    let address = config.database.address(&config.data).unwrap();
    store::Store::open(&address, &config.database).await.unwrap()
}
