//! PATCH /api/v2/tags/{id}

use std::sync::Arc;

use app::{App, TagChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Change, TagId, TagRole};
use web::{
    Caller, DeferredBody, FixedMembers, FromFields, IfMatchHeader, NoParams, PathId, Result, enum_schemas,
    json_api_errors,
};

use super::{DEFINITION, Tag, object};
use crate::json_api::{
    self, ChangeOf, DocumentOf, Negotiated, Payload, StoredResource, Target, with_pointers,
};

/// Attributes of a tag to change. Attributes that are left out stay as they are. The serial number cannot be changed.
#[web::body(into = TagChange)]
#[schema(as = ChangedTagAttributes)]
pub struct ChangedTag {
    /// Role of the wearer that the tag is meant for.
    #[schema(value_type = enum_schemas::TagRole, example = "operator", required = false)]
    role: Change<TagRole>,
    /// `true` retires the tag and ends its assignment, `false` puts it back into stock.
    #[schema(example = false)]
    retired: Change<bool>,
}

type ChangedTagDocument = ChangeOf<Tag>;
type TagDocument = DocumentOf<Tag>;

/// Change, retire or restore a tag
///
/// Set `retired` to retire or restore the tag. Answers 403 `restricted` if your access is restricted to projects and the tag is worn outside
/// of them.
#[web::operation(
    patch, path = "/api/v2/tags/{id}", tag = "tags", operation_id = "change_tag",
    params(
        ("id" = String, Path, description = "Id of the tag."),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you read; 412 if the tag has changed since."),
    ),
    request_body(content = ChangedTagDocument, content_type = "application/vnd.api+json"),
    responses(
        (status = 200, description = "The tag was changed.", body = TagDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the tag."))),
        json_api_errors::BadBody, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::PreconditionFailed, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn change_tag(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let found = app.find_tag(&caller.editor().reader(), TagId(id)).await?.details;
    let payload = body.read::<Payload>().await?;
    let fixed = FixedMembers::created_at(found.tag.created_at).with_text("serial", &found.tag.serial);
    let stored = StoredResource::new(id, fixed);
    let changed = with_pointers(&DEFINITION, async {
        let change = payload.resource(&DEFINITION, &Target::Existing(stored), ChangedTag::read)?;
        app.change_tag(&caller.editor(), TagId(id), &if_match, change.into()).await
    });
    let tag = changed.await?;
    let version = tag.details.tag.version;
    Ok(web::with_etag(json_api::updated_response(&object(tag)), version, None))
}
