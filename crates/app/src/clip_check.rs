//! Whether the video that rows speak of is there.

use blobs::{Key, Upload};
use domain::ClipId;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use sha2::{Digest, Sha256};
use store::KeptClip;

use crate::{App, Error};

/// How many rows are read at once, and how many objects are looked at at once.
const PAGE: i64 = 500;
const AT_ONCE: usize = 8;

/// How closely video is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Whether each object is there, and as long as its row says.
    Sizes,
    /// Also whether its bytes are those that were sent.
    Bytes,
}

/// What looking at all clips found.
#[derive(Clone, Debug, Default)]
pub struct ClipReport {
    /// How many clips have video.
    pub clips: u64,
    /// What does not hold, a sentence each.
    pub faults: Vec<String>,
}

impl App {
    /// Looks for the object of every clip whose video is there.
    pub async fn check_clips(&self, depth: Depth) -> Result<ClipReport, Error> {
        let mut report = ClipReport::default();
        let mut after = ClipId(0);
        loop {
            let clips = self.store.read().await?.old_clips(&self.platform).kept(after, PAGE).await?;
            let Some(last) = clips.last() else { return Ok(report) };
            after = last.object.clip;
            report.clips += clips.len() as u64;
            let looks = stream::iter(clips).map(|clip| self.fault_of(clip, depth)).buffered(AT_ONCE);
            let faults: Vec<Option<String>> = looks.try_collect().await?;
            report.faults.extend(faults.into_iter().flatten());
        }
    }

    async fn fault_of(&self, clip: KeptClip, depth: Depth) -> Result<Option<String>, Error> {
        let id = clip.object.clip;
        let Some(upload) = Upload::parse(&clip.object.upload) else {
            return Ok(Some(format!("clip {id}: its row names no object")));
        };
        let key = Key::Clip(clip.object.brand, id, upload);
        let fault = match self.blobs.head(&key).await? {
            None => format!("clip {id}: the object {key} is missing"),
            Some(object) if object.size_bytes != clip.size_bytes => {
                let (found, kept) = (object.size_bytes, clip.size_bytes);
                format!("clip {id}: the object {key} has {found} bytes instead of {kept}")
            }
            Some(_) if depth == Depth::Bytes && self.hash_of(&key, clip.size_bytes).await? != clip.sha256 => {
                format!("clip {id}: the bytes of the object {key} are not those that were sent")
            }
            Some(_) => return Ok(None),
        };
        // Its time may have come since the row was read.
        let now = self.store.read().await?.old_clips(&self.platform).objects(&[id]).await?;
        Ok(now.contains(&clip.object).then_some(fault))
    }

    async fn hash_of(&self, key: &Key, size_bytes: u64) -> Result<Vec<u8>, Error> {
        let mut bytes = match self.blobs.read(key, 0..size_bytes).await {
            Ok(bytes) => bytes,
            Err(blobs::Error::Missing(_)) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        let mut hash = Sha256::new();
        while let Some(some) = bytes.try_next().await? {
            hash.update(&some);
        }
        Ok(hash.finalize().to_vec())
    }
}
