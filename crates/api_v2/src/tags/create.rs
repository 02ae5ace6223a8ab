//! POST /api/v2/tags

use std::sync::Arc;

use app::{App, Idempotent, TagView};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Serial, TagRole};
use web::{Caller, FromFields, IdempotentBody, NoParams, Result, enum_schemas, json_api_errors};

use super::{DEFINITION, Tag, object};
use crate::json_api::{self, DocumentOf, Negotiated, NewOf, Payload, Target, with_pointers};

/// Attributes of a new tag.
#[web::body]
#[schema(as = NewTagAttributes)]
pub struct NewTag {
    /// Serial number printed on the tag. It is unique in the brand, ignoring case.
    #[schema(example = "TAG-0042", min_length = 1, max_length = 64)]
    serial: Serial,
    /// Role of the wearer that the tag is meant for; the default is `pedestrian`.
    #[schema(value_type = Option<enum_schemas::TagRole>, example = "pedestrian")]
    role: Option<TagRole>,
}

type NewTagDocument = NewOf<Tag>;
type TagDocument = DocumentOf<Tag>;

/// Register a tag
///
/// Registers a tag that nobody wears yet. Its serial number must not be taken, whatever the case of its letters.
#[web::operation(
    post, path = "/api/v2/tags", tag = "tags", operation_id = "create_tag",
    request_body(content = NewTagDocument, content_type = "application/vnd.api+json"),
    responses(
        (status = 201, description = "The tag was registered.", body = TagDocument, content_type = "application/vnd.api+json"),
        json_api_errors::BadBody, json_api_errors::Conflict, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn create_tag(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    _: NoParams,
    IdempotentBody { value, key }: IdempotentBody<Payload>,
) -> Result {
    let once = Idempotent::new(key, |tag: &TagView| {
        json_api::created_to_store(&object(tag.clone())).with_version(tag.details.tag.version)
    });
    let made = with_pointers(&DEFINITION, async {
        let NewTag { serial, role } = value.resource(&DEFINITION, &Target::New, NewTag::read)?;
        app.create_tag(&caller.editor(), (&serial, role.unwrap_or(TagRole::Pedestrian)), once).await
    });
    Ok(json_api::render_stored(made.await?))
}
