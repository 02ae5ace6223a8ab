//! The figures of a report as an object, and the objects of reports in general.

use std::io::Read;

use blobs::{Key, Upload};
use bytes::Bytes;
use domain::{BrandId, ReportContent, ReportId};
use futures_util::TryStreamExt;
use sha2::{Digest, Sha256};
use store::ReportObject;

use super::figures::ReportFigures;
use crate::{App, Error};

/// The level of compression at which more effort saves little.
const COMPRESSION_LEVEL: i32 = 3;
/// Maximum size of figures that are read, far above what the limits of rows allow.
const MAX_FIGURES_BYTES: u64 = 512 * 1024 * 1024;

/// Returns figures as the bytes of an object: JSON, compressed.
pub(super) fn encode(figures: &ReportFigures) -> Result<Vec<u8>, Error> {
    let json = serde_json::to_vec(figures).map_err(Error::internal)?;
    zstd::bulk::compress(&json, COMPRESSION_LEVEL).map_err(Error::internal)
}

pub(super) fn decode(bytes: &[u8]) -> Result<ReportFigures, Error> {
    let mut json = Vec::new();
    let decoder = zstd::Decoder::new(bytes).map_err(Error::internal)?;
    decoder.take(MAX_FIGURES_BYTES).read_to_end(&mut json).map_err(Error::internal)?;
    serde_json::from_slice(&json).map_err(Error::internal)
}

impl App {
    /// Returns a new name for an object of a report.
    pub(super) fn new_report_key(&self, brand: BrandId, report: ReportId) -> Key {
        Key::Report(brand, report, Upload::begin(self.clock.now(), &self.random))
    }

    /// Writes an object. If it fails, no object is left.
    pub(super) async fn write_report_object(&self, key: &Key, bytes: &[u8]) -> Result<ReportContent, Error> {
        let content = ReportContent {
            size_bytes: i64::try_from(bytes.len()).map_err(Error::internal)?,
            sha256: Sha256::digest(bytes).to_vec(),
            upload: key.upload().to_string(),
        };
        let mut writer = self.blobs.writer(key);
        if let Err(error) = writer.write(bytes).await {
            if let Err(error) = writer.abort().await {
                tracing::warn!("the object {key} could not be aborted: {error}");
            }
            return Err(error.into());
        }
        writer.finish().await?;
        Ok(content)
    }

    /// Reads the stored figures of a report; none if they are missing. A report that was ready has expired then.
    pub(super) async fn read_report_figures(
        &self,
        brand: BrandId,
        report: ReportId,
        content: &ReportContent,
    ) -> Result<Option<ReportFigures>, Error> {
        let key = report_key(brand, report, content)?;
        let bytes: Vec<Bytes> = match self.blobs.read(&key, 0..u64::MAX).await {
            Ok(stream) => stream.try_collect().await?,
            Err(blobs::Error::NotFound(_)) => {
                self.forget_missing_figures(brand, report, content).await?;
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        let bytes = bytes.concat();
        if Sha256::digest(&bytes).to_vec() != content.sha256 {
            return Err(Error::internal(format!("the object {key} is not what was stored")));
        }
        self.compute(move || decode(&bytes)).await?.map(Some)
    }

    /// Forgets figures whose object is missing, unless they expired or were replaced a moment ago.
    async fn forget_missing_figures(
        &self,
        brand: BrandId,
        report: ReportId,
        content: &ReportContent,
    ) -> Result<(), Error> {
        let mut tx = self.store.begin().await?;
        if tx.reports_of(&self.scope_of(brand)).figures(report).await?.as_ref() != Some(content) {
            return Ok(());
        }
        // The operator should know.
        tracing::error!("the figures of report {report} are missing, but its row refers to them");
        let missing = unused_object(brand, report, content);
        tx.expired_reports(&self.platform).forget_missing(&[missing], self.clock.now()).await?;
        tx.commit().await?;
        Ok(())
    }
}

/// Returns the name of a stored object.
pub(super) fn report_key(brand: BrandId, report: ReportId, content: &ReportContent) -> Result<Key, Error> {
    let upload = Upload::parse(&content.upload);
    let upload = upload.ok_or_else(|| Error::internal("the upload of a report cannot be parsed"))?;
    Ok(Key::Report(brand, report, upload))
}

/// Returns the name of an object as rows have it, such as one to which no row refers.
pub(super) fn unused_object(brand: BrandId, report: ReportId, content: &ReportContent) -> ReportObject {
    ReportObject { brand, report, upload: content.upload.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_as_they_were_stored() {
        let figures = ReportFigures {
            seq: 17,
            outline: Some(vec![vec![[8.5, 47.25], [8.625, 47.25], [8.5, 47.375], [8.5, 47.25]]]),
            time_zones: vec!["Europe/Zurich".to_owned()],
            ..ReportFigures::default()
        };
        let bytes = encode(&figures).unwrap();
        assert_eq!(decode(&bytes).unwrap(), figures);
    }

    #[test]
    fn what_is_no_figures_is_refused() {
        let cut = encode(&ReportFigures::default()).unwrap();
        for bytes in [&b""[..], b"{}", &cut[..cut.len() / 2]] {
            assert!(decode(bytes).is_err());
        }
    }
}
