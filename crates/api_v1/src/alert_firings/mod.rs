//! /api/v1/alert_firings: the alarms of all alerts.

mod list;

use web::{OperationRouter, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new().routes(routes!(list::list_alert_firings))
}
