//! Why a value was refused.

use std::borrow::Cow;

/// A refusal that a caller can act on: a stable code for programs and a sentence for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Invalid {
    /// Stable, snake_case; documented in docs/errors.md.
    pub code: &'static str,
    /// One sentence without the field's name, which whoever reports it adds.
    pub message: Cow<'static, str>,
}

impl Invalid {
    /// Makes a refusal.
    pub fn new(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into() }
    }
}
