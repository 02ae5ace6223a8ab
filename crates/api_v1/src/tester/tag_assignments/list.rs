//! GET /api/v1/tester/tag_assignments

use std::sync::Arc;

use app::App;
use axum::extract::State;
use web::{ListParams, Params, Result, Tester, enum_schemas, problem};

use crate::tag_assignments::{AssignmentParams, TagAssignmentList, shape};

/// List tag assignments
///
/// Returns who wears or wore which tag of the device's brand, and when.
#[web::operation(
    get, path = "/api/v1/tester/tag_assignments", tag = "tester", operation_id = "list_tester_tag_assignments",
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
    Tester(tester): Tester,
    Params(params): Params<AssignmentParams>,
) -> Result {
    let AssignmentParams { filter, order, list } = params;
    let found = app.list_tag_assignments(&tester.reader(), &filter, &list.request(order)).await?;
    Ok(web::registry_list_response(&list, found, shape))
}
