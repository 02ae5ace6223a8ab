//! GET /api/v1/tag_assignments

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{AssignmentFilter, ListOrder, PersonId, RegistryRows, TagId};
use web::{
    Caller, FromParams, ListParams, Params, Query, RegistryList, Result, SortOrders, enum_schemas, problem,
};

use super::{TagAssignment, shape};

pub struct AssignmentParams {
    pub filter: AssignmentFilter,
    pub order: ListOrder,
    pub list: ListParams,
}

impl FromParams for AssignmentParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let order = SortOrders::OF_ASSIGNMENTS.read(query, &["open", "person_id", "tag_id"])?;
        let filter = AssignmentFilter {
            open: query.optional_flag("open")?,
            person: query.id("person_id")?.map(PersonId),
            tag: query.id("tag_id")?.map(TagId),
            rows: RegistryRows::default(),
        };
        Ok(Self { filter, order, list: ListParams::read(query)? })
    }
}

pub type TagAssignmentList = RegistryList<TagAssignment>;

/// List tag assignments
///
/// Returns who wears or wore which tag, and when.
#[web::operation(
    get, path = "/api/v1/tag_assignments", tag = "tag assignments", operation_id = "list_tag_assignments",
    params(
        ("open" = Option<bool>, Query, description = "`true` returns open assignments only, `false` ended ones only"),
        ("person_id" = Option<i64>, Query, description = "Only those of this person"),
        ("tag_id" = Option<i64>, Query, description = "Only those of this tag"),
        ("sort" = Option<enum_schemas::TagAssignmentSort>, Query,
            description = "Sort order; a leading minus sorts in descending order. The default is the newest first"),
        ("after_version" = Option<i64>, Query, minimum = 0,
            description = "Incremental sync: every row that changed after this version of the registry, in the order of the changes and \
                including archived rows; 0 starts from the beginning. No filter and no `sort` may be given with it. Pass the answer's \
                `page.registry_version` next time. Start again from 0 when your projects change."),
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
    let AssignmentParams { filter, order, list } = params;
    let found = app.list_tag_assignments(&caller.reader(), &filter, &list.request(order)).await?;
    Ok(web::registry_list_response(&list, found, shape))
}
