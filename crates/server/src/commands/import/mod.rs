//! `keepclear import`: imports data from files.

mod batches;
mod events;
mod lines;
mod registry;
mod report;

pub use events::{EventFile, import_events};
pub use registry::import_registry;
