//! GET /api/v1/tester/tag_assignments

use std::sync::Arc;

use app::App;
use axum::extract::State;
use web::{ListParams, Params, Result, Tester, problem};

use crate::tag_assignments::{AssignmentParams, TagAssignmentList, shape};

/// List tag assignments
///
/// The newest assignments come first.
#[web::operation(
    get, path = "/api/v1/tester/tag_assignments", tag = "tester", operation_id = "list_tester_tag_assignments",
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
    Tester(tester): Tester,
    Params(params): Params<AssignmentParams>,
) -> Result {
    let (reader, list) = (tester.reader(), &params.list);
    let found = app.list_tag_assignments(&reader, &params.filter, &list.page(), list.include_total).await?;
    Ok(web::list_response(list, found, shape))
}
