//! Objects: what is too large for rows, such as video. A folder, an S3-compatible server, or memory for tests.
//!
//! An object is there whole or not at all. It is written under a name of its own, never over another one; which of several
//! counts is decided by a row.

mod blobs;
mod config;
mod error;
mod folder;
mod key;
mod writer;

pub use blobs::{Blobs, ByteStream, Object};
pub use config::{Backend, Config, S3, UploadLimits};
pub use error::Error;
pub use key::{Key, Prefix, Upload};
pub use writer::Writer;
