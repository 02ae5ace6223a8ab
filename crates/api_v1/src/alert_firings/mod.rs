//! /api/v1/alert_firings: the alarms of all alerts.

mod list;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::EdgeState;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new().routes(routes!(list::list_alert_firings))
}
