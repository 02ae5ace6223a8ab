//! POST /api/v1/tester/tag_assignments

use std::sync::Arc;

use app::{App, Idempotent, NewAssignment};
use axum::extract::State;
use utoipa::ToSchema;
use web::{Fields, FromFields, IdempotencyKeyHeader, IdempotentBody, NoParams, Result, Tester, problem};

use crate::tag_assignments::create::read_assignment;
use crate::tag_assignments::{TagAssignment, shape};

/// Which tag goes to whom.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewTagAssignment {
    /// What stands on the tag; an unknown one is registered. Either this or `tag_id`.
    #[schema(example = "TAG-0042", min_length = 1, max_length = 64)]
    tag_serial: Option<String>,
    /// The tag's id. Either this or `tag_serial`.
    tag_id: Option<i64>,
    /// The person's id.
    #[schema(example = 7)]
    person_id: i64,
    /// Whether an assignment that the tag still has ends; else it is refused.
    #[schema(default = false, example = false)]
    replace: Option<bool>,
}

/// An assignment that was read.
pub struct AssignmentFields(NewAssignment);

impl FromFields for AssignmentFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        read_assignment(fields).map(Self)
    }
}

/// Gives a tag to a person from now on.
#[utoipa::path(
    post, path = "/api/v1/tester/tag_assignments", tag = "tester", operation_id = "create_tester_tag_assignment",
    security(("tester_token" = [])),
    params(IdempotencyKeyHeader),
    request_body = NewTagAssignment,
    responses(
        (status = 201, description = "Assigned", body = TagAssignment),
        problem::BadBody, problem::Unauthenticated,
    ),
)]
pub async fn create_tag_assignment(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    _: NoParams,
    IdempotentBody { value: AssignmentFields(new), key }: IdempotentBody<AssignmentFields>,
) -> Result {
    let once = Idempotent::new(key, |assignment: &store::Assignment| {
        let location = format!("/api/v1/tester/tag_assignments/{}", assignment.id);
        web::created_to_store(location, &shape(assignment.clone()))
    });
    Ok(web::render_stored(app.assign_tag(&tester.editor(), &new, once).await?))
}
