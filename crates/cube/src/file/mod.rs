//! Snapshots as files, in the format whose version is [`domain::insights::ColumnsFormat::CURRENT`]: each part is one, and the outline tells
//! of all of them.
//!
//! Files have checksums over everything, and are read without trusting them nevertheless: lengths are compared with what is there before
//! anything is allocated, and values before they are used. Parts contain ids, not codes, so that they suit each outline that names them.

mod layout;
mod outline;
mod part;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use outline::{read_outline, write_outline};
pub(crate) use read::read_chunk;
pub(crate) use write::write_chunk;
