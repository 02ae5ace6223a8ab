//! Errors of the cube.

use std::fmt;

/// The reason why there is no answer, or no cube.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The memory limit would be exceeded.
    TooLarge {
        /// The estimated need.
        needed_bytes: u64,
        limit_bytes: u64,
    },
    /// The caller has cancelled the question.
    Cancelled,
    /// The bytes differ from what was saved: they are truncated, changed, or not of a cube.
    Damaged(&'static str),
    /// A part could not be read.
    Unreadable(String),
    /// These parts must be brought first; nothing has been changed.
    NotAtHand(Vec<u64>),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { needed_bytes, limit_bytes } => {
                write!(f, "the answer needs {needed_bytes} bytes of memory, but the limit is {limit_bytes}")
            }
            Self::Cancelled => f.write_str("the caller has cancelled the question"),
            Self::Damaged(reason) => write!(f, "the saved data is damaged: {reason}"),
            Self::Unreadable(reason) => write!(f, "a part cannot be read: {reason}"),
            Self::NotAtHand(parts) => write!(f, "{} parts are not at hand", parts.len()),
        }
    }
}

impl std::error::Error for Error {}
