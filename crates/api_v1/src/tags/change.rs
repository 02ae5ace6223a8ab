//! PATCH /api/v1/tags/{id}

use std::sync::Arc;

use app::{App, TagChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Change, TagId, TagRole};
use web::{
    Caller, DeferredBody, FixedMembers, IfMatchHeader, NoParams, PathId, Result, enum_schemas, problem,
};

use super::{Tag, shape};

/// Changes to a tag. Fields that are left out keep their values. The serial number cannot be changed.
#[web::body(into = TagChange, of = Tag)]
pub struct ChangedTag {
    /// Role of the wearer that the tag is meant for.
    #[schema(value_type = Option<enum_schemas::TagRole>, example = "operator")]
    role: Change<TagRole>,
    /// `true` retires the tag and ends its assignment, `false` puts it back into stock.
    #[schema(example = false)]
    retired: Change<bool>,
}

/// Change, retire or restore a tag
///
/// Fails with 403 `restricted` if your access is restricted to projects and the tag is worn outside them.
#[web::operation(
    patch, path = "/api/v1/tags/{id}", tag = "tags", operation_id = "change_tag",
    params(
        ("id" = i64, Path, description = "Identifier of the tag"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedTag,
    responses(
        (status = 200, description = "The changed tag", body = Tag, headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::NotFound, problem::PreconditionFailed,
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
    let stored = app.find_tag(&caller.editor().reader(), TagId(id)).await?.details.tag;
    let fixed = FixedMembers::new(id, stored.created_at).with_text("serial", &stored.serial);
    let change = body.read_change::<ChangedTag>(&fixed).await?;
    let view = app.change_tag(&caller.editor(), TagId(id), &if_match, change.into()).await?;
    let version = view.details.tag.version;
    Ok(web::with_etag(web::json_response(&shape(view)), version, None))
}
