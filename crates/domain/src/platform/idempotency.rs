//! Writes that can be repeated without being carried out twice.

/// The response to a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredResponse {
    pub status: u16,
    /// URL of the created record.
    pub location: Option<String>,
    /// Version of the created record, which is its `ETag`.
    pub version: Option<i64>,
    /// JSON.
    pub body: String,
}

impl StoredResponse {
    /// Adds the version of the created record.
    #[must_use]
    pub fn with_version(self, version: i64) -> Self {
        Self { version: Some(version), ..self }
    }
}

/// Identifies a repeatable write.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey {
    /// `user 1` or `token 7`.
    pub caller: String,
    /// Method and path.
    pub operation: String,
    /// The `Idempotency-Key` that the caller chose.
    pub key: String,
    /// SHA-256 of the request body.
    pub body_hash: [u8; 32],
}
