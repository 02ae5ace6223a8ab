//! What can go wrong.

use std::fmt;

/// Why there is no answer, or no cube.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// It would take more memory than it may.
    TooLarge {
        /// How many bytes it would take, as far as is known.
        needed_bytes: u64,
        /// How many it may take.
        limit_bytes: u64,
    },
    /// Whoever asked has gone.
    Cancelled,
    /// Bytes are not what was once saved: cut off, changed, or never of a cube.
    Damaged(&'static str),
    /// A part could not be read.
    Unreadable(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { needed_bytes, limit_bytes } => {
                write!(f, "the answer needs {needed_bytes} bytes of memory, and may have {limit_bytes}")
            }
            Self::Cancelled => f.write_str("whoever asked has gone"),
            Self::Damaged(reason) => write!(f, "not what was saved: {reason}"),
            Self::Unreadable(reason) => write!(f, "a part cannot be read: {reason}"),
        }
    }
}

impl std::error::Error for Error {}
