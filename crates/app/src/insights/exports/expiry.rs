//! What time does to exports: files that were kept long enough go, and what nobody makes any more is given up.

use blobs::{Key, Upload};
use store::ExportObject;

use crate::{App, Error};

/// How many exports go in one transaction.
const BATCH_SIZE: i64 = 100;

impl App {
    /// Lets files go that were kept long enough, and gives up exports whose job was; tells how many went. First the row, then the
    /// object: what is shown is always there.
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

    /// Deletes files that no row names any more. What cannot be deleted now belongs to nothing, and is found as such.
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
