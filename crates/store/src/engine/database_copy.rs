//! A consistent copy of the whole database, which the backup commands write, verify and compare.

use domain::{ClipId, ExportId, ReportId};

use crate::Error;
use crate::engine::checksums::{TableChecksum, TableHasher};
use crate::engine::dialect::Table;
use crate::engine::migrate;
use crate::engine::statement::sql;
use crate::engine::tx::Tx;
use crate::insights::expired_exports::{self, StoredExport};
use crate::reports::expired_reports::{self, StoredReportObject};
use crate::video::expired_clips::{self, StoredClip};

/// Number of rows after which a checksum reports its progress.
const PROGRESS_INTERVAL_ROWS: u64 = 4_096;

/// The whole database at one moment. It is created by copying a database or by opening a copy, so only the command line has one.
pub struct DatabaseCopy {
    pub(crate) tx: Tx,
}

#[derive(macros::FromRow)]
struct StoreId(#[row(column = "store_id")] String);

#[derive(macros::FromRow)]
struct Line(#[row(column = "line")] String);

#[macros::boxed]
impl DatabaseCopy {
    /// Lists the migrations that the schema has run, in order.
    pub async fn migrations(&mut self) -> Result<Vec<String>, Error> {
        migrate::applied(&mut self.tx).await
    }

    /// Returns the id of the installation, or none if it has never been started.
    pub async fn store_id(&mut self) -> Result<Option<String>, Error> {
        if !self.tx.has_table("installation").await? {
            return Ok(None);
        }
        let found = self.tx.optional(sql!("select store_id from installation where id = 1")).await?;
        Ok(found.map(|StoreId(id)| id))
    }

    /// Returns the id of the installation key that seals the secrets, or none if they are not sealed.
    pub async fn key_id(&mut self) -> Result<Option<String>, Error> {
        #[derive(macros::FromRow)]
        struct KeyId(#[row(column = "key_id")] Option<String>);
        if !self.tx.has_table("key_epochs").await? {
            return Ok(None);
        }
        let found = self.tx.optional(sql!("select key_id from installation where id = 1")).await?;
        Ok(found.and_then(|KeyId(id)| id))
    }

    /// Lists up to `limit` video clips after this id whose video should be in the object store, in order of their ids.
    pub async fn clips(&mut self, after: ClipId, limit: i64) -> Result<Vec<StoredClip>, Error> {
        if !self.tx.has_table("video_clips").await? {
            return Ok(Vec::new());
        }
        expired_clips::list_stored(&mut self.tx, after, limit).await
    }

    /// Lists up to `limit` exports after this id whose file should be in the object store, in order of their ids.
    pub async fn exports(&mut self, after: ExportId, limit: i64) -> Result<Vec<StoredExport>, Error> {
        if !self.tx.has_table("exports").await? {
            return Ok(Vec::new());
        }
        expired_exports::list_stored(&mut self.tx, after, limit).await
    }

    /// Lists up to `limit` figures and files of reports after this one that should be in the object store, in order of their reports.
    pub async fn report_objects(
        &mut self,
        after: (ReportId, String),
        limit: i64,
    ) -> Result<Vec<StoredReportObject>, Error> {
        if !self.tx.has_table("reports").await? {
            return Ok(Vec::new());
        }
        expired_reports::list_stored(&mut self.tx, after, limit).await
    }

    /// Lists the tables in order of their names.
    pub async fn tables(&mut self) -> Result<Vec<Table>, Error> {
        self.tx.tables().await
    }

    /// Computes the checksum of a table. `on_progress` is called from time to time with the number of rows so far.
    pub async fn checksum(
        &mut self,
        table: &Table,
        mut on_progress: impl FnMut(u64),
    ) -> Result<TableChecksum, Error> {
        let mut sum = TableHasher::default();
        let statement = self.tx.select_row_lines(table);
        self.tx
            .for_each_row(statement, |Line(line)| {
                let rows = sum.add(line.as_bytes());
                if rows.is_multiple_of(PROGRESS_INTERVAL_ROWS) {
                    on_progress(rows);
                }
            })
            .await?;
        Ok(sum.finish(table.columns()))
    }

    /// Runs the engine's integrity check and returns the faults it finds.
    pub async fn integrity_faults(&mut self) -> Result<Vec<String>, Error> {
        self.tx.integrity_faults().await
    }
}
