//! Errors of the blob store.

/// A failed operation on objects.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no object {0}")]
    NotFound(String),
    /// The folder or the server reported an error.
    #[error("objects: {0}")]
    Failed(String),
}

impl From<object_store::Error> for Error {
    fn from(error: object_store::Error) -> Self {
        match error {
            object_store::Error::NotFound { path, .. } => Self::NotFound(path),
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}
