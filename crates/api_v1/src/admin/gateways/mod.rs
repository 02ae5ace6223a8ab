//! /api/v1/admin/gateways: the devices that send events for many base stations, and their tokens.

mod change;
mod create;
mod get;
mod list;
mod token;

use domain::Timestamp;
use web::{OperationRouter, routes};

use super::tokens::TokenSummary;

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_gateways, create::create_gateway))
        .routes(routes!(get::get_gateway, change::change_gateway))
        .routes(routes!(token::issue_gateway_token, token::revoke_gateway_token))
}

/// A gateway, which sends events for many base stations.
#[web::answer(record)]
pub struct Gateway {
    /// Identifier of the gateway.
    #[schema(example = 1)]
    id: i64,
    /// Name of the gateway. It is unique in the brand.
    #[schema(example = "Site office")]
    name: String,
    /// Current token of the gateway; null if it has none.
    token: Option<TokenSummary>,
    /// Time at which the gateway was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the gateway was last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

fn shape(gateway: domain::Gateway) -> Gateway {
    Gateway {
        id: gateway.id.0,
        name: gateway.name,
        token: gateway.token.map(TokenSummary::from),
        created_at: gateway.created_at,
        updated_at: gateway.updated_at,
    }
}
