//! GET /api/v1/tester/visitor_sessions

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::{ListOrder, VisitFilter, VisitState};
use web::{FromParams, ListParams, Params, Query, Result, SortOrders, Tester, enum_schemas, problem};

use crate::visitor_sessions::{VisitorSessionList, shape};

pub struct VisitParams {
    filter: VisitFilter,
    order: ListOrder,
    list: ListParams,
}

impl FromParams for VisitParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let order = SortOrders::OF_VISITS.read(query, &["state"])?;
        let states = query.one("state", VisitState::parse)?.into_iter().collect();
        let filter = VisitFilter { states, ..VisitFilter::default() };
        Ok(Self { filter, order, list: ListParams::read(query)? })
    }
}

/// List visits
///
/// Returns the visits of the device's brand, open and ended ones unless `state` says otherwise.
#[web::operation(
    get, path = "/api/v1/tester/visitor_sessions", tag = "tester", operation_id = "list_tester_visitor_sessions",
    params(
        ("state" = Option<enum_schemas::VisitState>, Query,
            description = "`active` returns open visits only, `completed` ended ones only"),
        ("sort" = Option<enum_schemas::VisitorSessionSort>, Query,
            description = "Sort order; a leading minus sorts in descending order. The default is the newest first"),
        ("after_version" = Option<i64>, Query, minimum = 0,
            description = "Incremental sync: every row that changed after this version of the registry, in the order of the changes and \
                including archived rows; 0 starts from the beginning. No filter and no `sort` may be given with it. Pass the answer's \
                `page.registry_version` next time."),
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
    let VisitParams { filter, order, list } = params;
    let now = app.clock.now();
    let found = app.list_visitor_sessions(&tester.reader(), &filter, &list.request(order)).await?;
    Ok(web::registry_list_response(&list, found, |visit| shape(visit, now)))
}
