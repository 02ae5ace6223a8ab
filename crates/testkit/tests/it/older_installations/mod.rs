//! Installations made by older programs and stored as fixtures (`crates/testkit/fixtures`): today's program migrates them and restores
//! their backups.

mod answers;
mod secrets;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use domain::{Role, Secret, Timestamp};
use serde_json::{Value, json};
use testkit::{
    Database, Engine, Process, TestApp, count_rows, execute_raw_sql, on_both_engines, query_raw_sql,
};

use crate::program;

on_both_engines!(
    an_older_database_is_taken_over,
    an_older_backup_is_restored,
    employee_ids_of_an_older_database_are_compared_like_new_ones,
);

/// Folder of the fixture, named after the commit of the program that made it.
const FIXTURE_FOLDER: &str = "made-by-96aa95f";

/// Tables whose number of rows migrations have changed since, and why.
const TABLES_WITH_OTHER_COUNTS: &[(&str, &str)] = &[
    ("jobs", "requests for new passwords are not jobs any more"),
    ("login_refusals", "what was typed for accounts that do not exist is not kept any more"),
    ("schema_migrations", "the new ones"),
];

/// The record that was made with a fixture: its accounts, and the responses of the older program.
struct OlderInstallation {
    engine: Engine,
    record: Value,
}

impl OlderInstallation {
    fn new(engine: Engine) -> Self {
        let packed = fs::read(fixture_path(&format!("{}.json.gz", name_of(engine)))).unwrap();
        let mut text = String::new();
        flate2::read::GzDecoder::new(&*packed).read_to_string(&mut text).unwrap();
        Self { engine, record: serde_json::from_str(&text).unwrap() }
    }

    /// Returns the database and blobs as the older program left them.
    fn database(&self) -> Database {
        let database = Database::empty(self.engine);
        match self.engine {
            Engine::Sqlite => unpack("sqlite-data.tar.gz", &database.folder()),
            Engine::Postgres => {
                let backup = self.backup(&database.folder());
                database.load_dump(&backup.join("database.dump"));
                fs::rename(backup.join("blobs"), database.folder().join("blobs")).unwrap();
            }
        }
        database
    }

    /// Returns the backup that the older program made.
    fn backup(&self, folder: &Path) -> PathBuf {
        unpack(&format!("{}-backup.tar.gz", name_of(self.engine)), folder);
        folder.join("backup")
    }

    /// Starts today's application over a database, at the time of the older program's last response.
    async fn application(&self, database: Database) -> TestApp {
        let at = Timestamp::parse(self.record["made_at"].as_str().unwrap()).unwrap();
        let app = TestApp::open_existing(database, at, |config| {
            config.installation.key = Secret::default();
            config.auth.proof_max_age_minutes = 15;
        });
        app.await
    }

    fn recorded_account(&self, name: &str, what: &str) -> &str {
        self.record["accounts"][name][what].as_str().unwrap_or_else(|| panic!("no {what} of {name}"))
    }

    fn recorded_text(&self, kind: &str, name: &str) -> &str {
        self.record[kind][name].as_str().unwrap_or_else(|| panic!("no {name} in {kind}"))
    }

    fn password(&self) -> &str {
        self.record["password"].as_str().unwrap()
    }

    /// Asserts that every table has as many rows as before, except those that migrations change and those in `more`.
    async fn expect_counts(&self, database: &Database, more: &[&str]) {
        let counts = count_rows(database).await;
        for (table, before) in self.record["tables"].as_object().unwrap() {
            if TABLES_WITH_OTHER_COUNTS.iter().any(|(changed, _)| changed == table) {
                continue;
            }
            let more = i64::from(more.contains(&&**table));
            assert_eq!(json!(counts[table] - more), *before, "{table}");
        }
    }
}

fn name_of(engine: Engine) -> &'static str {
    match engine {
        Engine::Sqlite => "sqlite",
        Engine::Postgres => "postgres",
    }
}

fn fixture_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(FIXTURE_FOLDER).join(name)
}

fn unpack(name: &str, folder: &Path) {
    let unpacked =
        Command::new("tar").arg("-xzf").arg(fixture_path(name)).arg("-C").arg(folder).status().unwrap();
    assert!(unpacked.success(), "{name} is unpacked");
}

/// Runs a command of today's program, with the key in its data folder.
fn run(database: &Database, arguments: &[&str]) -> String {
    let by_file = [("KEEPCLEAR__INSTALLATION__KEY", "")];
    let output = Process::run_with(program(), database, &by_file, arguments, "");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
    said
}

