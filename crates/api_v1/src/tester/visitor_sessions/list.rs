//! GET /api/v1/tester/visitor_sessions

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::VisitFilter;
use web::{FromParams, ListParams, Params, Query, Result, Tester, problem};

use crate::visitor_sessions::{VisitorSessionList, parse_visit_state, shape};

pub struct VisitParams {
    filter: VisitFilter,
    list: ListParams,
}

impl FromParams for VisitParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let filter = VisitFilter { active: query.one("state", parse_visit_state)?, ..VisitFilter::default() };
        Ok(Self { filter, list: ListParams::read(query)? })
    }
}

/// List visits
///
/// The newest visits come first.
#[web::operation(
    get, path = "/api/v1/tester/visitor_sessions", tag = "tester", operation_id = "list_tester_visitor_sessions",
    params(
        ("state" = Option<String>, Query, description = "`active` returns open visits only, `completed` ended ones only"),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of visits", body = VisitorSessionList),
        problem::BadParams,
    ),
)]
pub async fn list_visitor_sessions(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    Params(params): Params<VisitParams>,
) -> Result {
    let (reader, list, now) = (tester.reader(), &params.list, app.clock.now());
    let found = app.list_visitor_sessions(&reader, &params.filter, &list.page(), list.include_total).await?;
    Ok(web::list_response(list, found, |visit| shape(visit, now)))
}
