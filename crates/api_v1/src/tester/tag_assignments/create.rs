//! POST /api/v1/tester/tag_assignments

use std::sync::Arc;

use app::{App, IfOut, Once, TagName};
use axum::extract::State;
use domain::{Invalid, PersonId, Serial, TagId};
use utoipa::ToSchema;
use web::{Creation, Fields, FromFields, NoParams, Repeatable, Result, Tester, flag, id, problem, text};

use super::{TagAssignment, shape};

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
pub struct AssignmentFields {
    tag: TagName,
    person: PersonId,
    if_out: IfOut,
}

impl FromFields for AssignmentFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let serial = fields.optional("tag_serial", text(Serial::parse));
        let tag_id = fields.optional("tag_id", id);
        let person = fields.required("person_id", id);
        let replace = fields.optional("replace", flag);
        let tag = match (serial?, tag_id?) {
            (Some(serial), None) => TagName::Serial(serial),
            (None, Some(id)) => TagName::Id(TagId(id)),
            (None, None) => {
                return fields.fault("tag_serial", Invalid::new("required", "must be given, or tag_id"));
            }
            (Some(_), Some(_)) => {
                return fields.fault(
                    "tag_id",
                    Invalid::new("ambiguous", "must not be given together with tag_serial"),
                );
            }
        };
        let if_out = if replace?.unwrap_or(false) { IfOut::Replace } else { IfOut::Refuse };
        Some(Self { tag, person: PersonId(person?), if_out })
    }
}

/// Gives a tag to a person from now on.
#[utoipa::path(
    post, path = "/api/v1/tester/tag_assignments", tag = "tester", operation_id = "create_tag_assignment",
    security(("tester_token" = [])),
    params(Repeatable),
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
    Creation { value: AssignmentFields { tag, person, if_out }, key }: Creation<AssignmentFields>,
) -> Result {
    let once = Once::new(key, |assignment: &store::Assignment| {
        let location = format!("/api/v1/tester/tag_assignments/{}", assignment.id);
        web::made(location, &shape(assignment.clone()))
    });
    Ok(web::reply(app.assign_tag(&tester, (&tag, person), if_out, once).await?))
}
