//! /api/v1/admin/tester_devices: the kiosks, and their tokens.

mod create;
mod get;
mod list;
mod token;

use domain::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::EdgeState;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(list::list_tester_devices, create::create_tester_device))
        .routes(routes!(get::get_tester_device))
        .routes(routes!(token::issue_tester_token, token::revoke_tester_token))
}

/// A kiosk where tags are tested and handed out.
#[derive(Serialize, ToSchema)]
pub struct TesterDevice {
    /// Its id.
    #[schema(example = 1)]
    id: i64,
    /// What it is called; unique in the brand.
    #[schema(example = "Gate 1")]
    name: String,
    /// Its live token; null if it has none.
    token: Option<TokenSummary>,
    /// When it was added.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

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

fn shape(device: store::TesterDevice) -> TesterDevice {
    TesterDevice {
        id: device.id.0,
        name: device.name,
        token: device.token.map(|token| TokenSummary {
            id: token.id.0,
            begins: token.hint,
            issued_at: token.issued_at,
            last_used_at: token.last_used_at,
        }),
        created_at: device.created_at,
        updated_at: device.updated_at,
    }
}
