//! The outcome of an attempt.

use std::fmt::Display;

use app::jobs::LeaseStatus;

/// The outcome of an attempt, stated explicitly by its handler: whether to retry is never inferred from an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There is nothing more to do; the runner marks the job as done.
    Done,
    /// The handler has marked the job as done in the transaction of its effect, or its lease was lost.
    FinishedInTransaction(LeaseStatus),
    /// What the attempt worked on was changed meanwhile. It is repeated and does not count, because it is no failure.
    Repeat,
    /// What it needs is not there yet. It looks again soon, which does not count, because it is no failure.
    Wait,
    /// A retry may help.
    Retry { reason: String },
    /// A retry cannot help.
    Fail { reason: String },
}

impl Outcome {
    pub fn retry(reason: impl Display) -> Self {
        Self::Retry { reason: reason.to_string() }
    }

    pub fn fail(reason: impl Display) -> Self {
        Self::Fail { reason: reason.to_string() }
    }
}
