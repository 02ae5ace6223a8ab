//! Blob storage for tests, on each backend.

use std::sync::OnceLock;

use blobs::{Backend, Blobs, Config, S3};
use domain::Secret;
use tempfile::TempDir;

/// Blob storage of a test, and the folder behind it.
pub struct TestBlobs {
    pub blobs: Blobs,
    /// Folder of the folder backend; empty for other backends.
    pub folder: TempDir,
}

impl TestBlobs {
    /// Opens blob storage on a backend. All tests share one S3 server, so object names must differ.
    pub fn new(backend: Backend) -> Self {
        let folder = testbed::temporary_folder();
        let config = blobs_config(backend);
        Self { blobs: Blobs::new(&config, folder.path()).expect("a place for objects"), folder }
    }
}

/// Returns the configuration of a backend.
pub fn blobs_config(backend: Backend) -> Config {
    let endpoint = if backend == Backend::S3 { shared_s3().endpoint() } else { String::new() };
    let s3 = S3 {
        endpoint,
        bucket: testbed::S3Server::BUCKET.to_owned(),
        region: "us-east-1".to_owned(),
        access_key: "tester".to_owned(),
        secret_key: Secret("tester".to_owned()),
        allow_http: true,
        path_style: true,
    };
    Config {
        backend,
        folder: std::path::PathBuf::new(),
        max_concurrent_uploads: 32,
        max_concurrent_uploads_per_brand: 32,
        max_concurrent_uploads_per_token: 32,
        s3,
    }
}

/// Returns the shared S3 server of this test run, which stops with the process.
fn shared_s3() -> &'static testbed::S3Server {
    static SERVER: OnceLock<testbed::S3Server> = OnceLock::new();
    SERVER.get_or_init(|| testbed::S3Server::start().expect("an S3-speaking server"))
}
