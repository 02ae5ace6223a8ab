//! The section of the configuration that objects read.

use std::path::PathBuf;

use domain::Secret;
use serde::Deserialize;

/// `[blobs]` of the configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where objects are kept.
    pub backend: Backend,
    /// The folder, if it is one. Empty means `blobs` in the data folder.
    pub folder: PathBuf,
    /// How many objects are taken in at once.
    pub max_concurrent_uploads: u32,
    /// How many of those are of one brand.
    pub max_concurrent_uploads_per_brand: u32,
    /// How many of those are of one device token.
    pub max_concurrent_uploads_per_token: u32,
    /// The server, if it is one.
    pub s3: S3,
}

/// How many objects are taken in at once; each holds two parts of it in memory.
#[derive(Clone, Copy, Debug)]
pub struct UploadLimits {
    /// In all.
    pub total: u32,
    /// Of one brand.
    pub per_brand: u32,
    /// Of one device token.
    pub per_token: u32,
}

/// Where objects are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// As files.
    Folder,
    /// On a server that speaks S3.
    S3,
    /// In memory, for tests; no configuration can ask for it.
    #[serde(skip)]
    Memory,
}

/// `[blobs.s3]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct S3 {
    /// The server's address. Empty means Amazon's of the region.
    pub endpoint: String,
    /// The bucket, which must be there.
    pub bucket: String,
    /// The region.
    pub region: String,
    /// Who we are there.
    pub access_key: String,
    /// How we prove it.
    pub secret_key: Secret,
    /// Whether the endpoint may be http.
    pub allow_http: bool,
    /// Whether the bucket stands in the path (`endpoint/bucket/…`) or in the host (`bucket.endpoint/…`).
    pub path_style: bool,
}

impl Config {
    pub(crate) fn upload_limits(&self) -> UploadLimits {
        UploadLimits {
            total: self.max_concurrent_uploads,
            per_brand: self.max_concurrent_uploads_per_brand,
            per_token: self.max_concurrent_uploads_per_token,
        }
    }

    /// Says what is wrong with the values, by key.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        for (key, uploads) in [
            ("blobs.max_concurrent_uploads", self.max_concurrent_uploads),
            ("blobs.max_concurrent_uploads_per_brand", self.max_concurrent_uploads_per_brand),
            ("blobs.max_concurrent_uploads_per_token", self.max_concurrent_uploads_per_token),
        ] {
            if uploads == 0 {
                return Err((key, "must be at least 1".to_owned()));
            }
        }
        if self.backend == Backend::S3 { self.s3.check() } else { Ok(()) }
    }
}

impl S3 {
    fn check(&self) -> Result<(), (&'static str, String)> {
        let is_http = self.endpoint.starts_with("http://");
        let rest = self.endpoint.strip_prefix("https://").or(self.endpoint.strip_prefix("http://"));
        let is_bad =
            |text: &str| text.is_empty() || text.contains(|c: char| c.is_whitespace() || c.is_control());
        if !self.endpoint.is_empty() && rest.is_none_or(is_bad) {
            let reason = "must be an address that begins with https:// or http://, or empty";
            return Err(("blobs.s3.endpoint", reason.to_owned()));
        }
        if is_http && !self.allow_http {
            let reason = "must begin with https://, unless blobs.s3.allow_http is true";
            return Err(("blobs.s3.endpoint", reason.to_owned()));
        }
        for (key, value) in [("blobs.s3.bucket", &self.bucket), ("blobs.s3.region", &self.region)] {
            if value.is_empty() || !value.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c)) {
                return Err((key, "must be a name of letters, digits, dots and hyphens".to_owned()));
            }
        }
        for (key, value) in
            [("blobs.s3.access_key", &self.access_key), ("blobs.s3.secret_key", &self.secret_key.0)]
        {
            if is_bad(value) {
                return Err((key, "must be set".to_owned()));
            }
        }
        Ok(())
    }
}
