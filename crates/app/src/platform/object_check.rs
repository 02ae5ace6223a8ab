//! Checks that the objects that rows refer to exist: video clips, the files of exports, the figures and files of reports.

use blobs::{Key, Upload};
use domain::{ClipId, ExportId, ReportId};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use sha2::{Digest, Sha256};

use crate::{App, Error};

/// Rows per page, and objects checked concurrently.
const PAGE_SIZE: i64 = 500;
const MAX_CONCURRENT: usize = 8;

/// The thoroughness of a check of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Existence and size.
    Sizes,
    /// Also the checksum of the content.
    Bytes,
}

/// The result of checking all objects of a kind.
#[derive(Clone, Debug, Default)]
pub struct ObjectReport {
    /// Number of objects that should exist.
    pub objects: u64,
    /// Faults, one sentence each.
    pub faults: Vec<String>,
}

/// An object as its row describes it.
struct ExpectedObject {
    /// Description for people.
    label: String,
    /// None if the row does not refer to an object.
    key: Option<Key>,
    size_bytes: u64,
    sha256: Vec<u8>,
}

#[macros::boxed]
impl App {
    /// Checks the object of every stored clip.
    pub async fn check_clips(&self, depth: Depth) -> Result<ObjectReport, Error> {
        let mut report = ObjectReport::default();
        let mut after = ClipId(0);
        loop {
            let clips =
                self.store.read().await?.expired_clips(&self.platform).stored(after, PAGE_SIZE).await?;
            let Some(last) = clips.last() else { return Ok(report) };
            after = last.object.clip;
            let expected = clips.into_iter().map(|clip| {
                let (brand, id) = (clip.object.brand, clip.object.clip);
                ExpectedObject {
                    label: format!("clip {id}"),
                    key: Upload::parse(&clip.object.upload).map(|upload| Key::Clip(brand, id, upload)),
                    size_bytes: clip.size_bytes,
                    sha256: clip.sha256,
                }
            });
            self.check_objects(expected.collect(), depth, &mut report).await?;
        }
    }

    /// Checks the file of every finished export.
    pub async fn check_exports(&self, depth: Depth) -> Result<ObjectReport, Error> {
        let mut report = ObjectReport::default();
        let mut after = ExportId(0);
        loop {
            let exports =
                self.store.read().await?.expired_exports(&self.platform).stored(after, PAGE_SIZE).await?;
            let Some(last) = exports.last() else { return Ok(report) };
            after = last.object.export;
            let expected = exports.into_iter().map(|export| {
                let (brand, id) = (export.object.brand, export.object.export);
                ExpectedObject {
                    label: format!("export {id}"),
                    key: Upload::parse(&export.object.upload).map(|upload| Key::Export(brand, id, upload)),
                    size_bytes: export.size_bytes,
                    sha256: export.sha256,
                }
            });
            self.check_objects(expected.collect(), depth, &mut report).await?;
        }
    }

    /// Checks the figures and the files of every report.
    pub async fn check_reports(&self, depth: Depth) -> Result<ObjectReport, Error> {
        let mut report = ObjectReport::default();
        let mut after = (ReportId(0), String::new());
        loop {
            let mut tx = self.store.read().await?;
            let objects = tx.expired_reports(&self.platform).stored(after, PAGE_SIZE).await?;
            drop(tx);
            let Some(last) = objects.last() else { return Ok(report) };
            after = (last.object.report, last.object.upload.clone());
            let expected = objects.into_iter().map(|kept| {
                let (brand, id) = (kept.object.brand, kept.object.report);
                ExpectedObject {
                    label: format!("report {id}"),
                    key: Upload::parse(&kept.object.upload).map(|upload| Key::Report(brand, id, upload)),
                    size_bytes: kept.size_bytes,
                    sha256: kept.sha256,
                }
            });
            self.check_objects(expected.collect(), depth, &mut report).await?;
        }
    }

    async fn check_objects(
        &self,
        expected: Vec<ExpectedObject>,
        depth: Depth,
        report: &mut ObjectReport,
    ) -> Result<(), Error> {
        report.objects += expected.len() as u64;
        let checks =
            stream::iter(expected).map(|kept| self.check_object(kept, depth)).buffered(MAX_CONCURRENT);
        let faults: Vec<Option<String>> = checks.try_collect().await?;
        report.faults.extend(faults.into_iter().flatten());
        Ok(())
    }

    async fn check_object(&self, expected: ExpectedObject, depth: Depth) -> Result<Option<String>, Error> {
        let ExpectedObject { label: what, key, size_bytes, sha256 } = expected;
        let Some(key) = key else {
            return Ok(Some(format!("{what}: its row does not refer to an object")));
        };
        let fault = match self.blobs.head(&key).await? {
            None => format!("{what}: the object {key} is missing"),
            Some(object) if object.size_bytes != size_bytes => {
                let found = object.size_bytes;
                format!("{what}: the object {key} has {found} bytes instead of {size_bytes}")
            }
            Some(_) if depth == Depth::Bytes && self.hash_object(&key, size_bytes).await? != sha256 => {
                format!("{what}: the content of the object {key} does not match its checksum")
            }
            Some(_) => return Ok(None),
        };
        // The object may have expired since the row was read.
        Ok(self.is_referenced(&key).await?.then_some(fault))
    }

    /// Returns whether a row refers to an object now.
    async fn is_referenced(&self, key: &Key) -> Result<bool, Error> {
        let mut tx = self.store.read().await?;
        Ok(match key {
            Key::Clip(_, id, upload) => {
                let named = tx.expired_clips(&self.platform).objects(&[*id]).await?;
                named.iter().any(|object| object.upload == upload.to_string())
            }
            Key::Export(_, id, upload) => {
                let named = tx.expired_exports(&self.platform).objects(&[*id]).await?;
                named.iter().any(|object| object.upload == upload.to_string())
            }
            Key::Report(_, id, upload) => {
                let named = tx.expired_reports(&self.platform).objects(&[*id]).await?;
                named.iter().any(|object| object.upload == upload.to_string())
            }
            // Columns are a copy of rows, which is made again if a part is missing.
            Key::ColumnPart(..) => false,
        })
    }

    async fn hash_object(&self, key: &Key, size_bytes: u64) -> Result<Vec<u8>, Error> {
        let mut bytes = match self.blobs.read(key, 0..size_bytes).await {
            Ok(bytes) => bytes,
            Err(blobs::Error::NotFound(_)) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        let mut hash = Sha256::new();
        while let Some(some) = bytes.try_next().await? {
            hash.update(&some);
        }
        Ok(hash.finalize().to_vec())
    }
}
