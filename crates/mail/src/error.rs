//! Errors of sending a message.

/// A failure, by whether a retry can help.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The server is unreachable, slow, busy or misconfigured, which may change.
    #[error("temporary failure: {0}")]
    Transient(String),
    /// The message will never be accepted.
    #[error("refused: {0}")]
    Permanent(String),
}
