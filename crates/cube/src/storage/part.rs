//! A part of a table: a chunk with its summary, either in memory or not read yet.

use std::sync::{Arc, OnceLock};

use super::{Chunk, Row, Summary};
use crate::Error;
use crate::dictionary::Indexes;
use crate::file;

/// The source of saved parts, which are read when they are first needed.
pub trait ChunkSource: Send + Sync {
    /// Reads the bytes of a part, complete and unchanged, or returns the reason why that is not possible.
    fn read(&self, part: u64) -> Result<Vec<u8>, String>;
}

/// The inputs for reading a saved part.
pub(crate) struct PartLoader {
    pub source: Arc<dyn ChunkSource>,
    pub indexes: Arc<Indexes>,
}

/// A chunk with its summary.
pub(crate) struct Part {
    /// Identifies the part within its brand. Different content always has a different number.
    pub number: u64,
    pub summary: Summary,
    chunk: OnceLock<Arc<Chunk>>,
    loader: Option<Arc<PartLoader>>,
}

impl Part {
    pub fn new(number: u64, chunk: Chunk) -> Self {
        let summary = Summary::of(&chunk);
        Self { number, summary, chunk: OnceLock::from(Arc::new(chunk)), loader: None }
    }

    /// Creates a part whose summary is known.
    pub fn with_summary(number: u64, chunk: Chunk, summary: Summary) -> Self {
        Self { number, summary, chunk: OnceLock::from(Arc::new(chunk)), loader: None }
    }

    /// Creates a part that is read when it is first needed.
    pub fn lazy(number: u64, summary: Summary, unread: Arc<PartLoader>) -> Self {
        Self { number, summary, chunk: OnceLock::new(), loader: Some(unread) }
    }

    /// Returns a part with some rows replaced.
    pub fn replaced(&self, number: u64, changes: &[(usize, Row)]) -> Result<Self, Error> {
        let chunk = self.chunk()?.replaced(changes);
        let summary = self.summary.widened(changes);
        Ok(Self { number, summary, chunk: OnceLock::from(Arc::new(chunk)), loader: None })
    }

    /// Returns the chunk, and reads it if needed.
    pub fn chunk(&self) -> Result<&Arc<Chunk>, Error> {
        if let Some(chunk) = self.chunk.get() {
            return Ok(chunk);
        }
        let Some(unread) = &self.loader else { return Err(Error::Damaged("a part has no columns")) };
        let bytes = unread.source.read(self.number).map_err(Error::Unreadable)?;
        let chunk = file::read_chunk(bytes, &unread.indexes)?;
        if !self.summary.covers(&chunk) {
            return Err(Error::Damaged("a part does not match its summary"));
        }
        // If another thread was faster, both have read the same.
        Ok(self.chunk.get_or_init(|| Arc::new(chunk)))
    }

    pub fn bytes(&self) -> usize {
        self.summary.bytes() + self.chunk.get().map_or(0, |chunk| chunk.bytes())
    }
}

impl std::fmt::Debug for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Part").field("number", &self.number).field("rows", &self.summary.rows).finish()
    }
}
