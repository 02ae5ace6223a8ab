//! GET /api/v1/visitor_sessions

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{Invalid, ListOrder, PeriodBound, PersonId, VisitFilter, VisitState, WorksiteId};
use web::{
    Caller, FromParams, ListParams, Params, Query, RegistryList, Result, SortOrders, enum_schemas, problem,
};

use super::{VisitorSession, shape};

pub struct VisitParams {
    filter: VisitFilter,
    order: ListOrder,
    list: ListParams,
}

impl FromParams for VisitParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let order =
            SortOrders::OF_VISITS.read(query, &["state", "worksite_id", "person_id", "from", "to"])?;
        let filter = VisitFilter {
            states: query.one("state", VisitState::parse)?.into_iter().collect(),
            worksites: query.id("worksite_id")?.map(WorksiteId).into_iter().collect(),
            people: query.id("person_id")?.map(PersonId).into_iter().collect(),
            from: query.one("from", PeriodBound::parse)?,
            to: query.one("to", PeriodBound::parse)?,
            ..VisitFilter::default()
        };
        if filter.is_reversed() {
            let invalid = Invalid::new("out_of_range", "must not come before from");
            return Err(Error::bad_parameter("to", invalid));
        }
        Ok(Self { filter, order, list: ListParams::read(query)? })
    }
}

pub type VisitorSessionList = RegistryList<VisitorSession>;

/// List visits
///
/// Lists the visits visible to you.
#[web::operation(
    get, path = "/api/v1/visitor_sessions", tag = "visitor sessions", operation_id = "list_visitor_sessions",
    params(
        ("state" = Option<enum_schemas::VisitState>, Query,
            description = "`active` returns open visits only, `completed` ended ones only"),
        ("worksite_id" = Option<i64>, Query, description = "Only visits to this worksite"),
        ("person_id" = Option<i64>, Query, description = "Only those of this person"),
        ("from" = Option<String>, Query, description = "Only visits with a check-in at this time or later: a time (RFC 3339), or a date, which begins by the local time of \
            the worksite"),
        ("to" = Option<String>, Query, description = "Only visits with a check-in before this time; a time or a date, as in `from`"),
        ("sort" = Option<enum_schemas::VisitorSessionSort>, Query,
            description = "Sort order; a leading minus sorts in descending order. The default is the newest first, in a period by `checked_in_at`"),
        ("after_version" = Option<i64>, Query, minimum = 0,
            description = "Incremental sync: every row that changed after this version of the registry, in the order of the changes and \
                including archived rows; 0 starts from the beginning. No filter and no `sort` may be given with it. Pass the answer's \
                `page.registry_version` next time. Start again from 0 when your projects change."),
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
    let VisitParams { filter, order, list } = params;
    let now = app.clock.now();
    let found = app.list_visitor_sessions(&caller.reader(), &filter, &list.request(order)).await?;
    Ok(web::registry_list_response(&list, found, |visit| shape(visit, now)))
}
