//! Errors of encoding and decoding chunks.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The fixes to encode are not ordered by time, or two have the same time.
    Unordered,
    /// The fixes to encode do not lie within one quarter hour.
    SeveralQuarterHours,
    Compression,
    /// The chunk has a version that this program does not know.
    Version(u8),
    /// The bytes are truncated, altered or not a chunk at all.
    Corrupt(&'static str),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unordered => f.write_str("fixes must be ordered by time, with distinct times"),
            Self::SeveralQuarterHours => f.write_str("fixes must lie within one quarter hour"),
            Self::Compression => f.write_str("the numbers cannot be compressed"),
            Self::Version(version) => write!(f, "chunk version {version} is not supported"),
            Self::Corrupt(reason) => write!(f, "not a valid chunk: {reason}"),
        }
    }
}

impl std::error::Error for Error {}
