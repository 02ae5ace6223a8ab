//! Whether the objects that rows speak of are there: video, and the files of exports.

use blobs::{Key, Upload};
use domain::{ClipId, ExportId};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use sha2::{Digest, Sha256};

use crate::{App, Error};

/// How many rows are read at once, and how many objects are looked at at once.
const PAGE: i64 = 500;
const AT_ONCE: usize = 8;

/// How closely objects are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Whether each object is there, and as long as its row says.
    Sizes,
    /// Also whether its bytes are those that were kept.
    Bytes,
}

/// What looking at all objects of a kind found.
#[derive(Clone, Debug, Default)]
pub struct ObjectReport {
    /// How many there are to be.
    pub objects: u64,
    /// What does not hold, a sentence each.
    pub faults: Vec<String>,
}

/// What a row says of its object.
struct Kept {
    /// What it is of, for people.
    what: String,
    /// None if the row names none.
    key: Option<Key>,
    size_bytes: u64,
    sha256: Vec<u8>,
}

impl App {
    /// Looks for the object of every clip whose video is there.
    pub async fn check_clips(&self, depth: Depth) -> Result<ObjectReport, Error> {
        let mut report = ObjectReport::default();
        let mut after = ClipId(0);
        loop {
            let clips = self.store.read().await?.old_clips(&self.platform).kept(after, PAGE).await?;
            let Some(last) = clips.last() else { return Ok(report) };
            after = last.object.clip;
            let kept = clips.into_iter().map(|clip| {
                let (brand, id) = (clip.object.brand, clip.object.clip);
                Kept {
                    what: format!("clip {id}"),
                    key: Upload::parse(&clip.object.upload).map(|upload| Key::Clip(brand, id, upload)),
                    size_bytes: clip.size_bytes,
                    sha256: clip.sha256,
                }
            });
            self.check_objects(kept.collect(), depth, &mut report).await?;
        }
    }

    /// Looks for the file of every export that is done.
    pub async fn check_exports(&self, depth: Depth) -> Result<ObjectReport, Error> {
        let mut report = ObjectReport::default();
        let mut after = ExportId(0);
        loop {
            let exports = self.store.read().await?.old_exports(&self.platform).kept(after, PAGE).await?;
            let Some(last) = exports.last() else { return Ok(report) };
            after = last.object.export;
            let kept = exports.into_iter().map(|export| {
                let (brand, id) = (export.object.brand, export.object.export);
                Kept {
                    what: format!("export {id}"),
                    key: Upload::parse(&export.object.upload).map(|upload| Key::Export(brand, id, upload)),
                    size_bytes: export.size_bytes,
                    sha256: export.sha256,
                }
            });
            self.check_objects(kept.collect(), depth, &mut report).await?;
        }
    }

    async fn check_objects(
        &self,
        kept: Vec<Kept>,
        depth: Depth,
        report: &mut ObjectReport,
    ) -> Result<(), Error> {
        report.objects += kept.len() as u64;
        let looks = stream::iter(kept).map(|kept| self.fault_of(kept, depth)).buffered(AT_ONCE);
        let faults: Vec<Option<String>> = looks.try_collect().await?;
        report.faults.extend(faults.into_iter().flatten());
        Ok(())
    }

    async fn fault_of(&self, kept: Kept, depth: Depth) -> Result<Option<String>, Error> {
        let Kept { what, key, size_bytes, sha256 } = kept;
        let Some(key) = key else {
            return Ok(Some(format!("{what}: its row names no object")));
        };
        let fault = match self.blobs.head(&key).await? {
            None => format!("{what}: the object {key} is missing"),
            Some(object) if object.size_bytes != size_bytes => {
                let found = object.size_bytes;
                format!("{what}: the object {key} has {found} bytes instead of {size_bytes}")
            }
            Some(_) if depth == Depth::Bytes && self.hash_of(&key, size_bytes).await? != sha256 => {
                format!("{what}: the bytes of the object {key} are not those that were sent")
            }
            Some(_) => return Ok(None),
        };
        // Its time may have come since the row was read.
        Ok(self.is_named(&key).await?.then_some(fault))
    }

    /// Whether a row names an object now.
    async fn is_named(&self, key: &Key) -> Result<bool, Error> {
        let mut tx = self.store.read().await?;
        Ok(match key {
            Key::Clip(_, id, upload) => {
                let named = tx.old_clips(&self.platform).objects(&[*id]).await?;
                named.iter().any(|object| object.upload == upload.to_string())
            }
            Key::Export(_, id, upload) => {
                let named = tx.old_exports(&self.platform).objects(&[*id]).await?;
                named.iter().any(|object| object.upload == upload.to_string())
            }
        })
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
