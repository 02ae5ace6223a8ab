//! Backups with and without the key, and how a restore reports it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use testkit::{Database, Engine, PASSWORD, Process, on_both_engines, query_raw_sql};

use crate::program;

on_both_engines!(
    a_backup_with_its_key_comes_back_whole,
    a_backup_without_its_key_says_what_is_lost,
    a_new_key_is_new_and_made_only_if_the_old_one_is_lost,
    an_older_state_is_explained_by_its_restore,
);

const EMAIL: &str = "ada@example.com";

struct Installation {
    database: Database,
    folder: TempDir,
}

fn run(database: &Database, arguments: &[&str]) -> Result<String, String> {
    let by_file = [("KEEPCLEAR__INSTALLATION__KEY", "")];
    let output = Process::run_with(program(), database, &by_file, arguments, PASSWORD);
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    if output.status.success() { Ok(said) } else { Err(said) }
}

impl Installation {
    fn new(engine: Engine) -> Self {
        let database = Database::empty(engine);
        run(&database, &["brand", "create", "Acme"]).unwrap();
        let user =
            ["user", "create", "--brand", "Acme", "--email", EMAIL, "--role", "admin", "--password-stdin"];
        run(&database, &user).unwrap();
        Self { database, folder: testkit::temporary_folder() }
    }

    fn backup(&self, more: &[&str]) -> PathBuf {
        let path = self.folder.path().join("backup");
        let said = run(&self.database, &[&["backup", path.to_str().unwrap()], more].concat()).unwrap();
        assert!(said.contains("installation key"), "{said}");
        path
    }
}

fn serve(database: &Database) -> Process {
    Process::serve(program(), database, &[("KEEPCLEAR__INSTALLATION__KEY", "")])
}

fn post(server: &Process, path: &str, headers: &str, body: &serde_json::Value) -> String {
    let body = body.to_string();
    server.send_raw(&format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n{headers}\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    ))
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or(answer)
}

fn sign_in(server: &Process) -> String {
    let answer = post(server, "/api/v2/login", "", &json!({ "email": EMAIL, "password": PASSWORD }));
    assert_eq!(status(&answer), "200", "{answer}");
    let line = answer.lines().find_map(|line| line.strip_prefix("refreshtoken: ")).unwrap();
    line.trim().to_owned()
}

fn refresh(server: &Process, token: &str) -> String {
    let answer = post(server, "/api/v2/refresh", &format!("RefreshToken: {token}\r\n"), &json!({}));
    status(&answer).to_owned()
}

fn key_path(database: &Database) -> PathBuf {
    database.folder().join("installation.key")
}

async fn a_backup_with_its_key_comes_back_whole(engine: Engine) {
    let installation = Installation::new(engine);
    let server = serve(&installation.database);
    let token = sign_in(&server);
    drop(server);
    let backup = installation.backup(&["--with-key"]);
    let folder = backup.to_str().unwrap();
    let digits = fs::read_to_string(key_path(&installation.database)).unwrap();
    assert_eq!(fs::read_to_string(backup.join("installation.key")).unwrap(), digits);
    assert!(
        run(&installation.database, &["check", "--backup", folder])
            .unwrap()
            .contains("which is in the backup")
    );

    let restored = Database::empty(engine);
    run(&restored, &["restore", folder]).unwrap();
    assert_eq!(fs::read_to_string(key_path(&restored)).unwrap(), digits);
    run(&restored, &["check"]).unwrap();
    assert_eq!(refresh(&serve(&restored), &token), "200");

    // A different key is never overwritten, and a key that was changed is detected.
    let occupied = Database::empty(engine);
    run(&occupied, &["restore", folder]).unwrap();
    let other = Installation::new(engine);
    let target = Database::empty(engine);
    fs::copy(key_path(&other.database), key_path(&target)).unwrap();
    let said = run(&target, &["restore", folder]).unwrap_err();
    assert!(said.contains("nothing was restored") && said.contains("move that one away"), "{said}");
    fs::write(backup.join("installation.key"), "1".repeat(64)).unwrap();
    let said = run(&Database::empty(engine), &["restore", folder]).unwrap_err();
    assert!(said.contains("installation.key"), "{said}");
}

async fn a_backup_without_its_key_says_what_is_lost(engine: Engine) {
    let installation = Installation::new(engine);
    let server = serve(&installation.database);
    let token = sign_in(&server);
    drop(server);
    let backup = installation.backup(&[]);
    let folder = backup.to_str().unwrap();
    assert!(!backup.join("installation.key").exists());
    let digits = fs::read_to_string(key_path(&installation.database)).unwrap();

    let without = Database::empty(engine);
    let said = run(&without, &["restore", folder]).unwrap_err();
    for words in
        ["nothing was restored", "sessions", "refresh tokens", "second factors", "audit log", "--new-key"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!key_path(&without).exists());
    let said = run(&without, &["restore", folder, "--new-key"]).unwrap();
    assert!(said.contains("a new installation key") && said.contains("sessions"), "{said}");
    assert_ne!(fs::read_to_string(key_path(&without)).unwrap(), digits);
    let said = run(&without, &["check"]).unwrap();
    assert!(said.contains("cannot be checked") && said.contains("is lost"), "{said}");
    let server = serve(&without);
    assert_eq!(refresh(&server, &token), "401");
    let token = sign_in(&server);
    assert_eq!(refresh(&server, &token), "200");
    drop(server);
    run(&without, &["key", "rotate"]).unwrap();
    run(&without, &["check"]).unwrap();

    // With the key file put in place by hand, everything is restored.
    let with = Database::empty(engine);
    fs::copy(key_path(&installation.database), key_path(&with)).unwrap();
    run(&with, &["restore", folder]).unwrap();
    assert!(!run(&with, &["check"]).unwrap().contains("is lost"));
}

