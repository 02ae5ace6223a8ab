//! /api/v1/admin/gateways: what speaks for many base stations, and their tokens.

mod change;
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

use super::tokens::TokenSummary;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(list::list_gateways, create::create_gateway))
        .routes(routes!(get::get_gateway, change::change_gateway))
        .routes(routes!(token::issue_gateway_token, token::revoke_gateway_token))
}

/// A gateway, which speaks for many base stations.
#[derive(Serialize, ToSchema)]
pub struct Gateway {
    /// Its id.
    #[schema(example = 1)]
    id: i64,
    /// What it is called; unique in the brand.
    #[schema(example = "Site office")]
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

fn shape(gateway: store::Gateway) -> Gateway {
    Gateway {
        id: gateway.id.0,
        name: gateway.name,
        token: gateway.token.map(TokenSummary::from),
        created_at: gateway.created_at,
        updated_at: gateway.updated_at,
    }
}