async fn an_older_database_is_taken_over(engine: Engine) {
    let older = OlderInstallation::new(engine);
    let database = older.database();
    let plain = secrets::plaintext_secrets(&database).await;
    assert!(plain.len() >= 10, "signing keys, sessions and the derivation key");
    older.expect_counts(&database, &[]).await;
    let said = run(&database, &["migrate"]);
    assert!(said.contains("Ran 0017_login_throttle") && said.contains("0022_second_factors"), "{said}");
    older.expect_counts(&database, &[]).await;
    // A check creates no key and seals nothing.
    let said = run(&database, &["check", "--deep"]);
    assert!(said.contains("key             none yet"), "{said}");
    assert!(!database.folder().join("installation.key").exists());
    assert_eq!(secrets::plaintext_secrets(&database).await, plain);

    let app = older.application(database).await;
    secrets::are_sealed(&app, &plain).await;
    assert_works(&older, &app).await;
    app.app.seal_audit_log().await.unwrap();
    let said = run(app.database(), &["check", "--deep"]);
    assert!(said.contains("audit log       good") && said.contains("audit heads     good"), "{said}");
    assert!(said.contains("1 clips are there, byte by byte"), "{said}");
    assert!(said.contains("2 files are there, byte by byte"), "{said}");
    secrets::are_gone_from_files(app.database(), &plain).await;
    secrets::old_links_are_bound(&app).await;
    app.allow_leftover_jobs();
}

async fn an_older_backup_is_restored(engine: Engine) {
    let (older, folder) = (OlderInstallation::new(engine), testkit::temporary_folder());
    let backup = older.backup(folder.path());
    let backup = backup.to_str().unwrap();
    let database = Database::empty(engine);
    assert!(run(&database, &["check", "--backup", backup]).contains("backup          good"));
    let said = run(&database, &["restore", backup]);
    assert!(said.contains("and 2 objects as of "), "{said}");
    older.expect_counts(&database, &["audit_log", "audit_unsealed"]).await;
    let said = run(&database, &["check", "--deep"]);
    assert!(
        said.contains("audit log       good") && said.contains("1 clips are there, byte by byte"),
        "{said}"
    );
    let actions = "select action from audit_log where action = 'installation.restored'";
    assert_eq!(query_raw_sql(&database, actions).await.len(), 1);

    let app = older.application(database).await;
    assert_works(&older, &app).await;
    app.app.seal_audit_log().await.unwrap();
    run(app.database(), &["check", "--deep"]);
    app.allow_leftover_jobs();
}

async fn employee_ids_of_an_older_database_are_compared_like_new_ones(engine: Engine) {
    let older = OlderInstallation::new(engine);
    let database = older.database();
    for employee_id in ["\u{c4}-12", "E  12", "e 12"] {
        let insert = format!(
            "insert into people (brand_id, kind, name, name_key, employee_id, created_at, updated_at)
             select id, 'staff', 'Odd', 'odd', '{employee_id}', 0, 0 from brands where name = 'North Works'"
        );
        execute_raw_sql(&database, &insert).await.unwrap();
    }
    let app = older.application(database).await;
    let keys = "select employee_key from people where name = 'Odd' order by id";
    assert_eq!(query_raw_sql(app.database(), keys).await, ["a-12", "e 12", "e 12"]);
    let keyless =
        "select name from people where (employee_id is null and employee_key is not null) or employee_key = ''
             or (employee_id is not null and employee_key is null)";
    assert_eq!(query_raw_sql(app.database(), keyless).await, [""; 0]);

    let admin = app.sign_in_new_user_in_brand("North Works", "new.admin@example.com", Role::Admin).await;
    let turn_on = || {
        let change = json!({ "unique_employee_ids": true });
        app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&change).send()
    };
    let refused = turn_on().await.expect(422).json();
    assert_eq!(refused["errors"].as_array().unwrap().len(), 1);
    let message = refused["errors"][0]["message"].as_str().unwrap();
    assert!(message.ends_with(r#"have the employee id "E  12""#), "{message}");
    execute_raw_sql(app.database(), "delete from people where employee_id = 'e 12'").await.unwrap();
    turn_on().await.expect(200);
    let person = json!({ "kind": "staff", "name": "New", "employee_id": "\u{e4}-12" });
    let refused = app.post("/api/v1/people").cookie(&admin.cookie).json(&person).send().await.expect(422);
    assert_eq!(refused.json()["errors"][0]["code"], "employee_id_taken");
}

/// Asserts that all records are there and that all credentials still work.
async fn assert_works(older: &OlderInstallation, app: &TestApp) {
    answers::are_the_same(older, app).await;
    secrets::open_what_they_did(older, app).await;
}
