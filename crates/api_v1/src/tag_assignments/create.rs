//! POST /api/v1/tag_assignments

use std::sync::Arc;

use app::{App, Idempotent, IfAssigned, NewAssignment, TagReference};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Invalid, PersonId, Serial, TagId, Timestamp};
use utoipa::ToSchema;
use web::{
    Caller, Fields, FromFields, IdempotencyKeyHeader, IdempotentBody, NoParams, Result, boolean, id, problem,
    text,
};

use super::{TagAssignment, shape};

/// Fields of a new tag assignment.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewDeskTagAssignment {
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
    /// Time from which the tag is assigned, RFC 3339 in UTC, at most 400 days ago; the default is now.
    #[schema(format = DateTime, example = "2026-03-01T08:00:00Z")]
    assigned_at: Option<String>,
}

pub struct AssignmentFields(NewAssignment);

impl FromFields for AssignmentFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let assigned_at = fields.optional("assigned_at", text(Timestamp::parse));
        let new = read_assignment(fields);
        Some(Self(NewAssignment { assigned_at: assigned_at?, ..new? }))
    }
}

/// Reads the fields that users and tester devices both send.
pub fn read_assignment(fields: &mut Fields) -> Option<NewAssignment> {
    let serial = fields.optional("tag_serial", text(Serial::parse));
    let tag_id = fields.optional("tag_id", id);
    let person = fields.required("person_id", id);
    let replace = fields.optional("replace", boolean);
    let tag = match (serial?, tag_id?) {
        (Some(serial), None) => TagReference::Serial(serial),
        (None, Some(id)) => TagReference::Id(TagId(id)),
        (None, None) => {
            return fields.add_fault("tag_serial", Invalid::new("required", "must be given, or tag_id"));
        }
        (Some(_), Some(_)) => {
            let invalid = Invalid::new("ambiguous", "must not be given together with tag_serial");
            return fields.add_fault("tag_id", invalid);
        }
    };
    let if_out = if replace?.unwrap_or(false) { IfAssigned::Replace } else { IfAssigned::Refuse };
    Some(NewAssignment { tag, person: PersonId(person?), if_assigned: if_out, assigned_at: None })
}

/// Assign a tag to a person
///
/// The assignment starts now or at a time in the past.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[utoipa::path(
    post, path = "/api/v1/tag_assignments", tag = "tag_assignments", operation_id = "create_tag_assignment",
    security(("session" = [])),
    params(IdempotencyKeyHeader),
    request_body = NewDeskTagAssignment,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 201, description = "The new tag assignment", body = TagAssignment),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden,
    ),
)]
pub async fn create_tag_assignment(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: NoParams,
    IdempotentBody { value: AssignmentFields(new), key }: IdempotentBody<AssignmentFields>,
) -> Result {
    let once = Idempotent::new(key, |assignment: &store::Assignment| {
        let location = format!("/api/v1/tag_assignments/{}", assignment.id);
        web::created_to_store(location, &shape(assignment.clone()))
    });
    Ok(web::render_stored(app.assign_tag(&caller.editor(), &new, once).await?))
}
