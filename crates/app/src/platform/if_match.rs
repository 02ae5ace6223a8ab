//! Optimistic locking by the `If-Match` header.

use crate::{Error, ErrorKind};

/// The versions of a record to which a change may be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IfMatch {
    /// Any version.
    Any,
    /// Only one of these.
    Versions(Vec<i64>),
}

impl IfMatch {
    /// Rejects a change of a version that the caller has not seen.
    pub(crate) fn check(&self, version: i64) -> Result<(), Error> {
        match self {
            Self::Versions(versions) if !versions.contains(&version) => Err(Error::new(
                ErrorKind::PreconditionFailed,
                "stale",
                "It was changed since you read it. Read it again and repeat your change.",
            )),
            _ => Ok(()),
        }
    }
}
