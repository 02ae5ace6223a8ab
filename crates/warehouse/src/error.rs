//! Why a node or the cluster did not do what was asked.

/// The texts are for the log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The node cannot be reached, did not answer in time, or sent an answer that is not whole.
    #[error("the ClickHouse node {node} failed: {reason}")]
    Node { node: String, reason: String },
    /// The node takes much longer for a step than a replica of it, which must not wait for it.
    #[error("the ClickHouse node {node} is much slower than a replica of it")]
    Slow { node: String },
    /// ClickHouse refused a statement with an exception.
    #[error("the ClickHouse node {node} refused a statement with code {code}: {reason}")]
    Refused { node: String, code: u32, reason: String },
    /// The groups of an answer exceed their limit, in number or in memory.
    #[error("the answer has too many groups")]
    TooManyGroups,
    /// The question took longer than its limit.
    #[error("ClickHouse did not answer the question in time")]
    TimedOut,
    /// No replica of a shard is as far as the question needs.
    #[error("no replica of shard {0} is up to date")]
    NotCurrent(u32),
    /// A fact cannot be stored, because an id is larger than the tables allow.
    #[error("{0} does not fit into the tables of the warehouse")]
    DoesNotFit(&'static str),
    /// The version of ClickHouse is older than the oldest that is tested.
    #[error("the ClickHouse node {node} has version {version}, which is older than {oldest}")]
    TooOld { node: String, version: String, oldest: String },
}

/// Exceptions of ClickHouse by their numbers.
pub(crate) mod code {
    pub const UNKNOWN_TABLE: u32 = 60;
    pub const UNKNOWN_DATABASE: u32 = 81;
    const TOO_MANY_ROWS: u32 = 158;
    pub const TIMEOUT_EXCEEDED: u32 = 159;
    const SET_SIZE_LIMIT_EXCEEDED: u32 = 191;
    pub const MEMORY_LIMIT_EXCEEDED: u32 = 241;
    const TOO_MANY_BYTES: u32 = 307;
    const TOO_MANY_ROWS_OR_BYTES: u32 = 396;
    /// Limits that only a question with fewer groups meets.
    pub const LIMITS: [u32; 4] =
        [TOO_MANY_ROWS, SET_SIZE_LIMIT_EXCEEDED, TOO_MANY_BYTES, TOO_MANY_ROWS_OR_BYTES];
}

impl Error {
    pub(crate) fn node(node: &str, reason: impl Into<String>) -> Self {
        Self::Node { node: node.to_owned(), reason: reason.into() }
    }

    /// Returns the error of an exception.
    pub(crate) fn of_exception(node: &str, number: u32, reason: &str) -> Self {
        // The memory of the whole server, or of all questions of a user, is short because of others; another time or another node may do.
        let is_own_limit = !reason.contains("(total)") && !reason.contains("User memory limit");
        match number {
            code::MEMORY_LIMIT_EXCEEDED if is_own_limit => Self::TooManyGroups,
            number if code::LIMITS.contains(&number) => Self::TooManyGroups,
            code::TIMEOUT_EXCEEDED => Self::TimedOut,
            number => Self::Refused { node: node.to_owned(), code: number, reason: first_line(reason) },
        }
    }

    /// Whether the node has no such table or database.
    pub(crate) fn is_missing_table(&self) -> bool {
        matches!(self, Self::Refused { code: code::UNKNOWN_TABLE | code::UNKNOWN_DATABASE, .. })
    }

    /// Whether another node may do better.
    pub(crate) fn is_fault_of_node(&self) -> bool {
        matches!(self, Self::Node { .. } | Self::Refused { .. })
    }
}

/// Exceptions can quote a whole statement.
fn first_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(500).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_told_from_faults() {
        let of = |number, reason| Error::of_exception("a", number, reason);
        assert_eq!(of(241, "Query memory limit exceeded: would use 1 GiB"), Error::TooManyGroups);
        assert_eq!(of(396, "Limit for result exceeded"), Error::TooManyGroups);
        assert_eq!(of(159, "Timeout exceeded"), Error::TimedOut);
        assert!(of(241, "(total) memory limit exceeded").is_fault_of_node());
        assert!(of(241, "User memory limit exceeded: would use 1 GiB").is_fault_of_node());
        assert!(of(210, "Connection refused").is_fault_of_node());
        assert!(of(60, "Unknown table").is_missing_table() && of(81, "no database").is_missing_table());
        assert!(!Error::TooManyGroups.is_fault_of_node() && !Error::TimedOut.is_fault_of_node());
    }
}
