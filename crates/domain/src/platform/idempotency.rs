//! Writes that can be repeated without being carried out twice.

/// The response to a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredResponse {
    pub status: u16,
    /// URL of the created record.
    pub location: Option<String>,
    /// JSON.
    pub body: String,
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
