//! Places for objects, one of each kind.

use std::sync::OnceLock;

use blobs::{Blobs, Config, Place, S3};
use domain::Secret;
use tempfile::TempDir;

/// A place for objects that a test may use, and what it stands on.
pub struct Objects {
    /// The place.
    pub blobs: Blobs,
    /// Its folder; an empty one if it is none.
    pub folder: TempDir,
}

impl Objects {
    /// A place of that kind. All tests share one server, so names must differ.
    pub fn at(place: Place) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let config = config(place);
        Self { blobs: Blobs::new(&config, folder.path()).expect("a place for objects"), folder }
    }
}

/// The configuration of a place of that kind.
pub fn config(place: Place) -> Config {
    let endpoint = if place == Place::S3 { server().endpoint() } else { String::new() };
    let s3 = S3 {
        endpoint,
        bucket: testbed::S3::BUCKET.to_owned(),
        region: "us-east-1".to_owned(),
        access_key: "tester".to_owned(),
        secret_key: Secret("tester".to_owned()),
        allow_http: true,
        path_style: true,
    };
    Config {
        place,
        folder: std::path::PathBuf::new(),
        uploads_at_once: 32,
        uploads_per_brand: 32,
        uploads_per_token: 32,
        s3,
    }
}

/// The server of this test run; stops with the process.
fn server() -> &'static testbed::S3 {
    static SERVER: OnceLock<testbed::S3> = OnceLock::new();
    SERVER.get_or_init(|| testbed::S3::start().expect("an S3-speaking server"))
}
