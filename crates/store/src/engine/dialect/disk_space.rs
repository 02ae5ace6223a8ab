//! Checks whether the disk of the database has room. Used only after a write has failed.

use std::fs::{File, remove_file};
use std::io::Write;
use std::path::PathBuf;

use crate::Error;
use crate::engine::error::StorageFault;
use crate::engine::pool::Store;
use crate::engine::statement::sql;
use crate::engine::tx::Tx;

/// Free bytes that are required before writes count as working again.
const MIN_FREE_BYTES: usize = 1 << 20;

impl Store {
    /// Writes a temporary file beside SQLite's file, without making the database or its log grow. PostgreSQL is checked in a transaction.
    pub(crate) async fn check_disk_space(&self) -> Result<(), Error> {
        let Self::Sqlite { path, .. } = self else { return Ok(()) };
        let mut file = path.clone().into_os_string();
        file.push("-room");
        let file = PathBuf::from(file);
        let look = move || {
            let outcome = File::create(&file).and_then(|mut made| {
                made.write_all(&vec![0; MIN_FREE_BYTES])?;
                made.sync_all()
            });
            let removed = remove_file(&file);
            outcome.and(removed)
        };
        match tokio::task::spawn_blocking(look).await {
            Ok(outcome) => outcome.map_err(|error| Error::Storage(StorageFault::from_io(&error))),
            Err(error) => Err(Error::Unusable(error.to_string())),
        }
    }
}

impl Tx {
    /// Occupies the same amount of space on PostgreSQL until the end of the transaction: a temporary table is on the same disk as the
    /// database. The rows are short enough to be neither compressed nor moved to a TOAST table.
    pub(crate) async fn reserve_disk_space(&mut self) -> Result<(), Error> {
        if !self.is_postgres() {
            return Ok(());
        }
        self.execute(sql!("create temporary table room (filling text) on commit drop")).await?;
        let rows = i64::try_from(MIN_FREE_BYTES / 1_900).unwrap_or(i64::MAX);
        let fill = sql!("insert into room select repeat('x', 1900) from generate_series(1, $1)", rows);
        self.execute(fill).await?;
        Ok(())
    }
}
