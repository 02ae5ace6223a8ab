//! POST /api/v1/tester/tag_assignments

use std::sync::Arc;

use app::{App, Idempotent, NewAssignment};
use axum::extract::State;
use utoipa::ToSchema;
use web::{Fields, FromFields, IdempotencyKeyHeader, IdempotentBody, NoParams, Result, Tester, problem};

use crate::tag_assignments::create::read_assignment;
use crate::tag_assignments::{TagAssignment, shape};

/// Fields of a new tag assignment.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewTagAssignment {
    /// Serial number printed on the tag; an unknown tag is registered. Give either this or `tag_id`.
    #[schema(example = "TAG-0042", min_length = 1, max_length = 64)]
    tag_serial: Option<String>,
    /// Identifier of the tag. Give either this or `tag_serial`.
    tag_id: Option<i64>,
    /// Identifier of the person.
    #[schema(example = 7)]
    person_id: i64,
    /// Whether an open assignment of the tag is ended. Otherwise the call is refused if there is one.
    #[schema(default = false, example = false)]
    replace: Option<bool>,
}

pub struct AssignmentFields(NewAssignment);

impl FromFields for AssignmentFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        read_assignment(fields).map(Self)
    }
}

/// Assign a tag to a person
///
/// The assignment starts now.
#[utoipa::path(
    post, path = "/api/v1/tester/tag_assignments", tag = "tester", operation_id = "create_tester_tag_assignment",
    security(("tester_token" = [])),
    params(IdempotencyKeyHeader),
    request_body = NewTagAssignment,
    responses(
        (status = 201, description = "The new tag assignment", body = TagAssignment),
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
