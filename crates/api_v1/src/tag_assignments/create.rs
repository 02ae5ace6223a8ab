//! POST /api/v1/tag_assignments

use std::sync::Arc;

use app::{App, Idempotent, IfAssigned, NewAssignment, TagReference};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Invalid, PersonId, Serial, TagId, Timestamp};
use web::{Caller, Fields, FromFields, IdempotentBody, NoParams, Result, problem};

use super::{TagAssignment, shape};

/// Fields of a new tag assignment.
#[web::body(parts)]
pub struct NewDeskTagAssignment {
    /// Time from which the tag is assigned, RFC 3339 in UTC, at most 400 days ago; the default is now.
    #[schema(example = "2026-03-01T08:00:00Z")]
    assigned_at: Option<Timestamp>,
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
        let parts = NewDeskTagAssignment::read_parts(fields);
        let tag = tag_reference(fields, parts.tag_serial, parts.tag_id);
        Some(Self(NewAssignment {
            tag: tag?,
            person: parts.person_id?,
            if_assigned: if_assigned(parts.replace?),
            assigned_at: parts.assigned_at?,
        }))
    }
}

/// Returns the tag of a body, which is given either by its serial or by its id. `None` means that an error was recorded.
pub fn tag_reference(
    fields: &mut Fields,
    serial: Option<Option<Serial>>,
    id: Option<Option<TagId>>,
) -> Option<TagReference> {
    match (serial?, id?) {
        (Some(serial), None) => Some(TagReference::Serial(serial)),
        (None, Some(id)) => Some(TagReference::Id(id)),
        (None, None) => fields.add_fault("tag_serial", Invalid::new("required", "must be given, or tag_id")),
        (Some(_), Some(_)) => {
            let invalid = Invalid::new("ambiguous", "must not be given together with tag_serial");
            fields.add_fault("tag_id", invalid)
        }
    }
}

pub fn if_assigned(replace: Option<bool>) -> IfAssigned {
    if replace.unwrap_or(false) { IfAssigned::Replace } else { IfAssigned::Refuse }
}

/// Assign a tag to a person
///
/// The assignment starts now or at a time in the past.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[web::operation(
    post, path = "/api/v1/tag_assignments", tag = "tag assignments", operation_id = "create_tag_assignment",
    request_body = NewDeskTagAssignment,
    responses(
        (status = 201, description = "The new tag assignment", body = TagAssignment),
        problem::BadBody,
    ),
)]
pub async fn create_tag_assignment(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: NoParams,
    IdempotentBody { value: AssignmentFields(new), key }: IdempotentBody<AssignmentFields>,
) -> Result {
    let once = Idempotent::new(key, |assignment: &domain::Assignment| {
        let location = format!("/api/v1/tag_assignments/{}", assignment.id);
        web::created_to_store(location, &shape(assignment.clone())).with_version(assignment.version)
    });
    Ok(web::render_stored(app.assign_tag(&caller.editor(), &new, once).await?))
}
