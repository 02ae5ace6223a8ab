//! The representation of device tokens, the same for every kind of device.

use axum::response::Response;
use domain::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// A token that has been issued, without its secret.
#[derive(Serialize, ToSchema)]
pub struct TokenSummary {
    /// Identifier of the token.
    #[schema(example = 3)]
    id: i64,
    /// First characters of the token, by which it can be recognised.
    #[schema(example = "kct_x7Yq2b")]
    begins: String,
    /// Time at which the token was issued, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    issued_at: Timestamp,
    /// Time at which the token was last used, RFC 3339 in UTC, accurate to the minute; null if it has not been used.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_used_at: Option<Timestamp>,
}

/// A new token. It is shown only once.
#[derive(Serialize, ToSchema)]
pub struct IssuedToken<D> {
    /// The token itself. Only a hash of it is stored.
    #[schema(example = "kct_…")]
    token: String,
    /// Device that the token belongs to.
    device: D,
}

impl From<domain::TokenSummary> for TokenSummary {
    fn from(token: domain::TokenSummary) -> Self {
        Self {
            id: token.id.0,
            begins: token.hint,
            issued_at: token.issued_at,
            last_used_at: token.last_used_at,
        }
    }
}

/// Answers 201 with a new token and its device. `location` is where the device can be read later, without the token.
pub fn issued_token_response<D: Serialize>(location: &str, issued: app::IssuedToken, device: D) -> Response {
    web::created_response(location, &IssuedToken { token: issued.secret, device })
}
