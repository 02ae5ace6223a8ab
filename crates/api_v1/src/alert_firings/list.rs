//! GET /api/v1/alert_firings

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{AlertFiringFilter, AlertRuleId};
use web::{Caller, FromParams, ListParams, Params, Query, Result, problem};

use crate::alerts::firings::params::{FiringFilters, FiringParams};
use crate::alerts::firings::{AlertFiringList, shape};

pub struct AllFiringsParams {
    rules: Vec<AlertRuleId>,
    params: FiringParams,
}

impl FromParams for AllFiringsParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self { rules: query.ids("alert_id", AlertRuleId)?, params: FiringParams::read(query)? })
    }
}

/// List firings
///
/// Lists the alarms of all alerts, the newest first, as far as you see all projects that went into them. Those of deleted alerts are among
/// them. With `state=fired` and `state=held` these are the alarms that are open now.
#[web::operation(
    get, path = "/api/v1/alert_firings", tag = "alerts", operation_id = "list_alert_firings",
    params(
        ("alert_id" = Option<Vec<i64>>, Query, description = "Only firings of these alerts; repeat the parameter, at most 100 times"),
        FiringFilters,
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of firings", body = AlertFiringList),
        problem::BadParams,
    ),
)]
pub async fn list_alert_firings(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(AllFiringsParams { rules, params }): Params<AllFiringsParams>,
) -> Result {
    let (filter, list) = params.resolve(&app, &caller).await?;
    let filter = AlertFiringFilter { rules, ..filter };
    let found = app.list_alert_firings(&caller, &filter, &list.page(), list.include_total).await?;
    Ok(web::list_response(&list, found, |view| shape(&app, view)))
}
