//! Expiry of exports: deletes old files, and fails exports whose job was given up.

use blobs::{Key, Upload};
use store::ExportObject;

use crate::{App, Error};

/// Exports per transaction.
const BATCH_SIZE: i64 = 100;

#[macros::boxed]
impl App {
    /// Deletes files past their retention and fails exports whose job was given up; returns how many. The row changes before the object
    /// is deleted, so that every file that is listed exists.
    pub async fn expire_exports(&self) -> Result<u64, Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        let mut expired = tx.expired_exports(&self.platform).fail_abandoned(now).await?;
        tx.commit().await?;
        loop {
            let mut tx = self.store.begin().await?;
            let due = tx.expired_exports(&self.platform).past_retention(now, BATCH_SIZE).await?;
            if due.is_empty() {
                return Ok(expired);
            }
            tx.expired_exports(&self.platform).expire(&due, now).await?;
            tx.commit().await?;
            expired += due.len() as u64;
            self.delete_export_files(&due).await;
        }
    }

    /// Deletes files that no row refers to any more. A file that cannot be deleted now is removed later as an orphaned object.
    pub(crate) async fn delete_export_files(&self, gone: &[ExportObject]) {
        for object in gone {
            if let Some(upload) = Upload::parse(&object.upload)
                && let Err(error) = self.blobs.delete(&Key::Export(object.brand, object.export, upload)).await
            {
                tracing::warn!("the file of export {} could not be deleted: {error}", object.export);
            }
        }
    }
}
