//! /api/v1/admin: what admins look after.

mod tester_devices;
mod users;

use utoipa_axum::router::OpenApiRouter;
use web::EdgeState;

pub fn routes() -> OpenApiRouter<EdgeState> {
    users::routes().merge(tester_devices::routes())
}
