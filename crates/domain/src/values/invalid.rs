//! The validation error of domain values.

use std::borrow::Cow;

/// A validation error: a stable code for programs and a sentence for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Invalid {
    /// Stable and in snake_case; documented in docs/errors.md.
    pub code: &'static str,
    /// One sentence without the field's name, which is added where the error is reported.
    pub message: Cow<'static, str>,
}

impl Invalid {
    pub fn new(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into() }
    }
}
