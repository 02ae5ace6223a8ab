//! Clearing up after video: what was kept its time, and what never came.

use blobs::{Key, Upload};
use domain::Span;

use crate::{App, Error};

/// How many clips go in one transaction.
const AT_ONCE: i64 = 100;
/// After so long without an end an upload is taken for dead.
const STALE: Span = Span::minutes(60);

impl App {
    /// Lets clips go that their brand has kept long enough, and gives up those whose video never came; tells how many
    /// went. First the row, then the object: what is shown is always there.
    pub async fn expire_video_clips(&self) -> Result<u64, Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        let mut gone = tx.old_clips(&self.platform).give_up(now, now - STALE).await?;
        tx.commit().await?;
        loop {
            let mut tx = self.store.begin().await?;
            let past = tx.old_clips(&self.platform).past_keeping(now, AT_ONCE).await?;
            if past.is_empty() {
                return Ok(gone);
            }
            tx.old_clips(&self.platform).expire(&past, now).await?;
            tx.commit().await?;
            gone += past.len() as u64;
            for clip in &past {
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
