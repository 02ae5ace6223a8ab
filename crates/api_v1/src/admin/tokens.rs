//! What is shown of the tokens of devices, whatever their kind.

use axum::response::Response;
use domain::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// What is shown of a token once it has been issued.
#[derive(Serialize, ToSchema)]
pub struct TokenSummary {
    /// Its id.
    #[schema(example = 3)]
    id: i64,
    /// How it begins, to recognise it by.
    #[schema(example = "kct_x7Yq2b")]
    begins: String,
    /// When it was issued.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    issued_at: Timestamp,
    /// When it was last used, to the minute.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_used_at: Option<Timestamp>,
}

/// A new token, shown this once.
#[derive(Serialize, ToSchema)]
pub struct IssuedToken<D> {
    /// The token itself. Only a hash of it is kept.
    #[schema(example = "kct_…")]
    token: String,
    /// The device it belongs to.
    device: D,
}

impl From<store::TokenSummary> for TokenSummary {
    fn from(token: store::TokenSummary) -> Self {
        Self {
            id: token.id.0,
            begins: token.hint,
            issued_at: token.issued_at,
            last_used_at: token.last_used_at,
        }
    }
}

/// 201 with a new token and its device, which `location` shows again, without the token.
pub fn issued_token_response<D: Serialize>(location: &str, issued: app::IssuedToken, device: D) -> Response {
    web::created_response(location, &IssuedToken { token: issued.secret, device })
}
