//! Rotation of the installation key.

use std::fs;

use domain::{Role, Span};
use serde_json::json;
use testkit::{Database, Engine, Process, TestApp, on_both_engines, read_all_values};

use super::app_with_key_file;
use crate::account::links;
use crate::program;

on_both_engines!(
    nobody_notices_a_rotation,
    a_rotation_that_was_cut_short_is_completed,
    a_rotation_that_is_run_again_rotates_once,
    a_rotation_is_killed_at_any_moment,
);

async fn nobody_notices_a_rotation(engine: Engine) {
    let app = app_with_key_file(engine).await;
    let other = app.second_instance().await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    other.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(200);
    app.post("/account/password_resets").json(&json!({ "email": ada.email })).send().await.expect(200);
    app.app.seal_audit_log().await.unwrap();
    let file = app.data().join("installation.key");
    let before = fs::read_to_string(&file).unwrap();
    app.app.rotate_installation_key().await.unwrap();
    assert_ne!(fs::read_to_string(&file).unwrap(), before);
    assert!(!app.data().join("installation.key.new").exists());
    app.clock.advance(Span::seconds(1));

    let mut token = ada.refresh_token.clone();
    for place in [&other, &app] {
        place.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(200);
        place.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(200);
        let next = place.post("/api/v2/refresh").header("refreshtoken", &token).send().await.expect(200);
        token = next.header("refreshtoken").to_owned();
    }
    // A mail sent after the rotation carries a link made before it.
    app.run_jobs().await;
    let link = links(&app, &ada.email).remove(0);
    app.post(&link).json(&json!({ "password": "seven grey otters row" })).send().await.expect(200);
    // Everything is sealed in the new epoch, and the chain continues with the new key.
    let (store, platform) = app.database().open().await;
    let mut tx = store.read().await.unwrap();
    for column in store::SEALED_COLUMNS {
        for value in tx.key_epochs(&platform).values(column, 0, 100).await.unwrap() {
            assert_eq!(value.sealed[..5], [1, 0, 0, 0, 2], "{}", column.purpose);
        }
    }
    drop(tx);
    app.app.rotate_installation_key().await.unwrap();
    other.app.seal_audit_log().await.unwrap();
    let report = app.app.check_audit_log().await.unwrap();
    assert!(report.faults.is_empty() && report.sealed > 5, "{report:?}");
    assert!(
        !read_all_values(app.database())
            .await
            .iter()
            .any(|value| value.windows(64).any(|w| w == before.trim().as_bytes()))
    );
}

async fn assert_works(app: &TestApp, cookie: &str) {
    app.get("/api/v1/session").cookie(cookie).send().await.expect(200);
    app.app.seal_audit_log().await.unwrap();
    let report = app.app.check_audit_log().await.unwrap();
    assert!(report.faults.is_empty(), "{report:?}");
}

async fn a_rotation_that_was_cut_short_is_completed(engine: Engine) {
    let app = app_with_key_file(engine).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let [file, next] = ["installation.key", "installation.key.new"].map(|name| app.data().join(name));
    let old = fs::read_to_string(&file).unwrap();

    // Interrupted after the next key was written, before the database changed to it.
    app.app.prepare_installation_key().unwrap();
    let prepared = fs::read_to_string(&next).unwrap();
    assert_works(&app.second_instance().await, &ada.cookie).await;
    assert_eq!(fs::read_to_string(&file).unwrap(), old);
    app.second_instance().await.app.rotate_installation_key().await.unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), prepared, "the prepared key is used");

    // Interrupted after the database changed to it, before it replaced the old key file.
    fs::write(&file, &old).unwrap();
    fs::write(&next, &prepared).unwrap();
    chmod(&next);
    assert_works(&app.second_instance().await, &ada.cookie).await;
    assert!(!next.exists());
    assert_eq!(fs::read_to_string(&file).unwrap(), prepared);
}

async fn a_rotation_that_is_run_again_rotates_once(engine: Engine) {
    let app = app_with_key_file(engine).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let [file, next, rotating] = ["installation.key", "installation.key.new", "installation.key.rotating"]
        .map(|name| app.data().join(name));
    let (old, old_id) = (fs::read_to_string(&file).unwrap(), app.app.describe_key().0);
    let rotated = app.app.rotate_installation_key().await.unwrap();
    assert!(!rotated.was_already_sealed && !rotating.exists() && rotated.id != old_id);
    let new = fs::read_to_string(&file).unwrap();
    // Killed after the commit: before the new key replaced the old key file, and after.
    for is_in_place in [false, true] {
        if !is_in_place {
            fs::write(&file, &old).unwrap();
            fs::write(&next, &new).unwrap();
            chmod(&next);
        }
        fs::write(&rotating, &old_id).unwrap();
        let again = app.second_instance().await.app.rotate_installation_key().await.unwrap();
        assert_eq!((again.id, again.was_already_sealed), (rotated.id.clone(), true));
        assert_eq!(fs::read_to_string(&file).unwrap(), new);
        assert!(!rotating.exists() && !next.exists());
    }
    let epochs =
        testkit::query_raw_sql(app.database(), "select cast(max(epoch) as text) from key_epochs").await;
    assert_eq!(epochs, ["2"]);
    // Killed after the commit, completed by the next start; another key prepared much later is not taken for the first.
    fs::write(&rotating, &old_id).unwrap();
    let place = app.second_instance().await;
    place.app.prepare_installation_key().unwrap();
    assert!(!rotating.exists() && next.exists());
    // Not even if only its files exist.
    fs::write(&rotating, &old_id).unwrap();
    let again = place.app.rotate_installation_key().await.unwrap();
    assert_eq!((again.id, again.was_already_sealed), (rotated.id.clone(), true));
    assert_eq!(fs::read_to_string(&file).unwrap(), new);
    assert_works(&app.second_instance().await, &ada.cookie).await;
    // Killed before the commit: the prepared key is used.
    let place = app.second_instance().await;
    place.app.prepare_installation_key().unwrap();
    let prepared = fs::read_to_string(&next).unwrap();
    fs::write(&rotating, &rotated.id).unwrap();
    let done = place.app.rotate_installation_key().await.unwrap();
    assert!(!done.was_already_sealed && done.id != rotated.id);
    assert_eq!(fs::read_to_string(&file).unwrap(), prepared);
    assert_works(&app.second_instance().await, &ada.cookie).await;
    // An empty record is of a rotation that did not get as far as the database.
    let place = app.second_instance().await;
    fs::write(&rotating, "").unwrap();
    let next_rotation = place.app.rotate_installation_key().await.unwrap();
    assert!(!next_rotation.was_already_sealed && next_rotation.id != done.id);
    assert!(!rotating.exists() && !next.exists());
}

fn chmod(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

async fn a_rotation_is_killed_at_any_moment(engine: Engine) {
    let by_file = [("KEEPCLEAR__INSTALLATION__KEY", "")];
    let database = Database::empty(engine);
    let run = |arguments: &[&str]| {
        let output = Process::run_with(program(), &database, &by_file, arguments, "");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    run(&["brand", "create", "Acme"]);
    // Measures the duration of a rotation, so that kills hit every stage of it.
    let began = tokio::time::Instant::now();
    run(&["key", "rotate"]);
    let whole = began.elapsed();
    for round in 1..=12 {
        let after = whole * round / 12;
        Process::run_and_kill(program(), &database, &by_file, &["key", "rotate"], after);
        run(&["brand", "list"]);
    }
    run(&["key", "rotate"]);
    run(&["check"]);
    assert!(!database.folder().join("installation.key.new").exists());
}
