//! Parts as files of Arrow's IPC format, which any tool of Arrow opens: ids are ids there, not codes.
//!
//! Written by the crates of Arrow. Read here, since their reader takes the places of buffers on trust, and what is
//! damaged must be refused.

mod layout;
mod outline;
mod read;
mod write;

pub(crate) use outline::{read_outline, write_outline};
pub(crate) use read::read_chunk;
pub(crate) use write::write_chunk;
