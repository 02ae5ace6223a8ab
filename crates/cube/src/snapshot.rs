//! The state of a cube at one moment.

use std::sync::Arc;

use crate::dictionary::Dictionaries;
use crate::storage::{Part, Summary, Table};
use crate::{Error, file};

/// The facts of one brand at one moment. It is immutable and cheap to clone.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) dictionaries: Arc<Dictionaries>,
    pub(crate) incursions: Table,
    pub(crate) runtime: Table,
    pub(crate) next_part_number: u64,
}

/// Identifies a part of a brand. Parts with the same number have the same content, as long as the cube and those opened from its outlines
/// exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId(pub u64);

/// A part that can be saved.
#[derive(Clone, Debug)]
pub struct PartHandle {
    part: Arc<Part>,
    dictionaries: Arc<Dictionaries>,
}

impl PartHandle {
    /// Returns the id, by which a [`ChunkSource`](crate::ChunkSource) is asked for the part.
    pub fn id(&self) -> PartId {
        PartId(self.part.number)
    }

    /// Returns the summary, without reading the part.
    pub fn summary(&self) -> &Summary {
        &self.part.summary
    }

    /// Encodes the part as a file.
    pub fn encode(&self) -> Result<Vec<u8>, Error> {
        file::write_chunk(self.part.chunk()?, &self.dictionaries)
    }
}

impl Snapshot {
    pub fn incursion_count(&self) -> usize {
        self.incursions.rows()
    }

    /// Returns the number of runtime pieces, including deleted ones.
    pub fn runtime_piece_count(&self) -> usize {
        self.runtime.rows()
    }

    /// Returns the memory in use, in bytes. Unread parts take none.
    pub fn bytes(&self) -> usize {
        self.incursions.bytes() + self.runtime.bytes() + self.dictionaries.bytes()
    }

    /// Returns the parts, to be saved under their ids. A part whose id was saved before need not be saved again.
    pub fn parts(&self) -> impl Iterator<Item = PartHandle> + '_ {
        let all = self.incursions.parts().chain(self.runtime.parts());
        all.map(|part| PartHandle { part: Arc::clone(part), dictionaries: Arc::clone(&self.dictionaries) })
    }

    /// Encodes everything except the parts, for opening a [`Cube`](crate::Cube).
    pub fn outline(&self) -> Vec<u8> {
        file::write_outline(self.next_part_number, &self.dictionaries, [&self.incursions, &self.runtime])
    }
}
