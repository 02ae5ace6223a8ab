//! Why a message was not handed over.

/// A failure, by whether trying again can help.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The server is away, slow, busy or not set up well: it, or its operator, may be ready later.
    #[error("not now: {0}")]
    Transient(String),
    /// This message will never be taken.
    #[error("refused: {0}")]
    Permanent(String),
}
