//! The few places where the engines differ. No other module may ask which engine it runs on.

mod backup;
mod bulk;
mod current_server;
mod disk_space;
mod dump;
mod number_pages;
mod packed_rows;
mod pg_environment;
mod pg_tools;
mod query_plans;
mod restore;
mod server_state;
mod snapshot;
mod tables;
mod write_ahead_log;

pub(crate) use bulk::{BulkStatement, Rows};
pub use current_server::CurrentServer;
pub use dump::checksum_dump;
pub(crate) use number_pages::{NumberPage, Numbers};
pub(crate) use packed_rows::{ColumnNames, FromPacked, PackedRow};
pub use restore::{Restore, ensure_empty};
pub(crate) use snapshot::{BEGIN_SNAPSHOT, SqliteSnapshot};
pub use tables::Table;

use crate::Error;
use crate::engine::statement::sql;
use crate::engine::statement_limit::StatementLimit;
use crate::engine::tx::Tx;
use domain::sorted;

/// A fixed number, the same in every version. It identifies the advisory lock that concurrent migrations wait for.
const MIGRATION_LOCK: i64 = 0x6B65_6570;

#[macros::boxed]
impl Tx {
    /// Serialises concurrent migrations. SQLite has only one writer anyway.
    pub(crate) async fn lock_schema(&mut self) -> Result<(), Error> {
        if self.is_postgres() {
            // A migration of a large table, or waiting for the migration of another host, may take long.
            self.execute(sql!("set local statement_timeout = 0")).await?;
            self.set_statement_limit(StatementLimit::NONE);
            self.execute(sql!("select pg_advisory_xact_lock($1)", MIGRATION_LOCK)).await?;
            // Statements of other hosts queue behind a migration that waits for a table, such as while a backup reads it. It gives up
            // before they time out, and is begun again.
            self.execute(sql!("set local lock_timeout = '2s'")).await?;
        }
        Ok(())
    }

