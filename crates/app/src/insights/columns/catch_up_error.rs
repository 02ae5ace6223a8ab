//! Why columns did not catch up with the rows.

use store::FactState;

use super::parts::FetchError;
use super::watermarks::Watermarks;
use crate::Error;

#[derive(Debug)]
pub(crate) enum CatchUpError {
    /// The rows cannot be read.
    Store(Error),
    /// The columns are damaged, or parts of them are gone.
    Columns(cube::Error),
    /// Parts of the columns cannot be fetched for now.
    Unreachable(String),
    /// The columns must be made anew, for this reason.
    Outdated(Outdated),
}

/// Why columns do not agree with the database, and never will.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outdated {
    /// They may include changes that the database does not have any more.
    WentBack,
    /// Retention has become longer.
    KeptLonger,
}

impl Outdated {
    /// Returns why columns are outdated; none if they are not.
    pub fn reason(watermarks: &Watermarks, state: &FactState, timeline: i64) -> Option<Self> {
        if watermarks.are_ahead_of(state.last_seq, timeline) {
            return Some(Self::WentBack);
        }
        watermarks.are_of_shorter_retention(state).then_some(Self::KeptLonger)
    }
}

impl From<store::Error> for CatchUpError {
    fn from(error: store::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<cube::Error> for CatchUpError {
    fn from(error: cube::Error) -> Self {
        Self::Columns(error)
    }
}

impl From<FetchError> for CatchUpError {
    fn from(error: FetchError) -> Self {
        match error {
            FetchError::Unreachable(reason) => Self::Unreachable(reason),
            FetchError::Lost(reason) => Self::Columns(cube::Error::Unreadable(reason)),
        }
    }
}
