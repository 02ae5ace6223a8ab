//! Several hosts over one database, each with a data folder of its own.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use domain::{Role, Secret, Span};
use testkit::{Database, Engine, PASSWORD, Process, TestApp, on_both_engines};

use super::app_with_key_file;
use crate::program;

on_both_engines!(
    a_host_without_the_key_does_not_start,
    a_key_comes_from_the_configuration_too,
    hosts_that_run_take_up_a_rotated_key,
);

/// No key in the configuration, so that it is read from the file.
const KEY_FROM_FILE: &[(&str, &str)] = &[("KEEPCLEAR__INSTALLATION__KEY", "")];

fn list(database: &Database, settings: &[(&str, &str)]) -> Result<String, String> {
    let output = Process::run_with(program(), database, settings, &["brand", "list"], "");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    if output.status.success() { Ok(said) } else { Err(said) }
}

async fn a_host_without_the_key_does_not_start(engine: Engine) {
    let one = Database::empty(engine);
    let first = Process::serve(program(), &one, KEY_FROM_FILE);
    let key = one.folder().join("installation.key");
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    let digits = fs::read_to_string(&key).unwrap();

    let two = one.on_another_host();
    let place = two.folder().join("installation.key");
    let said = list(&two, KEY_FROM_FILE).unwrap_err();
    assert!(said.contains("is missing") && said.contains(place.to_str().unwrap()), "{said}");
    assert!(!place.exists(), "no key is made where the database has one");
    fs::write(&place, "1".repeat(64)).unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o600)).unwrap();
    let said = list(&two, KEY_FROM_FILE).unwrap_err();
    assert!(said.contains("Put that key there") && !said.contains("1111111111111111"), "{said}");
    fs::write(&place, "not a key").unwrap();
    assert!(list(&two, KEY_FROM_FILE).unwrap_err().contains("64 hexadecimal digits"));
    fs::write(&place, &digits).unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o604)).unwrap();
    assert!(list(&two, KEY_FROM_FILE).unwrap_err().contains("chmod 600"));
    fs::set_permissions(&place, fs::Permissions::from_mode(0o600)).unwrap();
    let second = Process::serve(program(), &two, KEY_FROM_FILE);
    for server in [first, second] {
        let (status, log) = server.stop("-TERM");
        assert!(status.success() && !log.contains(digits.trim()), "{log}");
    }
    // Each host recorded its own heads; a check accepts both.
    let heads = one.folder().join("audit-heads.log");
    let check = ["check", "--heads", heads.to_str().unwrap()];
    let output = Process::run_with(program(), &two, KEY_FROM_FILE, &check, "");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("audit heads     good") && said.contains("key             good"), "{said}");
    assert!(!said.contains(digits.trim()), "{said}");
}

async fn a_key_comes_from_the_configuration_too(engine: Engine) {
    let (one, two) = ("a1".repeat(32), "b2".repeat(32));
    let database = Database::empty(engine);
    let setting = |key: &str| [("KEEPCLEAR__INSTALLATION__KEY", key.to_owned())];
    let with = |settings: &[(&str, String)], arguments: &[&str]| {
        let settings: Vec<_> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let output = Process::run_with(program(), &database, &settings, arguments, "");
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        if output.status.success() { Ok(said) } else { Err(said) }
    };
    with(&setting(&one), &["brand", "create", "Acme"]).unwrap();
    assert!(!database.folder().join("installation.key").exists());
    let said = with(&setting(&two), &["brand", "list"]).unwrap_err();
    assert!(said.contains("The setting installation.key") && !said.contains(&two), "{said}");
    assert!(!said.contains("installation_key_missing"), "codes are for programs: {said}");
    let said = with(&setting("b2"), &["brand", "list"]).unwrap_err();
    assert!(said.contains("installation.key") && said.contains("64 hexadecimal digits"), "{said}");
    // During a rotation both keys are configured, and the database changes from one to the other.
    let said = with(&setting(&one), &["key", "rotate"]).unwrap_err();
    assert!(said.contains("installation.previous_key") && !said.contains("internal_error"), "{said}");
    let both = [
        ("KEEPCLEAR__INSTALLATION__KEY", two.clone()),
        ("KEEPCLEAR__INSTALLATION__PREVIOUS_KEY", one.clone()),
    ];
    with(&both, &["brand", "list"]).unwrap();
    with(&both, &["key", "rotate"]).unwrap();
    assert!(with(&both, &["key", "rotate"]).unwrap().contains("is in use already"));
    with(&both, &["brand", "list"]).unwrap();
    with(&setting(&two), &["check"]).unwrap();
    with(&setting(&one), &["brand", "list"]).unwrap_err();
}

async fn hosts_that_run_take_up_a_rotated_key(engine: Engine) {
    let app = app_with_key_file(engine).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let folders = [testkit::temporary_folder(), testkit::temporary_folder()];
    let mut hosts = Vec::new();
    for folder in &folders {
        fs::copy(app.data().join("installation.key"), folder.path().join("installation.key")).unwrap();
        let data = folder.path().to_owned();
        hosts.push(
            app.second_instance_with(|config| {
                config.data = data;
                config.installation.key = Secret::default();
            })
            .await,
        );
    }
    let prepared = app.app.prepare_installation_key().unwrap();
    let session = |host: &TestApp| host.get("/api/v2/session").bearer(&ada.jwt).send();
    // One host got the next key in time, the other did not.
    fs::copy(&prepared, folders[0].path().join("installation.key.new")).unwrap();
    for host in &hosts {
        session(host).await.expect(200);
    }
    app.app.rotate_installation_key().await.unwrap();
    app.clock.advance(Span::seconds(1));
    session(&app).await.expect(200);
    session(&hosts[0]).await.expect(200);
    assert!(!folders[0].path().join("installation.key.new").exists(), "it replaced the old key");
    let refused = session(&hosts[1]).await.expect(503);
    assert_eq!(refused.code(), "installation_key_missing");
    refused.header("retry-after");
    hosts[1].get("/health/ready").send().await.expect(503);
    assert!(hosts[1].app.seal_audit_log().await.is_err(), "it seals nothing with an old key");
    // It cannot sign in anyone either, until it has the key.
    hosts[1].log_in_v1(&ada.email, PASSWORD).await.expect(503);
    fs::copy(app.data().join("installation.key"), folders[1].path().join("installation.key")).unwrap();
    app.clock.advance(Span::seconds(6));
    session(&hosts[1]).await.expect(200);
    let refresh = hosts[1].post("/api/v2/refresh").header("refreshtoken", &ada.refresh_token).send().await;
    refresh.expect(200);
    hosts[1].app.seal_audit_log().await.unwrap();
    let report = app.app.check_audit_log().await.unwrap();
    assert!(report.faults.is_empty(), "{report:?}");
}
