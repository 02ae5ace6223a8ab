//! Email addresses.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::Invalid;
use crate::values::text;

/// An email address, unique in the installation by its lower-case form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailAddress(String);

/// The longest part before the `@` and the longest label of a host, in bytes (RFC 5321, RFC 1035).
const MAX_LOCAL_BYTES: usize = 64;
const MAX_LABEL_BYTES: usize = 63;
/// The longest host, in bytes.
const MAX_HOST_BYTES: usize = 253;
/// What the part before the `@` may contain besides letters, digits and single dots between them.
const LOCAL_SIGNS: &str = "!#$%&'*+-/=?^_`{|}~";

impl EmailAddress {
    /// The longest address: RFC 5321's path without its brackets.
    pub const MAX_CHARS: usize = 254;

    /// Parses an address that a mail can be sent to. Quoted forms and addresses of hosts in brackets are refused, because mail programs
    /// disagree about them. Whether there is such a mailbox is not checked.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let address = Self::parse_stored(text)?;
        let parts = address.0.rsplit_once('@');
        if !parts.is_some_and(|(local, host)| is_local_part(local) && is_host(host)) {
            return Err(invalid());
        }
        Ok(address)
    }

    /// Parses an address that an earlier version may have stored, or with which such an account is looked up: one `@`, text on both
    /// sides, no blanks or control characters. Perhaps no mail can be sent to it.
    pub fn parse_stored(text: &str) -> Result<Self, Invalid> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Invalid::new("required", "must not be empty"));
        }
        text::check(text, Self::MAX_CHARS)?;
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

fn invalid() -> Invalid {
    Invalid::new("invalid_email", "must be an email address, such as ada@example.com")
}

/// Letters and digits of any script. Some letters are not shown, so that two addresses would look the same.
fn is_letter_or_digit(c: char) -> bool {
    c.is_alphanumeric() && !text::is_invisible(c)
}

fn is_local_part(text: &str) -> bool {
    let is_allowed = |c: char| is_letter_or_digit(c) || LOCAL_SIGNS.contains(c);
    text.len() <= MAX_LOCAL_BYTES
        && text.split('.').all(|word| !word.is_empty() && word.chars().all(is_allowed))
}

fn is_host(text: &str) -> bool {
    let is_label = |label: &str| {
        label.len() <= MAX_LABEL_BYTES
            && label.starts_with(is_letter_or_digit)
            && label.ends_with(is_letter_or_digit)
            && label.chars().all(|c| is_letter_or_digit(c) || matches!(c, '-' | '_'))
    };
    text.len() <= MAX_HOST_BYTES && text.split('.').all(is_label)
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
            assert!(EmailAddress::parse_stored(bad).is_err(), "{bad:?} was taken");
        }
    }

    #[test]
    fn only_what_a_mail_can_be_sent_to_is_new() {
        let local = "a".repeat(MAX_LOCAL_BYTES);
        let label = "b".repeat(MAX_LABEL_BYTES);
        let long_host = [label.as_str(); 4].join(".");
        for good in [
            "keepclear@localhost",
            "o'neil+x.y_z-1@mail-2.example.com",
            "!#$%&'*+-/=?^_`{|}~@1.example",
            "jörg@bücher.example",
            "李@例え.jp",
            "a@exa_mple.com",
            &format!("{local}@b.c"),
            &format!("a@{label}.c"),
        ] {
            assert_eq!(EmailAddress::parse(good).map(|address| address.0).as_deref(), Ok(good));
        }
        for bad in [
            "a@[127.0.0.1]",
            "..@b.test",
            ".@b.test",
            "a..b@b.test",
            ".a@b.test",
            "a.@b.test",
            "\\@b.test",
            "a:b@b.test",
            // An accent of its own, and a letter that is not shown.
            "a\u{301}@b.test",
            "\u{3164}@b.test",
            "a@b-.test",
            "a@b\u{301}.test",
            "a@_b.test",
            "a@b!.test",
            &format!("{local}a@b.test"),
            &format!("a@{label}b.test"),
            &format!("a@{long_host}"),
        ] {
            let refused = EmailAddress::parse(bad).map_err(|invalid| invalid.code);
            // The last is longer than any address.
            assert!(matches!(refused, Err("invalid_email" | "too_long")), "{bad:?}: {refused:?}");
            // Accounts that have such an address are still found.
            assert!(bad.len() > 254 || EmailAddress::parse_stored(bad).is_ok(), "{bad:?}");
        }
    }
}
