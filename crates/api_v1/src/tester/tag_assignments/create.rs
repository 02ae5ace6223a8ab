//! POST /api/v1/tester/tag_assignments

use std::sync::Arc;

use app::{App, Idempotent, NewAssignment};
use axum::extract::State;
use domain::{PersonId, Serial, TagId};
use web::{Fields, FromFields, IdempotentBody, NoParams, Result, Tester, problem};

use crate::tag_assignments::create::{if_assigned, tag_reference};
use crate::tag_assignments::{TagAssignment, shape};

/// Fields of a new tag assignment.
#[web::body(parts)]
pub struct NewTagAssignment {
    /// Serial number printed on the tag; an unknown tag is registered. Give either this or `tag_id`.
    #[schema(example = "TAG-0042", min_length = 1, max_length = 64)]
    tag_serial: Option<Serial>,
    /// Identifier of the tag. Give either this or `tag_serial`.
    tag_id: Option<TagId>,
    /// Identifier of the person.
    #[schema(example = 7)]
    person_id: PersonId,
    /// Whether an open assignment of the tag is ended. Otherwise the call is refused if there is one.
    #[schema(default = false, example = false)]
    replace: Option<bool>,
}

pub struct AssignmentFields(NewAssignment);

impl FromFields for AssignmentFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let parts = NewTagAssignment::read_parts(fields);
        let tag = tag_reference(fields, parts.tag_serial, parts.tag_id);
        Some(Self(NewAssignment {
            tag: tag?,
            person: parts.person_id?,
            if_assigned: if_assigned(parts.replace?),
            assigned_at: None,
        }))
    }
}

/// Assign a tag to a person
///
/// The assignment starts now.
#[web::operation(
    post, path = "/api/v1/tester/tag_assignments", tag = "tester", operation_id = "create_tester_tag_assignment",
    request_body = NewTagAssignment,
    responses(
        (status = 201, description = "The new tag assignment", body = TagAssignment),
        problem::BadBody,
    ),
)]
pub async fn create_tag_assignment(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    _: NoParams,
    IdempotentBody { value: AssignmentFields(new), key }: IdempotentBody<AssignmentFields>,
) -> Result {
    let once = Idempotent::new(key, |assignment: &domain::Assignment| {
        let location = format!("/api/v1/tester/tag_assignments/{}", assignment.id);
        web::created_to_store(location, &shape(assignment.clone())).with_version(assignment.version)
    });
    Ok(web::render_stored(app.assign_tag(&tester.editor(), &new, once).await?))
}
