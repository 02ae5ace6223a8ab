//! Blobs: objects too large for database rows, such as video, in a folder, on an S3-compatible server, or in memory for tests.
//!
//! An object exists as a whole or not at all. Every upload has its own name and never overwrites another; a database row
//! decides which one is current.

mod blobs;
mod config;
mod error;
mod folder;
mod key;
#[cfg(feature = "s3")]
mod s3;
mod writer;

pub use blobs::{Blobs, ByteStream, Object, ObjectStream};
pub use config::{Backend, Config, S3, UploadLimits};
pub use error::Error;
pub use key::{Key, Prefix, Upload};
pub use writer::Writer;
