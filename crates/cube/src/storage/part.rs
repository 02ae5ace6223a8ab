//! A part of a table: a chunk with its summary, either in memory or not read yet.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{Chunk, Key, Row, Summary};
use crate::Error;
use crate::dictionary::Indexes;
use crate::file;

/// The source of saved parts, which are read when they are first needed.
pub trait ChunkSource: Send + Sync {
    /// Reads the bytes of a part, complete and unchanged, or returns the reason why that is not possible.
    fn read(&self, part: u64) -> Result<Vec<u8>, String>;

    /// Whether a part can be read now. Whoever gets [`Error::NotAtHand`] brings the parts that cannot, and tries again.
    fn is_at_hand(&self, _part: u64) -> bool {
        true
    }
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
    /// Held while the part is read, so that its source is asked once.
    reading: Mutex<()>,
}

impl Part {
    pub fn new(number: u64, chunk: Chunk) -> Self {
        let summary = Summary::of(&chunk);
        Self::with_summary(number, chunk, summary)
    }

    /// Creates a part whose summary is known.
    pub fn with_summary(number: u64, chunk: Chunk, summary: Summary) -> Self {
        let chunk = OnceLock::from(Arc::new(chunk));
        Self { number, summary, chunk, loader: None, reading: Mutex::default() }
    }

    /// Creates a part that is read when it is first needed.
    pub fn lazy(number: u64, summary: Summary, unread: Arc<PartLoader>) -> Self {
        Self { number, summary, chunk: OnceLock::new(), loader: Some(unread), reading: Mutex::default() }
    }

    /// Returns a part with some rows replaced.
    pub fn replaced(&self, number: u64, changes: &[(usize, Row)]) -> Result<Self, Error> {
        let chunk = self.chunk()?.replaced(changes);
        Ok(Self::with_summary(number, chunk, self.summary.widened(changes)))
    }

    /// Returns the chunk, and reads it if needed.
    pub fn chunk(&self) -> Result<&Arc<Chunk>, Error> {
        if let Some(chunk) = self.chunk.get() {
            return Ok(chunk);
        }
        let Some(unread) = &self.loader else { return Err(Error::Damaged("a part has no columns")) };
        let _turn = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(chunk) = self.chunk.get() {
            return Ok(chunk);
        }
        if !unread.source.is_at_hand(self.number) {
            return Err(Error::NotAtHand(vec![self.number]));
        }
        let bytes = unread.source.read(self.number).map_err(Error::Unreadable)?;
        let chunk = file::read_chunk(&bytes, &unread.indexes)?;
        if !self.summary.covers(&chunk) {
            return Err(Error::Damaged("a part does not match its summary"));
        }
        Ok(self.chunk.get_or_init(|| Arc::new(chunk)))
    }

    /// Whether a row with this key may be in it.
    pub fn may_have(&self, key: Key) -> bool {
        self.summary.first <= key && key <= self.summary.last
    }

    /// Whether the chunk has yet to be brought before it can be used.
    pub fn is_missing(&self) -> bool {
        let is_at_hand = |loader: &Arc<PartLoader>| loader.source.is_at_hand(self.number);
        self.chunk.get().is_none() && !self.loader.as_ref().is_some_and(is_at_hand)
    }

    pub fn bytes(&self) -> usize {
        self.summary.bytes() + self.chunk.get().map_or(0, |chunk| chunk.bytes())
    }
}

/// Fails with the parts that have yet to be brought, if there are any.
pub(crate) fn ensure_at_hand<'a>(parts: impl Iterator<Item = &'a Arc<Part>>) -> Result<(), Error> {
    let missing: Vec<u64> = parts.filter(|part| part.is_missing()).map(|part| part.number).collect();
    if missing.is_empty() { Ok(()) } else { Err(Error::NotAtHand(missing)) }
}

impl std::fmt::Debug for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Part").field("number", &self.number).field("rows", &self.summary.rows).finish()
    }
}
