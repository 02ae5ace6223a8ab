//! The ids of messages and of their parts.

use std::fmt;

/// The `Message-ID`. Sending the same mail again gives the same id, so that receivers can detect duplicates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MessageId {
    local: String,
    host: String,
}

impl MessageId {
    /// Builds an id from a part that is unique in this service and the host name. Characters not allowed in an id become `_`.
    pub fn new(unique: &str, host: &str) -> Self {
        let fit = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        let host: String = host.chars().map(fit).collect();
        let host = if host.is_empty() { "localhost".to_owned() } else { host };
        Self { local: unique.chars().map(fit).collect(), host }
    }

    /// Returns the id of a part of the message, such as an image. It is as unique as the message (RFC 2045 section 7).
    pub fn part(&self, name: &str) -> String {
        let id = Self::new(&format!("{name}.{}", self.local), &self.host);
        format!("{}@{}", id.local, id.host)
    }

    /// Returns the part that is unique in this service, which is also safe as a file name.
    pub fn local(&self) -> &str {
        &self.local
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}@{}>", self.local, self.host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_an_id_of_its_own() {
        let id = MessageId::new("5.store", "safety.example.com");
        assert_eq!(id.to_string(), "<5.store@safety.example.com>");
        assert_eq!(id.part("chart"), "chart.5.store@safety.example.com");
        assert_eq!(id.part("a>b"), "a_b.5.store@safety.example.com");
    }
}
