//! /api/v1/admin: users, service accounts, the brand, devices and their tokens, and the audit log.

mod audit_log;
mod base_stations;
mod brand;
mod gateways;
mod service_accounts;
mod tester_devices;
mod tokens;
mod users;

use web::OperationRouter;

pub fn routes() -> OperationRouter {
    users::routes()
        .merge(audit_log::routes())
        .merge(brand::routes())
        .merge(tester_devices::routes())
        .merge(base_stations::routes())
        .merge(gateways::routes())
        .merge(service_accounts::routes())
}
