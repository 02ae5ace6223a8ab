//! The cube beside a plain loop over rows, on random facts and random questions.
#![expect(clippy::unwrap_used, reason = "a test that meets what it does not expect has failed")]

mod answers;
mod changes;
mod chunk_index;
mod facts;
mod limits;
mod many;
mod questions;
mod reference;
mod saving;

use cube::{Attributes, ScanContext, Snapshot};
use domain::insights::{Answer, Question};

/// The pool of a test.
pub fn pool() -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap()
}

/// Enough for all that tests ask.
pub const MEMORY_BYTES: usize = 1 << 30;

/// Answers with room enough.
pub fn answer_once(
    snapshot: &Snapshot,
    question: &Question,
    attributes: &Attributes,
    pool: &rayon::ThreadPool,
) -> Answer {
    let scan = ScanContext { pool, attributes, max_memory_bytes: MEMORY_BYTES, is_cancelled: &|| false };
    snapshot.answer(question, &scan).unwrap()
}

/// The same, three times: what was asked before is known by shorter ways, which lead to the same.
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
