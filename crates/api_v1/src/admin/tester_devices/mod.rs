//! /api/v1/admin/tester_devices: the kiosks, and their tokens.

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
use crate::machines::WorksiteReference;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(list::list_tester_devices, create::create_tester_device))
        .routes(routes!(get::get_tester_device, change::change_tester_device))
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
    /// What stands on it.
    #[schema(example = "KT-0007")]
    serial: Option<String>,
    /// Where it stands; null if nowhere, or at a worksite that you do not see.
    worksite: Option<WorksiteReference>,
    /// Its live token; null if it has none.
    token: Option<TokenSummary>,
    /// When it was added.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

fn shape(device: store::TesterDevice) -> TesterDevice {
    TesterDevice {
        id: device.id.0,
        name: device.name,
        serial: device.serial,
        worksite: device.worksite.map(|(id, name)| WorksiteReference { id: id.0, name }),
        token: device.token.map(TokenSummary::from),
        created_at: device.created_at,
        updated_at: device.updated_at,
    }
}
