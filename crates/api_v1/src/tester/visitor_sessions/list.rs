//! GET /api/v1/tester/visitor_sessions

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::Invalid;
use store::VisitFilter;
use utoipa::ToSchema;
use web::{FromParams, ListParams, PageInfo, Params, Query, Result, Tester, problem};

use super::{VisitorSession, shape};

/// Filters and paging.
pub struct VisitParams {
    filter: VisitFilter,
    list: ListParams,
}

impl FromParams for VisitParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let active = query.one("state", |text| match text {
            "active" => Ok(true),
            "completed" => Ok(false),
            _ => Err(Invalid::new("invalid_state", "must be active or completed")),
        })?;
        Ok(Self { filter: VisitFilter { active }, list: ListParams::read(query)? })
    }
}

/// A page of stays.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct VisitorSessionList {
    data: Vec<VisitorSession>,
    page: PageInfo,
}

/// Lists visitors' stays, the newest first.
#[utoipa::path(
    get, path = "/api/v1/tester/visitor_sessions", tag = "tester", operation_id = "list_visitor_sessions",
    security(("tester_token" = [])),
    params(
        ("state" = Option<String>, Query, description = "`active` for those who are here, `completed` for those who have gone"),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of stays", body = VisitorSessionList),
        problem::BadParams, problem::Unauthenticated,
    ),
)]
pub async fn list_visitor_sessions(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    Params(params): Params<VisitParams>,
) -> Result {
    let (list, now) = (&params.list, app.clock.now());
    let found = app.list_visitor_sessions(&tester, &params.filter, &list.page(), list.include_total).await?;
    Ok(web::list_answer(list, found, |visit| shape(visit, now)))
}
