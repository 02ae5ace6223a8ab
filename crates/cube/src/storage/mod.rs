//! In-memory storage: chunks of narrow columns ordered by time, in slots that cover ranges of time.

mod chunk;
mod chunk_index;
mod column;
mod part;
mod row;
mod summary;
mod table;
mod values;

pub use part::ChunkSource;
pub use summary::Summary;

pub(crate) use chunk::{BLOCK_ROWS, BlockBounds, Chunk};
pub(crate) use chunk_index::{Aggregate, ChunkIndex};
pub(crate) use column::{Codes, Lengths};
pub(crate) use part::{Part, PartLoader, ensure_at_hand};
pub(crate) use row::{Flags, Key, Row};
pub(crate) use summary::PRESENCE_BITS;
pub(crate) use table::{PartBuilder, Slot, Table};
pub(crate) use values::Values;
