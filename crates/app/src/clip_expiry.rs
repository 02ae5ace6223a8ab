//! Clearing up after video: what was kept its time, what never came, what belongs to nothing.

use blobs::{Key, Object, Prefix, Upload};
use domain::{ClipId, Span, Timestamp};
use futures_util::TryStreamExt;
use store::ClipObject;

use crate::{App, Error};

/// How many clips go in one transaction.
const AT_ONCE: i64 = 100;
/// After so long without an end an upload is taken for dead.
const STALE: Span = Span::minutes(60);
/// Objects that belong to nothing are left alone for so long: longer than any upload takes.
const SPARED: Span = Span::minutes(24 * 60);

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

    /// Deletes objects that belong to no clip, and what was left half written; tells how many.
    pub async fn remove_orphaned_video(&self) -> Result<u64, Error> {
        let before = self.clock.now() - SPARED;
        let mut removed = self.blobs.remove_leftovers(before).await?;
        let objects = self.blobs.list(Prefix::Clips).try_chunks(AT_ONCE as usize);
        let mut objects = std::pin::pin!(objects);
        while let Some(some) = objects.try_next().await.map_err(|failed| Error::from(failed.1))? {
            removed += self.remove_orphans_among(&some, before).await?;
        }
        Ok(removed)
    }

    async fn remove_orphans_among(&self, objects: &[Object], before: Timestamp) -> Result<u64, Error> {
        let old =
            |object: &&Object| matches!(&object.key, Key::Clip(_, _, upload) if upload.begun_at() < before);
        let old: Vec<&Object> = objects.iter().filter(old).collect();
        if old.is_empty() {
            return Ok(0);
        }
        let ids: Vec<ClipId> = old
            .iter()
            .map(|object| match object.key {
                Key::Clip(_, id, _) => id,
            })
            .collect();
        let known = self.store.read().await?.old_clips(&self.platform).objects(&ids).await?;
        let mut removed = 0;
        for object in old {
            let Key::Clip(brand, clip, upload) = &object.key;
            let named = ClipObject { brand: *brand, clip: *clip, upload: upload.to_string() };
            if !known.contains(&named) {
                self.blobs.delete(&object.key).await?;
                removed += 1;
            }
        }
        Ok(removed)
    }
}
