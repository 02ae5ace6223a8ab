//! GET /api/v1/visitor_sessions

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{Invalid, PersonId, VisitFilter, WorksiteId};
use web::{Caller, FromParams, List, ListParams, Params, Query, Result, problem};

use super::{VisitorSession, shape};

pub struct VisitParams {
    filter: VisitFilter,
    list: ListParams,
}

impl FromParams for VisitParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let filter = VisitFilter {
            active: query.one("state", parse_visit_state)?,
            worksite: query.id("worksite_id")?.map(WorksiteId),
            person: query.id("person_id")?.map(PersonId),
            from: query.time("from")?,
            to: query.time("to")?,
        };
        Ok(Self { filter, list: ListParams::read(query)? })
    }
}

/// Reads the `state` parameter; `true` means active.
pub fn parse_visit_state(text: &str) -> Result<bool, Invalid> {
    match text {
        "active" => Ok(true),
        "completed" => Ok(false),
        _ => Err(Invalid::new("invalid_state", "must be active or completed")),
    }
}

pub type VisitorSessionList = List<VisitorSession>;

/// List visits
///
/// The visits visible to you are listed, the newest first.
#[web::operation(
    get, path = "/api/v1/visitor_sessions", tag = "visitor_sessions", operation_id = "list_visitor_sessions",
    params(
        ("state" = Option<String>, Query, description = "`active` returns open visits only, `completed` ended ones only"),
        ("worksite_id" = Option<i64>, Query, description = "Only visits to this worksite"),
        ("person_id" = Option<i64>, Query, description = "Only those of this person"),
        ("from" = Option<String>, Query, description = "Only visits with a check-in at this time or later (RFC 3339)"),
        ("to" = Option<String>, Query, description = "Only visits with a check-in before this time (RFC 3339)"),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of visits", body = VisitorSessionList),
        problem::BadParams,
    ),
)]
pub async fn list_visitor_sessions(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    Params(params): Params<VisitParams>,
) -> Result {
    let (reader, list, now) = (caller.reader(), &params.list, app.clock.now());
    let found = app.list_visitor_sessions(&reader, &params.filter, &list.page(), list.include_total).await?;
    Ok(web::list_response(list, found, |visit| shape(visit, now)))
}
