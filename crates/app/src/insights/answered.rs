//! An answer to a question, wherever it comes from.

use domain::insights::Answer;

/// An answer, and the changes of the brand that it includes.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    pub answer: Answer,
    /// It includes all changes up to this one.
    pub seq: i64,
    /// It may include changes up to this one.
    pub latest_seq: i64,
}

impl Answered {
    /// An answer that includes no later changes.
    pub fn as_of((answer, seq): (Answer, i64)) -> Self {
        Self { answer, seq, latest_seq: seq }
    }
}
