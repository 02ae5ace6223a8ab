//! What is to be done once after a backup was restored.

use blobs::Key;
use domain::Timestamp;
use serde_json::json;
use store::ClipObject;

use crate::{App, Error};

/// How many clips are named in one statement.
const AT_ONCE: usize = 500;

impl App {
    /// Writes down that the installation was restored from a backup of that time. The video of clips that was gone when it was made is
    /// gone for good: at its source its time was over.
    pub async fn note_restore(&self, made_at: Timestamp, gone: &[Key]) -> Result<(), Error> {
        let objects: Vec<ClipObject> = gone
            .iter()
            .map(|Key::Clip(brand, clip, upload)| ClipObject {
                brand: *brand,
                clip: *clip,
                upload: upload.to_string(),
            })
            .collect();
        let mut tx = self.store.begin().await?;
        for some in objects.chunks(AT_ONCE) {
            tx.old_clips(&self.platform).expire(some, self.clock.now()).await?;
        }
        let details = json!({ "made_at": made_at, "gone_clips": gone.len() });
        self.record_on_installation(&mut tx, "installation.restored", details).await?;
        tx.commit().await?;
        Ok(())
    }
}
