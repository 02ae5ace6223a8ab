//! The `[blobs]` section of the configuration.

use std::path::PathBuf;

use domain::Secret;
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub backend: Backend,
    /// Used by the folder backend. Empty means `blobs` in the data folder.
    pub folder: PathBuf,
    /// Maximum number of objects that are uploaded concurrently.
    pub max_concurrent_uploads: u32,
    pub max_concurrent_uploads_per_brand: u32,
    pub max_concurrent_uploads_per_token: u32,
    /// Used by the S3 backend.
    pub s3: S3,
}

/// Limits of concurrent uploads; each holds two parts in memory.
#[derive(Clone, Copy, Debug)]
pub struct UploadLimits {
    pub total: u32,
    pub per_brand: u32,
    pub per_token: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    Folder,
    /// An S3-compatible server.
    S3,
    /// For tests only; cannot be set in the configuration.
    #[serde(skip)]
    Memory,
}

/// The `[blobs.s3]` section.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct S3 {
    /// URL of the server. Empty means Amazon's server of the region.
    pub endpoint: String,
    /// The bucket, which must exist.
    pub bucket: String,
    pub region: String,
    pub access_key: String,
    pub secret_key: Secret,
    /// Whether the endpoint may be http.
    pub allow_http: bool,
    /// Whether the bucket is part of the path (`endpoint/bucket/…`) or of the host name (`bucket.endpoint/…`).
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

    /// Validates the values. An error holds the key that is wrong and the reason.
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
        self.check_backend(cfg!(feature = "s3"))
    }

    fn check_backend(&self, has_s3: bool) -> Result<(), (&'static str, String)> {
        if self.backend != Backend::S3 {
            return Ok(());
        }
        self.s3.check()?;
        if has_s3 { Ok(()) } else { Err(lacks_s3()) }
    }
}

/// The error of a program that was built without the feature `s3`, as `make run` may do to be built sooner.
pub(crate) fn lacks_s3() -> (&'static str, String) {
    let reason = "must be \"folder\": this program was built without S3. Use a release, or build one with `make build`";
    ("blobs.backend", reason.to_owned())
}

impl S3 {
    pub(crate) fn check(&self) -> Result<(), (&'static str, String)> {
        let is_http = self.endpoint.starts_with("http://");
        let rest = self.endpoint.strip_prefix("https://").or(self.endpoint.strip_prefix("http://"));
        // A login would be quoted by messages.
        let is_bad = |text: &str| {
            text.is_empty() || text.contains(|c: char| c == '@' || c.is_whitespace() || c.is_control())
        };
        let is_no_address = rest.is_none_or(is_bad);
        #[cfg(feature = "s3")]
        let is_no_address = is_no_address || !is_address(&self.endpoint);
        if !self.endpoint.is_empty() && is_no_address {
            let reason = "must be an address that begins with https:// or http:// and has no login and no query, or empty";
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

/// Returns whether requests can be sent to an endpoint. With another one, object_store would panic.
#[cfg(feature = "s3")]
fn is_address(endpoint: &str) -> bool {
    let url = reqwest::Url::parse(endpoint).ok();
    url.is_some_and(|url| url.query().is_none() && url.fragment().is_none())
        && endpoint.parse::<http::Uri>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(backend: Backend) -> Config {
        Config {
            backend,
            folder: PathBuf::new(),
            max_concurrent_uploads: 1,
            max_concurrent_uploads_per_brand: 1,
            max_concurrent_uploads_per_token: 1,
            s3: S3 {
                endpoint: "https://objects.example.com".to_owned(),
                bucket: "keepclear".to_owned(),
                region: "us-east-1".to_owned(),
                access_key: "tester".to_owned(),
                secret_key: Secret("tester".to_owned()),
                allow_http: false,
                path_style: true,
            },
        }
    }

    #[test]
    fn a_program_without_s3_refuses_a_bucket_and_names_the_release_build() {
        let (key, reason) = config(Backend::S3).check_backend(false).unwrap_err();
        assert_eq!(key, "blobs.backend");
        assert!(reason.contains("`make build`"), "{reason}");
        assert!(config(Backend::Folder).check_backend(false).is_ok());
        assert!(config(Backend::S3).check_backend(true).is_ok());
    }

    #[test]
    fn what_the_configuration_accepts_can_be_opened() {
        let (config, folder) = (config(Backend::S3), testbed::temporary_folder());
        assert_eq!(config.check().is_ok(), cfg!(feature = "s3"));
        let opened = crate::Blobs::new(&config, folder.path()).map(|_| ());
        assert_eq!(opened, config.check());
    }
}
