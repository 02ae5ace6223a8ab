//! What a cube held at one moment.

use std::sync::Arc;

use domain::insights::{Answer, Question};

use crate::dictionary::Dictionaries;
use crate::storage::{Part, Summary, Table};
use crate::{Error, ScanContext, file, scan};

/// The facts of one brand at one moment. Cheap to clone; nothing changes it.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) dictionaries: Arc<Dictionaries>,
    pub(crate) incursions: Table,
    pub(crate) runtime: Table,
    pub(crate) next_part_number: u64,
}

/// Tells the parts of a brand apart. What has the same number has the same content, for as long as the cube and those
/// opened from its outlines live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId(pub u64);

/// A part that can be saved.
#[derive(Clone, Debug)]
pub struct PartHandle {
    part: Arc<Part>,
    dictionaries: Arc<Dictionaries>,
}

impl PartHandle {
    /// Its number, by which a [`ChunkSource`](crate::ChunkSource) will be asked for it.
    pub fn id(&self) -> PartId {
        PartId(self.part.number)
    }

    /// What is known of it without looking into it.
    pub fn summary(&self) -> &Summary {
        &self.part.summary
    }

    /// Its bytes: a file of Arrow's IPC format.
    pub fn encode(&self) -> Result<Vec<u8>, Error> {
        file::write_chunk(self.part.chunk()?, &self.dictionaries)
    }
}

impl Snapshot {
    /// Answers a question.
    pub fn answer(&self, question: &Question, scan: &ScanContext<'_>) -> Result<Answer, Error> {
        scan::run(self, question, scan)
    }

    /// How many incursions there are.
    pub fn incursion_count(&self) -> usize {
        self.incursions.rows()
    }

    /// How many pieces of runtime there are, with those that are gone.
    pub fn runtime_piece_count(&self) -> usize {
        self.runtime.rows()
    }

    /// How much memory it takes, in bytes; parts that were not read yet take none.
    pub fn bytes(&self) -> usize {
        self.incursions.bytes() + self.runtime.bytes() + self.dictionaries.bytes()
    }

    /// Its parts, to be saved under their numbers. A part whose number was saved before need not be saved again.
    pub fn parts(&self) -> impl Iterator<Item = PartHandle> + '_ {
        let all = self.incursions.parts().chain(self.runtime.parts());
        all.map(|part| PartHandle { part: Arc::clone(part), dictionaries: Arc::clone(&self.dictionaries) })
    }

    /// All but the parts: what a [`Cube`](crate::Cube) is opened with.
    pub fn outline(&self) -> Vec<u8> {
        file::write_outline(self.next_part_number, &self.dictionaries, [&self.incursions, &self.runtime])
    }
}
