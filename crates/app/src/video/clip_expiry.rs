//! Expiry of video clips: those past their retention, and those that were never uploaded.

use blobs::{Key, Upload};
use domain::Span;

use crate::{App, Error};

/// Number of clips in one transaction.
const BATCH_SIZE: i64 = 100;
/// Age after which an unfinished upload counts as abandoned.
const STALE_UPLOAD_AGE: Span = Span::minutes(60);

#[macros::boxed]
impl App {
    /// Expires clips that are past their brand's retention, and fails those that were never uploaded. Returns their number. The row changes
    /// before the object is deleted, so that a clip that is shown always has its object.
    pub async fn expire_video_clips(&self) -> Result<u64, Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        let mut gone = tx.expired_clips(&self.platform).fail_abandoned(now, now - STALE_UPLOAD_AGE).await?;
        tx.commit().await?;
        loop {
            let mut tx = self.store.begin().await?;
            let expired = tx.expired_clips(&self.platform).past_retention(now, BATCH_SIZE).await?;
            if expired.is_empty() {
                return Ok(gone);
            }
            tx.expired_clips(&self.platform).expire(&expired, now).await?;
            tx.commit().await?;
            gone += expired.len() as u64;
            for clip in &expired {
                // An object that cannot be deleted now is orphaned, and is removed later.
                if let Some(upload) = Upload::parse(&clip.upload)
                    && let Err(error) = self.blobs.delete(&Key::Clip(clip.brand, clip.clip, upload)).await
                {
                    tracing::warn!("could not delete the video of clip {}: {error}", clip.clip);
                }
            }
        }
    }
}
