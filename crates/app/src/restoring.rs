//! What is to be done once after a backup was restored.

use blobs::Key;
use domain::Timestamp;
use serde_json::json;
use store::{ClipObject, ExportObject};

use crate::{App, Error};

/// How many objects are named in one statement.
const AT_ONCE: usize = 500;

impl App {
    /// Writes down that the installation was restored from a backup of that time. Video and files that were gone when it was made are
    /// gone for good: at their source their time was over.
    pub async fn note_restore(&self, made_at: Timestamp, gone: &[Key]) -> Result<(), Error> {
        let (mut clips, mut exports) = (Vec::new(), Vec::new());
        for key in gone {
            let upload = key.upload().to_string();
            match key {
                Key::Clip(brand, clip, _) => clips.push(ClipObject { brand: *brand, clip: *clip, upload }),
                Key::Export(brand, export, _) => {
                    exports.push(ExportObject { brand: *brand, export: *export, upload });
                }
            }
        }
        let mut tx = self.store.begin().await?;
        for some in clips.chunks(AT_ONCE) {
            tx.old_clips(&self.platform).expire(some, self.clock.now()).await?;
        }
        for some in exports.chunks(AT_ONCE) {
            tx.old_exports(&self.platform).expire(some, self.clock.now()).await?;
        }
        let details = json!({ "made_at": made_at, "gone_clips": clips.len(), "gone_exports": exports.len() });
        self.record_on_installation(&mut tx, "installation.restored", details).await?;
        tx.commit().await?;
        Ok(())
    }
}
