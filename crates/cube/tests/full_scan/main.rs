//! Compares the cube with a plain loop over rows, on random facts and random questions.
#![expect(clippy::unwrap_used, reason = "a test that meets what it does not expect has failed")]

mod answers;
mod changes;
mod chunk_index;
mod facts;
mod limits;
mod listing;
mod many;
mod questions;
mod reference;
mod saving;

use cube::{Attributes, ScanContext, Snapshot};
use domain::insights::{Answer, Question};

pub fn pool() -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap()
}

/// Enough for all questions of the tests.
pub const MEMORY_BYTES: usize = 1 << 30;

/// Answers a question with enough memory.
pub fn answer_once(
    snapshot: &Snapshot,
    question: &Question,
    attributes: &Attributes,
    pool: &rayon::ThreadPool,
) -> Answer {
    let scan = ScanContext { pool, attributes, max_memory_bytes: MEMORY_BYTES, is_cancelled: &|| false };
    snapshot.answer(question, &scan).unwrap()
}

/// Answers a question three times: later answers use indexes and must be equal.
pub fn answer(
    snapshot: &Snapshot,
    question: &Question,
    attributes: &Attributes,
    pool: &rayon::ThreadPool,
) -> Answer {
    let first = answer_once(snapshot, question, attributes, pool);
    for _ in 0..2 {
        assert!(answer_once(snapshot, question, attributes, pool) == first, "asked again: {question:?}");
    }
    first
}
