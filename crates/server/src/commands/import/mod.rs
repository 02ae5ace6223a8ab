//! `keepclear import`: what files hold.

mod batches;
mod events;
mod lines;
mod registry;
mod report;

pub use events::{EventFile, events};
pub use registry::registry;
