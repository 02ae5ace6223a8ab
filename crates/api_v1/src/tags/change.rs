//! PATCH /api/v1/tags/{id}

use std::sync::Arc;

use app::{App, TagChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{TagId, TagRole};
use utoipa::ToSchema;
use web::{
    Caller, DeferredBody, Fields, FromFields, IfMatchHeader, NoParams, PathId, Result, boolean, enum_schemas,
    problem, text,
};

use super::{Tag, shape};

/// What to change; what is left out stays. What stands on a tag is fixed.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedTag {
    /// Whom it is meant for.
    #[schema(value_type = Option<enum_schemas::TagRole>, example = "operator", nullable = false)]
    role: Option<String>,
    /// `true` takes it out of use and back from whoever wears it, `false` puts it into stock again.
    #[schema(example = false, nullable = false)]
    retired: Option<bool>,
}

/// A change that was read.
pub struct ChangeFields(TagChange);

impl FromFields for ChangeFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let role = fields.change("role", text(TagRole::parse));
        let retired = fields.change("retired", boolean);
        Some(Self(TagChange { role: role?, retired: retired? }))
    }
}

/// Changes a tag, takes it out of use or back into stock.
///
/// 403 `restricted` if you are restricted to projects and the tag is worn outside of them.
#[utoipa::path(
    patch, path = "/api/v1/tags/{id}", tag = "tags", operation_id = "change_tag", security(("session" = [])),
    params(
        ("id" = i64, Path, description = "The tag's id"),
        ("If-Match" = Option<String>, Header, description = "The ETag you read; 412 if it was changed since"),
    ),
    request_body = ChangedTag,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "Changed", body = Tag, headers(("ETag" = String, description = "Its version"))),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::NotFound, problem::PreconditionFailed,
    ),
)]
pub async fn change_tag(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    app.find_tag(&caller.editor().reader(), TagId(id)).await?;
    let ChangeFields(change) = body.read().await?;
    let view = app.change_tag(&caller.editor(), TagId(id), &if_match, change).await?;
    let version = view.details.tag.version;
    Ok(web::with_etag(web::json_response(&shape(view)), version, None))
}
