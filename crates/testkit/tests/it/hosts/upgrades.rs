//! Hosts of two versions over one database.

use domain::{Role, Timestamp};
use serde_json::json;
use store::SchemaState;
use testkit::{Database, Engine, Process, TestApp, execute_raw_sql, on_both_engines, query_raw_sql};

use crate::program;

on_both_engines!(
    an_older_host_goes_on_beside_a_newer_one,
    an_older_host_is_refused_where_it_must_not_run,
    marks_are_added_to_a_database_that_has_none,
);

/// The name of a migration that only a newer program has.
const NEWER: &str = "9999_of_the_next_version";

/// Does what a newer program does when it has run its migration.
async fn upgrade(database: &Database, beside: &str) {
    let ran = format!(
        "insert into schema_migrations (name, checksum, applied_at, beside) values ('{NEWER}', 'x', 0, {beside})"
    );
    execute_raw_sql(database, &ran).await.unwrap();
}

fn run(database: &Database, arguments: &[&str]) -> Result<String, String> {
    let output = Process::run(program(), database, arguments, "");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    if output.status.success() { Ok(said) } else { Err(said) }
}

async fn an_older_host_goes_on_beside_a_newer_one(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    upgrade(app.database(), "'0039_hosts'").await;
    assert_eq!(app.app.store.schema().await.unwrap(), SchemaState::Ahead(vec![NEWER.to_owned()]));
    app.get("/health/ready").send().await.expect(200);
    let person = json!({ "kind": "staff", "name": "New" });
    app.post("/api/v1/people").cookie(&ada.cookie).json(&person).send().await.expect(201);
    // It can also be started again, and its commands work.
    let server = Process::serve(program(), app.database(), &[]);
    assert!(server.send_raw("GET /health/ready HTTP/1.0\r\n\r\n").starts_with("HTTP/1.0 200"));
    assert!(run(app.database(), &["brand", "list"]).unwrap().contains("Acme"));
    assert!(run(app.database(), &["migrate"]).unwrap().contains("up to date"));
    let said = run(app.database(), &["check"]).unwrap();
    assert!(said.contains(&format!("a newer Keepclear has run {NEWER}")), "{said}");
    // A backup could lack what only the newer one knows.
    let folder = testkit::temporary_folder();
    let said = run(app.database(), &["backup", folder.path().join("backup").to_str().unwrap()]).unwrap_err();
    assert!(said.contains("make the backup with that program"), "{said}");
}

async fn an_older_host_is_refused_where_it_must_not_run(engine: Engine) {
    let database = Database::migrated(engine).await;
    let (store, _) = database.open().await;
    // A migration that forbids it, and one that allows only programs between this one and the newer one.
    for beside in ["null", "'9998_between'"] {
        upgrade(&database, beside).await;
        let refused = store.schema().await.unwrap_err().to_string();
        assert!(refused.contains(NEWER) && refused.contains("a newer Keepclear"), "{refused}");
        let not_ready = web::check_readiness(&store).await.unwrap_err();
        assert_eq!(not_ready.0.code, "store_unavailable");
        assert!(run(&database, &["brand", "list"]).unwrap_err().contains(NEWER));
        execute_raw_sql(&database, &format!("delete from schema_migrations where name = '{NEWER}'"))
            .await
            .unwrap();
    }
    assert_eq!(store.schema().await.unwrap(), SchemaState::Current);
}

async fn marks_are_added_to_a_database_that_has_none(engine: Engine) {
    let database = Database::migrated(engine).await;
    for statement in [
        "delete from schema_migrations where name = '0039_hosts'",
        "drop table hosts",
        "alter table schema_migrations drop column beside",
    ] {
        execute_raw_sql(&database, statement).await.unwrap();
    }
    let (store, _) = database.open().await;
    assert_eq!(store.schema().await.unwrap(), SchemaState::Behind(vec!["0039_hosts".to_owned()]));
    assert_eq!(store.migrate(Timestamp::from_seconds(1)).await.unwrap(), ["0039_hosts"]);
    let marks = "select beside from schema_migrations where beside is not null order by name";
    assert_eq!(query_raw_sql(&database, marks).await, ["0038_last_received_runtime"]);
}
