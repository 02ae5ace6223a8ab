//! Forward-only migrations. Each has the same name for both engines.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::Timestamp;
use sha2::{Digest, Sha256};

use crate::Error;
use crate::engine::migration_marks::beside;
use crate::engine::statement::sql;
use crate::engine::tx::Tx;

/// The program's own table of the migrations that have run.
const TABLE: &str = "schema_migrations";

/// Its column with the mark of each migration: the one that a program must know to run beside it.
const MARK_COLUMN: &str = "beside";

struct Migration {
    name: &'static str,
    sqlite: &'static str,
    postgres: &'static str,
}

/// Includes the file of that name from both folders, so that a migration that exists for one engine only does not compile.
macro_rules! migrations {
    ($($name:literal),* $(,)?) => {
        &[$(Migration {
            name: $name,
            sqlite: include_str!(concat!("../../migrations/sqlite/", $name, ".sql")),
            postgres: include_str!(concat!("../../migrations/postgres/", $name, ".sql")),
        }),*]
    };
}

const MIGRATIONS: &[Migration] = migrations![
    "0001_foundation",
    "0002_tags",
    "0003_visits",
    "0004_brand_settings",
    "0005_worksites",
    "0006_machines",
    "0007_base_stations",
    "0008_desk",
    "0009_accounts",
    "0010_jobs",
    "0011_facts",
    "0012_exports",
    "0013_saved_views",
    "0014_user_preferences",
    "0017_login_throttle",
    "0018_unclaimed_emails",
    "0019_installation_key",
    "0021_sign_in",
    "0022_second_factors",
    "0023_evidence",
    "0024_shares",
    "0025_operators_of_facts",
    "0026_stored_versions",
    "0027_service_accounts",
    "0028_registry_versions",
    "0029_tag_test_changes",
    "0030_zone_changes",
    "0031_reports",
    "0032_employee_keys",
    "0033_token_issuers",
    "0034_report_requesters",
    "0035_schedule_runs",
    "0036_alerts",
    "0037_cleared_values",
    "0038_last_received_runtime",
    "0039_hosts",
    "0040_column_manifests",
    "0042_warehouse_copies",
    "0043_firing_scopes",
    "0044_saved_columns",
];

/// The state of a database's schema compared with this program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaState {
    Current,
    /// These migrations have not run yet.
    Behind(Vec<String>),
    /// A newer program has also run these migrations, and each of them lets this program run beside it.
    Ahead(Vec<String>),
}

#[derive(macros::FromRow)]
struct Applied {
    name: String,
    checksum: String,
    /// The migration that a program must know to run beside this one; none if no older program may.
    beside: Option<String>,
}

#[derive(macros::FromRow)]
struct Employee {
    id: i64,
    employee_id: String,
}

impl Migration {
    fn text(&self, tx: &Tx) -> &'static str {
        if tx.is_postgres() { self.postgres } else { self.sqlite }
    }

    fn checksum(&self, tx: &Tx) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(self.text(tx)))
    }
}

/// Receives the name of a migration that others hold up.
pub(crate) type ReportWait = fn(&'static str);

/// Brings the schema up to date in one transaction and returns the migrations it ran. One that fails because others hold a lock on a table
/// is reported, and may be begun again as a whole.
pub(crate) async fn run(
    mut tx: Tx,
    now: Timestamp,
    report_wait: ReportWait,
) -> Result<Vec<&'static str>, Error> {
    tx.lock_schema().await?;
    let SchemaState::Behind(missing) = state(&mut tx).await? else {
        return Ok(Vec::new());
    };
    ensure_table(&mut tx).await?;
    let mut ran = Vec::new();
    for migration in MIGRATIONS.iter().filter(|migration| missing.iter().any(|name| name == migration.name)) {
        let outcome = apply(migration, &mut tx, now).await;
        if outcome.as_ref().is_err_and(Error::is_lock_conflict) {
            report_wait(migration.name);
        }
        outcome?;
        ran.push(migration.name);
    }
    tx.commit().await?;
    Ok(ran)
}

async fn apply(migration: &Migration, tx: &mut Tx, now: Timestamp) -> Result<(), Error> {
    let text = migration.text(tx);
    tx.execute_script(text).await?;
    fill_in_values(migration.name, tx).await?;
    let checksum = migration.checksum(tx);
    tx.execute(sql!(
        "insert into schema_migrations (name, checksum, applied_at, beside) values ($1, $2, $3, $4)",
        migration.name,
        checksum,
        now,
        beside(text)
    ))
    .await?;
    Ok(())
}

