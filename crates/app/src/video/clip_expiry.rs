//! Clearing up after video: what was kept its time, and what never came.

use blobs::{Key, Upload};
use domain::Span;

use crate::{App, Error};

/// How many clips go in one transaction.
const BATCH_SIZE: i64 = 100;
/// After so long without an end an upload is taken for dead.
const STALE_UPLOAD_AGE: Span = Span::minutes(60);

impl App {
    /// Lets clips go that their brand has kept long enough, and gives up those whose video never came; tells how many
    /// went. First the row, then the object: what is shown is always there.
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
                // What cannot be deleted now belongs to nothing, and is found as such.
                if let Some(upload) = Upload::parse(&clip.upload)
                    && let Err(error) = self.blobs.delete(&Key::Clip(clip.brand, clip.clip, upload)).await
                {
                    tracing::warn!("the video of clip {} could not be deleted: {error}", clip.clip);
                }
            }
        }
    }
}
