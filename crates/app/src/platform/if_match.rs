//! Changes that must not overwrite what someone else changed meanwhile.

use crate::{Error, ErrorKind};

/// Which versions of a record a change may be made to: the `If-Match` of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IfMatch {
    /// Whichever there is.
    Any,
    /// Only one of these.
    Versions(Vec<i64>),
}

impl IfMatch {
    /// Refuses a change to a version that the caller has not seen.
    pub(crate) fn check(&self, version: i64) -> Result<(), Error> {
        match self {
            Self::Versions(versions) if !versions.contains(&version) => Err(Error::new(
                ErrorKind::PreconditionFailed,
                "stale",
                "It was changed since you read it. Read it again, and change that.",
            )),
            _ => Ok(()),
        }
    }
}
