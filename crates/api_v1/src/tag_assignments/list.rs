//! GET /api/v1/tag_assignments

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{AssignmentFilter, PersonId, TagId};
use web::{Caller, FromParams, List, ListParams, Params, Query, Result, problem};

use super::{TagAssignment, shape};

pub struct AssignmentParams {
    pub filter: AssignmentFilter,
    pub list: ListParams,
}

impl FromParams for AssignmentParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let filter = AssignmentFilter {
            open: query.optional_flag("open")?,
            person: query.id("person_id")?.map(PersonId),
            tag: query.id("tag_id")?.map(TagId),
        };
        Ok(Self { filter, list: ListParams::read(query)? })
    }
}

pub type TagAssignmentList = List<TagAssignment>;

/// List tag assignments
///
/// The newest assignments come first.
#[web::operation(
    get, path = "/api/v1/tag_assignments", tag = "tag_assignments", operation_id = "list_tag_assignments",
    params(
        ("open" = Option<bool>, Query, description = "`true` returns open assignments only, `false` ended ones only"),
        ("person_id" = Option<i64>, Query, description = "Only those of this person"),
        ("tag_id" = Option<i64>, Query, description = "Only those of this tag"),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of tag assignments", body = TagAssignmentList),
        problem::BadParams,
    ),
)]
pub async fn list_tag_assignments(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    Params(params): Params<AssignmentParams>,
) -> Result {
    let (reader, list) = (caller.reader(), &params.list);
    let found = app.list_tag_assignments(&reader, &params.filter, &list.page(), list.include_total).await?;
    Ok(web::list_response(list, found, shape))
}