    /// Returns the suffix of a `select` that locks the rows it reads against other writers. Rows that refer to them can still be added: a
    /// user who is locked can become the recipient of an alert, so that the one who adds it does not wait while holding another lock.
    pub(crate) fn row_lock(&self) -> &'static str {
        if self.is_postgres() { " for no key update" } else { "" }
    }

    /// The same for a queue: rows that another writer has locked are skipped. SQLite has one writer at a time.
    pub(crate) fn queue_lock(&self) -> &'static str {
        if self.is_postgres() { " for update skip locked" } else { "" }
    }

    /// Returns the statement that inserts an audit row, and whether it also inserts the personal text and the entry in the sealing
    /// queue. PostgreSQL can do so, which saves round trips while other writers wait for the lock.
    pub(crate) fn insert_audit(&self) -> (&'static str, bool) {
        if self.is_postgres() {
            let text = "with logged as (
                     insert into audit_log (brand_id, at, actor_kind, actor_id, action, target_kind, target_id, details,
                         personal_hash, address, request_id)
                     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning id
                 ), texts as (
                     insert into audit_texts (audit_id, text) select id, $12 from logged where $12 is not null
                 ), queue as (
                     insert into audit_unsealed (audit_id) select id from logged
                 )
                 select id from logged";
            return (text, true);
        }
        let text = "insert into audit_log (brand_id, at, actor_kind, actor_id, action, target_kind, target_id, details,
                 personal_hash, address, request_id)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning id";
        (text, false)
    }

    /// Returns whether a page is read fastest by one flat statement, whose tables are joined to each row as it is read. SQLite joins in the
    /// order of the statement and stops at the limit; PostgreSQL might join first, so that its pages are selected in a subquery.
    pub(crate) fn joins_while_reading(&self) -> bool {
        !self.is_postgres()
    }

    pub(crate) async fn has_table(&mut self, name: &'static str) -> Result<bool, Error> {
        Ok(self.columns().await?.iter().any(|shape| shape.table == name))
    }

    /// Returns the names of the columns of a table; none if there is no such table.
    pub(crate) async fn columns_of(&mut self, table: &'static str) -> Result<Vec<String>, Error> {
        let columns = self.columns().await?.into_iter();
        Ok(columns.filter(|shape| shape.table == table).map(|shape| shape.column).collect())
    }

    /// Returns SQLite's settings on this connection. PostgreSQL is configured by its operator.
    pub(crate) async fn settings(&mut self) -> Result<String, Error> {
        #[derive(macros::FromRow)]
        struct Settings(#[row(column = "settings")] String);
        if self.is_postgres() {
            return Ok(String::new());
        }
        let Settings(text) = self
            .one(sql!(
                "select 'journal_mode=' || journal_mode || ' synchronous=' || synchronous || ' foreign_keys=' ||
                     foreign_keys || ' query_only=' || query_only as settings
                 from pragma_journal_mode, pragma_synchronous, pragma_foreign_keys, pragma_query_only"
            ))
            .await?;
        Ok(text)
    }

    /// Runs SQLite's integrity and foreign key checks and returns the faults. PostgreSQL has no equivalent.
    pub(crate) async fn integrity_faults(&mut self) -> Result<Vec<String>, Error> {
        #[derive(macros::FromRow)]
        struct Fault(#[row(column = "fault")] String);
        if self.is_postgres() {
            return Ok(Vec::new());
        }
        let pages =
            "select integrity_check as fault from pragma_integrity_check where integrity_check <> 'ok'";
        let references =
            "select 'a row of ' || \"table\" || ' refers to a missing row of ' || parent as fault
             from pragma_foreign_key_check";
        let mut faults: Vec<Fault> = self.all(sql!(pages)).await?;
        // Following references through damaged pages would fail instead of reporting the damage.
        if faults.is_empty() {
            faults = self.all(sql!(references)).await?;
        }
        Ok(faults.into_iter().map(|Fault(text)| text).collect())
    }

    /// Runs the checks that take constant time, for a file of `bytes` bytes: the schema is readable, refers only to existing pages,
    /// and the file is as long as its header says. Other pages are not read.
    pub(crate) async fn quick_integrity_faults(&mut self, bytes: u64) -> Result<Vec<String>, Error> {
        #[derive(macros::FromRow)]
        struct Outline {
            pages: i64,
            page_size: i64,
            strays: i64,
        }
        let Outline { pages, page_size, strays } = self
            .one(sql!(
                "select page_count as pages, page_size,
                     (select count(*) from sqlite_schema where type in ('table', 'index')
                         and (rootpage < 2 or rootpage > page_count)) as strays
                 from pragma_page_count, pragma_page_size"
            ))
            .await?;
        let mut faults = Vec::new();
        if strays > 0 {
            faults.push(format!("{strays} tables and indexes begin at pages that do not exist"));
        }
        if u64::try_from(pages * page_size).unwrap_or(0) > bytes {
            faults.push(format!("it has {bytes} bytes but should have {pages} pages of {page_size} bytes"));
        }
        Ok(faults)
    }

    /// Makes SQLite overwrite everything that later statements replace or delete, and not only where that costs no additional page.
    /// Otherwise the file would contain the old bytes until the space is reused. The setting holds for this process.
    pub async fn enable_secure_delete(&mut self) -> Result<(), Error> {
        if !self.is_postgres() {
            self.execute(sql!("pragma secure_delete = on")).await?;
        }
        Ok(())
    }

    /// Returns whether PostgreSQL verifies page checksums, or none on SQLite.
    pub(crate) async fn has_data_checksums(&mut self) -> Result<Option<bool>, Error> {
        #[derive(macros::FromRow)]
        struct Setting(#[row(column = "setting")] String);
        if !self.is_postgres() {
            return Ok(None);
        }
        let Setting(setting) = self.one(sql!("select current_setting('data_checksums') as setting")).await?;
        Ok(Some(setting == "on"))
    }

    /// Lists every table with its columns and whether they may be null, to compare the engines.
    pub(crate) async fn columns(&mut self) -> Result<Vec<ColumnShape>, Error> {
        let text = if self.is_postgres() {
            "select table_name, column_name, is_nullable = 'YES' as nullable from information_schema.columns
             where table_schema = current_schema()"
        } else {
            "select m.name as table_name, c.name as column_name, c.\"notnull\" = 0 and c.pk = 0 as nullable
             from sqlite_schema m, pragma_table_info(m.name) c
             where m.type = 'table' and m.name not like 'sqlite_%'"
        };
        let mut shapes: Vec<ColumnShape> = self.all(sql!(text)).await?;
        sorted::sort(&mut shapes);
        Ok(shapes)
    }
}

/// A column in the form that both engines can describe.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, macros::FromRow)]
pub struct ColumnShape {
    #[row(column = "table_name")]
    table: String,
    #[row(column = "column_name")]
    column: String,
    nullable: bool,
}
