//! Migrations and the resulting schema.

use std::path::Path;
use std::time::Duration;

use domain::Timestamp;
use store::{Error, SchemaState, Store};
use testkit::{Database, Engine, on_both_engines};

on_both_engines!(migrating_twice_runs_once, hosts_that_start_at_once_migrate_once);

/// Returns the names of an engine's migration files.
fn migrations(engine: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/migrations").join(engine);
    let files =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = files.map(|name| name.strip_suffix(".sql").unwrap().to_owned()).collect();
    names.sort();
    names
}

async fn migrating_twice_runs_once(engine: Engine) {
    let database = Database::empty(engine);
    let (store, _) = database.open().await;
    let now = Timestamp::from_seconds(1);
    let all = migrations("sqlite");
    assert_eq!(all, migrations("postgres"), "each migration exists for both engines");
    assert_eq!(store.schema().await.unwrap(), SchemaState::Behind(all.clone()));
    assert_eq!(store.migrate(now).await.unwrap(), all);
    assert_eq!(store.migrate(now).await.unwrap(), [""; 0]);
    assert_eq!(store.schema().await.unwrap(), SchemaState::Current);
    store.check_integrity(true).await.unwrap();
}

async fn hosts_that_start_at_once_migrate_once(engine: Engine) {
    let database = Database::empty(engine);
    let mut hosts = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (store, _) = database.open().await;
        hosts.spawn(async move { store.migrate(Timestamp::from_seconds(1)).await.map(|ran| ran.len()) });
    }
    let ran: usize = hosts.join_all().await.into_iter().map(|outcome| outcome.unwrap()).sum();
    assert_eq!(ran, migrations("sqlite").len(), "each ran once");
}

/// The sessions of a PostgreSQL database that wait for a lock.
const WAITING: &str =
    "select pid::text from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

/// Reads a table that is being migrated, as a host of the version before does.
const READ: &str = "set statement_timeout = '30s'; select count(*) from alert_firings";

#[test]
fn a_migration_that_waits_for_a_table_lets_others_read_it() {
    testkit::run(Engine::Postgres, |engine: Engine| async move {
        let database = Database::migrated(engine).await;
        let undo = "delete from schema_migrations where name = '0043_firing_scopes';
            alter table alert_firings drop column scope;
            alter table alert_firings drop column split_by";
        testkit::execute_raw_sql(&database, undo).await.unwrap();
        // As a backup does, for as long as it takes.
        let reader = testkit::block_writes(&database, "alert_firings").await;
        let (store, _) = database.open().await;
        let migration = tokio::spawn(async move { store.migrate(Timestamp::from_seconds(1)).await });
        while testkit::query_raw_sql(&database, WAITING).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        testkit::execute_raw_sql(&database, READ).await.unwrap();
        assert!(!migration.is_finished());
        drop(reader);
        assert_eq!(migration.await.unwrap().unwrap(), ["0043_firing_scopes"]);
    });
}

#[test]
fn both_engines_end_with_the_same_tables_and_columns() {
    testkit::run(Engine::Sqlite, |_: Engine| async {
        // Bound to names, because a database is deleted when its value is dropped.
        let files = [Database::migrated(Engine::Sqlite).await, Database::migrated(Engine::Postgres).await];
        let [(sqlite, _), (postgres, _)] = [files[0].open().await, files[1].open().await];
        let columns = sqlite.columns().await.unwrap();
        assert!(columns.len() > 100, "{}", columns.len());
        assert_eq!(columns, postgres.columns().await.unwrap());
    });
}

#[test]
fn sqlite_is_opened_for_safety_first() {
    testkit::run(Engine::Sqlite, |engine: Engine| async move {
        let database = Database::migrated(engine).await;
        let (store, _) = database.open().await;
        let settings = store.settings().await.unwrap();
        let expected = [
            "write: journal_mode=wal synchronous=2 foreign_keys=1 query_only=0",
            "read: journal_mode=wal synchronous=2 foreign_keys=1 query_only=1",
        ];
        assert_eq!(settings, expected);
    });
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    testkit::run(Engine::Sqlite, |engine: Engine| async move {
        let database = Database::empty(engine);
        std::fs::write(
            database.folder().join("keepclear.db"),
            "not a database, but long enough to look like one",
        )
        .unwrap();
        let config = database.config();
        let address = config.database.address(&config.data).unwrap();
        let refused = Store::open(&address, &config.database).await.unwrap_err();
        assert!(matches!(&refused, Error::Unusable(reason) if reason.contains("keepclear.db")), "{refused}");
    });
}
