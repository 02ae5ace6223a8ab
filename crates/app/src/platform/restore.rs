//! Completes the restore of a backup.

use blobs::Key;
use domain::Timestamp;
use serde_json::json;
use store::{ClipObject, ExportObject, ReportObject};

use crate::{App, Error, LostSecrets};

/// Objects per statement.
const BATCH_SIZE: usize = 500;

#[macros::boxed]
impl App {
    /// Records that the installation was restored from a backup of that time. Clips, exports and reports whose objects are missing from
    /// the backup are marked as expired, because their objects had been deleted at the source. A missing file of a report is forgotten,
    /// because it can be made again from the figures. Leases on alerts are released, and hosts and saved columns are forgotten: they are not
    /// here.
    ///
    /// Recorded heads of the audit chains may lie beyond the restored ones; this is recorded with them.
    pub async fn record_restore(
        &self,
        made_at: Timestamp,
        missing_objects: &[Key],
        lost: Option<LostSecrets>,
    ) -> Result<(), Error> {
        self.record_restore_reset(made_at).await?;
        let (mut clips, mut exports, mut reports) = (Vec::new(), Vec::new(), Vec::new());
        for key in missing_objects {
            let upload = key.upload().to_string();
            match key {
                Key::Clip(brand, clip, _) => clips.push(ClipObject { brand: *brand, clip: *clip, upload }),
                Key::Export(brand, export, _) => {
                    exports.push(ExportObject { brand: *brand, export: *export, upload });
                }
                Key::Report(brand, report, _) => {
                    reports.push(ReportObject { brand: *brand, report: *report, upload });
                }
                // Never in a backup.
                Key::ColumnPart(..) => {}
            }
        }
        let mut tx = self.store.begin().await?;
        for some in clips.chunks(BATCH_SIZE) {
            tx.expired_clips(&self.platform).expire(some, self.clock.now()).await?;
        }
        for some in exports.chunks(BATCH_SIZE) {
            tx.expired_exports(&self.platform).expire(some, self.clock.now()).await?;
        }
        tx.expired_reports(&self.platform).forget_missing(&reports, self.clock.now()).await?;
        tx.alert_cursors(&self.platform).release_all().await?;
        tx.warehouse_copies(&self.platform).delete_all().await?;
        tx.all_column_manifests(&self.platform).delete_all().await?;
        tx.hosts(&self.platform).delete_all().await?;
        let mut details = json!({
            "made_at": made_at, "gone_clips": clips.len(), "gone_exports": exports.len(), "gone_reports": reports.len(),
        });
        if let Some(LostSecrets { sessions, links }) = lost {
            details["new_key"] = json!({ "ended_sessions": sessions, "ended_links": links });
        }
        self.record_installation_audit(&mut tx, "installation.restored", details).await?;
        tx.commit().await?;
        Ok(())
    }
}
