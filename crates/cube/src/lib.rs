//! Columns: incursions and runtime in memory, filtered, grouped and measured. Pure and synchronous.
//!
//! A [`Cube`] holds the facts of one brand and takes changes in; a [`Snapshot`] is what it held at one moment, cheap to clone and
//! never changed, and answers a [`Question`](domain::insights::Question). Nothing here reads or writes files: a snapshot gives its
//! parts as bytes, and a cube that was opened from an [outline](Snapshot::outline) asks a [`ChunkSource`] for each part when
//! it is first needed.

mod attributes;
mod cube;
mod dictionary;
mod error;
mod file;
mod scan;
mod snapshot;
mod storage;

pub use attributes::Attributes;
pub use cube::{Cube, Settings};
pub use domain::insights::{IncursionFact, RuntimeFact};
pub use error::Error;
pub use scan::ScanContext;
pub use snapshot::{PartHandle, PartId, Snapshot};
pub use storage::{ChunkSource, Summary};
