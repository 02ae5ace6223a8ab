//! /api/v1/admin/tester_devices: the kiosks and their tokens.

mod change;
mod create;
mod get;
mod list;
mod token;

use domain::Timestamp;
use web::{OperationRouter, routes};

use super::tokens::TokenSummary;
use crate::references::NamedReference;

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_tester_devices, create::create_tester_device))
        .routes(routes!(get::get_tester_device, change::change_tester_device))
        .routes(routes!(token::issue_tester_token, token::revoke_tester_token))
}

/// A kiosk where tags are tested and handed out.
#[web::answer(record)]
pub struct TesterDevice {
    /// Identifier of the tester device.
    #[schema(example = 1)]
    id: i64,
    /// Name of the tester device. It is unique in the brand. A device at a worksite that is not visible to you has a name such as
    /// `Tester device 7` instead.
    #[schema(example = "Gate 1")]
    name: String,
    /// Serial number printed on the tester device.
    #[schema(example = "KT-0007")]
    serial: Option<String>,
    /// Worksite where the device stands; null if it stands at none or at one that is not visible to you.
    worksite: Option<NamedReference>,
    /// Current token of the tester device; null if it has none.
    token: Option<TokenSummary>,
    /// Time at which the tester device was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the tester device was last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

fn shape(device: domain::TesterDevice) -> TesterDevice {
    TesterDevice {
        id: device.id.0,
        name: device.name,
        serial: device.serial,
        worksite: device.worksite.map(|(id, name)| NamedReference { id: id.0, name }),
        token: device.token.map(TokenSummary::from),
        created_at: device.created_at,
        updated_at: device.updated_at,
    }
}
