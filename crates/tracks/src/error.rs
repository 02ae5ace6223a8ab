//! What can be wrong with a chunk.

use std::fmt;

/// Why fixes are no chunk, or bytes are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The fixes to encode are not in order of time, or two have the same.
    Unordered,
    /// The fixes to encode do not lie within one quarter hour.
    SeveralQuarterHours,
    /// The numbers cannot be packed.
    Compression,
    /// The bytes are of a version that is not known here.
    Version(u8),
    /// The bytes are not what was once encoded: cut off, changed, or never a chunk.
    Corrupt(&'static str),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unordered => f.write_str("fixes must be in order of time, each with a time of its own"),
            Self::SeveralQuarterHours => f.write_str("fixes must lie within one quarter hour"),
            Self::Compression => f.write_str("the numbers cannot be packed"),
            Self::Version(version) => write!(f, "chunks of version {version} are not known"),
            Self::Corrupt(reason) => write!(f, "not a whole chunk: {reason}"),
        }
    }
}

impl std::error::Error for Error {}
