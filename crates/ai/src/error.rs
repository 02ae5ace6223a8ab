//! Why there is no answer.

/// The reason why a model gave no answer. The texts are for the log.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    #[error("the language model cannot be reached: {0}")]
    Unreachable(String),
    #[error("the language model did not answer in time")]
    TimedOut,
    /// With the status, which is 200 if the model itself refused.
    #[error("the language model refused with status {0}")]
    Refused(u16),
    #[error("the language model redirected with status {0}, which is not followed")]
    Redirected(u16),
    #[error("the answer of the language model is longer than 1 MiB")]
    TooLong,
    #[error("the answer of the language model is empty")]
    Empty,
    #[error("the answer of the language model cannot be read: {0}")]
    Broken(String),
}

impl AskError {
    /// Returns the reason that is stored in rows and sent in API responses.
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "unreachable",
            Self::TimedOut => "timed_out",
            Self::Refused(_) => "refused",
            Self::Redirected(_) => "redirected",
            Self::TooLong => "answer_too_long",
            Self::Empty => "answer_empty",
            Self::Broken(_) => "answer_broken",
        }
    }
}
