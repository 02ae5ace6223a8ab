//! Email addresses.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::Invalid;
use crate::values::text;

/// An email address, unique in the installation by its lower-case form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailAddress(String);

impl EmailAddress {
    /// The longest address: RFC 5321's path without its brackets.
    pub const MAX_CHARS: usize = 254;

    /// Parses an address: one `@`, text on both sides, no blanks or control characters.
    ///
    /// This rejects only what can never be an address; whether mail can be delivered is not checked.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Invalid::new("required", "must not be empty"));
        }
        text::check(text, Self::MAX_CHARS)?;
        let invalid = || Invalid::new("invalid_email", "must be an email address, such as ada@example.com");
        let (local, host) = text.rsplit_once('@').ok_or_else(invalid)?;
        let blank = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | ',' | ';' | '"' | '(' | ')');
        let labels_fit = host.split('.').all(|label| !label.is_empty() && !label.starts_with('-'));
        if local.is_empty() || local.contains('@') || text.contains(blank) || !labels_fit {
            return Err(invalid());
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the lower-case form by which addresses are compared.
    pub fn key(&self) -> String {
        self.0.to_lowercase()
    }
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for EmailAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_compared() {
        assert_eq!(EmailAddress::parse(" Ada@Example.com ").unwrap().key(), "ada@example.com");
        for bad in ["", "ada", "@b.c", "a@", "a@b@c", "a b@c.d", "a@b\r\nBcc: x@y.z", "a@.b", "<a@b.c>"] {
            assert!(EmailAddress::parse(bad).is_err(), "{bad:?} was taken");
        }
    }
}
