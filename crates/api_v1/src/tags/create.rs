//! POST /api/v1/tags

use std::sync::Arc;

use app::{App, Idempotent, TagView};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Serial, TagRole};
use utoipa::ToSchema;
use web::{
    Caller, Fields, FromFields, IdempotencyKeyHeader, IdempotentBody, NoParams, Result, enum_schemas,
    problem, text,
};

use super::{Tag, shape};

/// Fields of a new tag.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewTag {
    /// Serial number printed on the tag. It is unique in the brand, ignoring case.
    #[schema(example = "TAG-0042", min_length = 1, max_length = 64)]
    serial: String,
    /// Role of the wearer that the tag is meant for; the default is `pedestrian`.
    #[schema(value_type = Option<enum_schemas::TagRole>, example = "pedestrian")]
    role: Option<String>,
}

pub struct NewTagFields {
    pub serial: Serial,
    pub role: TagRole,
}

impl FromFields for NewTagFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let serial = fields.required("serial", text(Serial::parse));
        let role = fields.optional("role", text(TagRole::parse));
        Some(Self { serial: serial?, role: role?.unwrap_or(TagRole::Pedestrian) })
    }
}

/// Register a tag
#[utoipa::path(
    post, path = "/api/v1/tags", tag = "tags", operation_id = "create_tag", security(("session" = [])),
    params(IdempotencyKeyHeader),
    request_body = NewTag,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 201, description = "The new tag", body = Tag),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden,
    ),
)]
pub async fn create_tag(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: NoParams,
    IdempotentBody { value: NewTagFields { serial, role }, key }: IdempotentBody<NewTagFields>,
) -> Result {
    let once = Idempotent::new(key, |view: &TagView| {
        web::created_to_store(format!("/api/v1/tags/{}", view.details.tag.id), &shape(view.clone()))
    });
    Ok(web::render_stored(app.create_tag(&caller.editor(), (&serial, role), once).await?))
}