async fn a_new_key_is_new_and_made_only_if_the_old_one_is_lost(engine: Engine) {
    let installation = Installation::new(engine);
    let backup = installation.backup(&["--with-key"]);
    let folder = backup.to_str().unwrap();
    // In the backup, and in the data folder.
    let target = Database::empty(engine);
    let said = run(&target, &["restore", folder, "--new-key"]).unwrap_err();
    assert!(said.contains("is not lost: it is in the backup"), "{said}");
    assert!(said.contains("nothing was restored") && !key_path(&target).exists(), "{said}");
    let without = installation.folder.path().join("without");
    run(&installation.database, &["backup", without.to_str().unwrap()]).unwrap();
    let folder = without.to_str().unwrap();
    fs::copy(key_path(&installation.database), key_path(&target)).unwrap();
    let said = run(&target, &["restore", folder, "--new-key"]).unwrap_err();
    assert!(said.contains("is not lost: it is ") && said.contains("key rotate"), "{said}");
    // Neither is a key that a rotation has set aside.
    let id = query_raw_sql(&installation.database, "select key_id from installation").await.remove(0);
    let aside = key_path(&target).with_file_name(format!("installation.key.{id}"));
    fs::rename(key_path(&target), &aside).unwrap();
    for arguments in [vec!["restore", folder, "--new-key"], vec!["restore", folder]] {
        let said = run(&target, &arguments).unwrap_err();
        assert!(said.contains(&aside.display().to_string()), "{said}");
    }
    fs::remove_file(aside).unwrap();

    // The key of another installation is not taken for a new one, and its file stays.
    let other = Installation::new(engine);
    let foreign = fs::read_to_string(key_path(&other.database)).unwrap();
    fs::copy(key_path(&other.database), key_path(&target)).unwrap();
    let said = run(&target, &["restore", folder, "--new-key"]).unwrap();
    assert!(said.contains("There is a new installation key"), "{said}");
    let made = fs::read_to_string(key_path(&target)).unwrap();
    let old = fs::read_to_string(key_path(&installation.database)).unwrap();
    assert!(made != foreign && made != old);
    let kept = fs::read_dir(target.folder()).unwrap().map(|entry| entry.unwrap().path());
    let kept = kept.filter(|path| path.is_file()).filter_map(|path| fs::read_to_string(path).ok());
    assert_eq!(kept.filter(|text| *text == foreign).count(), 1, "the other key is beside it");
    run(&target, &["check"]).unwrap();
}

/// Serves until every row of the audit log is sealed and the heads of all chains are recorded.
async fn seal(database: &Database) {
    let server = serve(database);
    let heads_file = database.folder().join("audit-heads.log");
    for round in 0.. {
        let unsealed = query_raw_sql(database, "select cast(audit_id as text) from audit_unsealed").await;
        let ends = query_raw_sql(
            database,
            "select '\"chain\":' || chain || ',\"position\":' || position || ',' from audit_chains where position > 0",
        )
        .await;
        let recorded = fs::read_to_string(&heads_file).unwrap_or_default();
        if unsealed.is_empty() && ends.iter().all(|end| recorded.contains(end)) {
            break;
        }
        assert!(round < 4_000, "{unsealed:?} {ends:?} {recorded}");
        std::thread::sleep(Duration::from_millis(30));
    }
    let (status, log) = server.stop("-TERM");
    assert!(status.success(), "{log}");
}

fn copy_file(from: &Path, to: &Database, name: &str) {
    fs::copy(from.join(name), to.folder().join(name)).unwrap();
}

async fn an_older_state_is_explained_by_its_restore(engine: Engine) {
    let installation = Installation::new(engine);
    seal(&installation.database).await;
    let backup = installation.backup(&[]);
    let folder = backup.to_str().unwrap();
    for n in 0..5 {
        run(&installation.database, &["brand", "create", &format!("Brand {n}")]).unwrap();
    }
    seal(&installation.database).await;
    run(&installation.database, &["check"]).unwrap();

    // The host stays, and its database is replaced by the older one.
    let restored = Database::empty(engine);
    for name in ["installation.key", "audit-heads.log"] {
        copy_file(&installation.database.folder(), &restored, name);
    }
    run(&restored, &["restore", folder]).unwrap();
    seal(&restored).await;
    let said = run(&restored, &["check"]).unwrap();
    assert!(said.contains("audit heads     good") && said.contains("restored at"), "{said}");
    assert_eq!(
        query_raw_sql(&restored, "select action from audit_log where action = 'installation.restored'")
            .await
            .len(),
        1
    );

    // If someone had replaced it without a restore, that would be detected.
    copy_file(&installation.database.folder(), &restored, "audit-heads.log");
    let said = run(&restored, &["check"]).unwrap_err();
    assert!(said.contains("the audit log is not intact"), "{said}");
}
