//! How a job ended.

use std::fmt::Display;

use app::jobs::LeaseStatus;

/// How an attempt ended, in its handler's own words. Nothing is concluded from an error that was not meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There is nothing more to do; the runner marks the job as done.
    Done,
    /// The handler has marked it as done in the transaction of its effect, or was refused there.
    FinishedInTransaction(LeaseStatus),
    /// Trying again can help.
    Retry {
        /// What stood in the way.
        reason: String,
    },
    /// Trying again cannot help.
    Fail {
        /// Why not.
        reason: String,
    },
}

impl Outcome {
    /// Trying again can help.
    pub fn retry(reason: impl Display) -> Self {
        Self::Retry { reason: reason.to_string() }
    }

    /// Trying again cannot help.
    pub fn fail(reason: impl Display) -> Self {
        Self::Fail { reason: reason.to_string() }
    }
}
