//! A columnar in-memory store of incursions and runtime, which filters, groups and aggregates them. It is synchronous and does no I/O.
//!
//! A [`Cube`] holds the facts of one brand and accepts changes. A [`Snapshot`] is its state at one moment; it is cheap to clone, never
//! changes, and answers a [`Question`](domain::insights::Question). A snapshot provides its parts as bytes for saving, and a cube that was
//! opened from an [outline](Snapshot::outline) reads each part from a [`ChunkSource`] when it is first needed. Parts that are elsewhere are
//! brought by the caller; the error says which ones ([`Error::NotAtHand`]).

mod attributes;
mod cube;
mod dictionary;
mod error;
mod fact_list;
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
