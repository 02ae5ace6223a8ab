//! Orphaned objects: left behind by killed processes or failed deletions.

use blobs::{Key, Object, Prefix};
use domain::insights::ColumnsFormat;
use domain::{BrandId, ClipId, ExportId, ReportId, Span, Timestamp};
use futures_util::TryStreamExt;
use store::{ClipObject, ExportObject, ReportObject};

use crate::insights::columns::{SavedColumns, expire_saved_columns};
use crate::{App, Error};

/// Objects checked per query.
const BATCH_SIZE: usize = 100;
/// Orphaned objects are removed only after this time, which is longer than any upload, export or report takes.
const MIN_ORPHAN_AGE: Span = Span::minutes(24 * 60);

#[macros::boxed]
impl App {
    /// Deletes objects that no row refers to, and incomplete uploads; returns how many. Then saved columns with facts that retention has
    /// deleted are forgotten, also if the objects are out of reach. The next run deletes their objects, so that hosts that use them have
    /// time to save what is left.
    pub async fn remove_orphaned_objects(&self) -> Result<u64, Error> {
        let removed = self.remove_objects_without_rows().await;
        expire_saved_columns(&self.store, &self.platform, self.clock.now()).await?;
        removed
    }

    async fn remove_objects_without_rows(&self) -> Result<u64, Error> {
        let before = self.clock.now() - MIN_ORPHAN_AGE;
        let mut removed = self.blobs.remove_incomplete_uploads(before).await?;
        let objects = self.blobs.list(Prefix::All).try_chunks(BATCH_SIZE);
        let mut objects = std::pin::pin!(objects);
        while let Some(some) = objects.try_next().await.map_err(|failed| Error::from(failed.1))? {
            removed += self.remove_orphans_among(some, before).await?;
        }
        Ok(removed)
    }

    /// Deletes the files of this host's cache of saved columns that were not used for long.
    pub async fn remove_unused_cached_parts(&self) -> Result<(), Error> {
        self.columns.remove_unused_cached_parts().await
    }

    async fn remove_orphans_among(&self, mut objects: Vec<Object>, before: Timestamp) -> Result<u64, Error> {
        objects.retain(|object| object.key.upload().started_at() < before);
        let (mut clips, mut exports): (Vec<ClipId>, Vec<ExportId>) = (Vec::new(), Vec::new());
        let (mut reports, mut columns): (Vec<ReportId>, Vec<(ColumnsFormat, BrandId)>) =
            (Vec::new(), Vec::new());
        for object in &objects {
            match object.key {
                Key::Clip(_, id, _) => clips.push(id),
                Key::Export(_, id, _) => exports.push(id),
                Key::Report(_, id, _) => reports.push(id),
                Key::ColumnPart(format, brand, _, _) => columns.push((format, brand)),
            }
        }
        if objects.is_empty() {
            return Ok(0);
        }
        let mut tx = self.store.read().await?;
        let clips = tx.expired_clips(&self.platform).objects(&clips).await?;
        let exports = tx.expired_exports(&self.platform).objects(&exports).await?;
        let reports = tx.expired_reports(&self.platform).objects(&reports).await?;
        let columns = SavedColumns::read(&mut tx, &self.platform, &columns).await?;
        drop(tx);
        let mut removed = 0;
        for Object { key, .. } in objects {
            let is_referenced = match &key {
                Key::Clip(brand, clip, upload) => {
                    clips.contains(&ClipObject { brand: *brand, clip: *clip, upload: upload.to_string() })
                }
                Key::Export(brand, export, upload) => exports.contains(&ExportObject {
                    brand: *brand,
                    export: *export,
                    upload: upload.to_string(),
                }),
                Key::Report(brand, report, upload) => reports.contains(&ReportObject {
                    brand: *brand,
                    report: *report,
                    upload: upload.to_string(),
                }),
                Key::ColumnPart(format, brand, part, upload) => {
                    columns.names((*format, *brand), *part, upload)
                }
            };
            if !is_referenced {
                self.blobs.delete(&key).await?;
                removed += 1;
            }
        }
        Ok(removed)
    }
}
