//! The refusal of callers who are restricted to some projects.

use std::borrow::Cow;

use store::{Projects, Scope};

use crate::{Error, ErrorKind};

/// The error for changes that would affect what is out of scope.
pub(crate) fn restricted(detail: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Forbidden, "restricted", detail)
}

/// Refuses an action that concerns the whole brand if the scope is restricted.
pub(crate) fn require_unrestricted(scope: &Scope, action: &str) -> Result<(), Error> {
    match scope.projects() {
        Projects::All => Ok(()),
        Projects::Only(_) => {
            Err(restricted(format!("You are restricted to some projects and cannot {action}.")))
        }
    }
}