/// Creates the table of migrations, and the column that the first versions did not have.
async fn ensure_table(tx: &mut Tx) -> Result<(), Error> {
    tx.execute_script(
        "create table if not exists schema_migrations
             (name text not null primary key, checksum text not null, applied_at bigint not null, beside text)",
    )
    .await?;
    if !tx.columns_of(TABLE).await?.iter().any(|column| column == MARK_COLUMN) {
        tx.execute_script("alter table schema_migrations add column beside text").await?;
    }
    Ok(())
}

/// Fills in the values of a migration that its SQL cannot compute.
async fn fill_in_values(migration: &str, tx: &mut Tx) -> Result<(), Error> {
    match migration {
        "0028_registry_versions" | "0032_employee_keys" => fold_employee_ids(tx).await,
        _ => Ok(()),
    }
}

/// Gives the people of all brands the keys of their employee ids. Neither engine's `lower` folds as the program does, and a person
/// whose key differs from the one that the program looks for would not be found.
async fn fold_employee_ids(tx: &mut Tx) -> Result<(), Error> {
    let mut last_id = 0;
    loop {
        let people: Vec<Employee> = tx
            .all(sql!(
                "select id, employee_id from people where employee_id is not null and id > $1
                 order by id limit 1000",
                last_id
            ))
            .await?;
        let Some(last) = people.last() else { return Ok(()) };
        last_id = last.id;
        for person in people {
            let key = domain::text::fold_identifier(&person.employee_id);
            tx.execute(sql!("update people set employee_key = $2 where id = $1", person.id, key)).await?;
        }
    }
}

/// Fails if one of these migrations is unknown to this program, which means that a newer Keepclear has run it.
pub fn ensure_not_newer(applied: &[String]) -> Result<(), Error> {
    match applied.iter().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(name) => Err(newer(name)),
    }
}

fn is_known(name: &str) -> bool {
    MIGRATIONS.iter().any(|known| known.name == name)
}

fn newer(name: &str) -> Error {
    Error::Unusable(format!(
        "the database has run the migration {name:?}, which this program does not know: it belongs to a newer Keepclear"
    ))
}

/// Returns the names of the migrations that have run, in order.
pub(crate) async fn applied(tx: &mut Tx) -> Result<Vec<String>, Error> {
    Ok(read_applied(tx).await?.into_iter().map(|row| row.name).collect())
}

async fn read_applied(tx: &mut Tx) -> Result<Vec<Applied>, Error> {
    let columns = tx.columns_of(TABLE).await?;
    if columns.is_empty() {
        return Ok(Vec::new());
    }
    let text = if columns.iter().any(|column| column == MARK_COLUMN) {
        "select name, checksum, beside from schema_migrations order by name"
    } else {
        "select name, checksum, cast(null as text) as beside from schema_migrations order by name"
    };
    tx.all(sql!(text)).await
}

/// Compares the migrations that have run with those of this program. Fails if the database belongs to a newer program beside which this
/// one must not run.
pub(crate) async fn state(tx: &mut Tx) -> Result<SchemaState, Error> {
    let applied = read_applied(tx).await?;
    let unknown: Vec<&Applied> = applied.iter().filter(|row| !is_known(&row.name)).collect();
    if let Some(row) = unknown.iter().find(|row| !row.beside.as_deref().is_some_and(is_known)) {
        return Err(newer(&row.name));
    }
    for row in &applied {
        let Some(known) = MIGRATIONS.iter().find(|migration| migration.name == row.name) else { continue };
        if known.checksum(tx) != row.checksum {
            return Err(Error::Unusable(format!(
                "the text of the migration {:?} differs from the one that the database has run",
                row.name
            )));
        }
    }
    let missing: Vec<String> = MIGRATIONS
        .iter()
        .filter(|migration| !applied.iter().any(|row| row.name == migration.name))
        .map(|migration| migration.name.to_owned())
        .collect();
    match (missing.is_empty(), unknown.first()) {
        (true, None) => Ok(SchemaState::Current),
        (true, Some(_)) => Ok(SchemaState::Ahead(unknown.iter().map(|row| row.name.clone()).collect())),
        (false, None) => Ok(SchemaState::Behind(missing)),
        // Migrations run in order: a newer program has run all that this one knows.
        (false, Some(row)) => Err(newer(&row.name)),
    }
}

/// Returns the name and both texts of each migration, for the tests of their marks.
#[cfg(test)]
pub(super) fn texts() -> Vec<(&'static str, [&'static str; 2])> {
    MIGRATIONS.iter().map(|migration| (migration.name, [migration.sqlite, migration.postgres])).collect()
}
