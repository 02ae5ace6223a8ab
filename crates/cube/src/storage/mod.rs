//! How facts lie in memory: chunks of narrow columns in order of time, under slots that say which times are whose.

mod chunk;
mod column;
mod part;
mod row;
mod shortcuts;
mod summary;
mod table;

pub use part::ChunkSource;
pub use summary::Summary;

pub(crate) use chunk::{BLOCK, Bounds, Chunk};
pub(crate) use column::{Codes, Lengths};
pub(crate) use part::{Part, Unread};
pub(crate) use row::{Flags, Key, Row};
pub(crate) use shortcuts::{DaySum, Shortcuts};
pub(crate) use summary::PRESENCE_BITS;
pub(crate) use table::{Maker, Slot, Table};
