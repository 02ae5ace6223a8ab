//! Parts as files in Arrow's IPC format, which any Arrow tool can open. They contain ids, not codes.
//!
//! They are written with the Arrow crates. They are read here, because Arrow's reader trusts the offsets of buffers, and damaged files must
//! be refused.

mod layout;
mod outline;
mod read;
mod write;

pub(crate) use outline::{read_outline, write_outline};
pub(crate) use read::read_chunk;
pub(crate) use write::write_chunk;
