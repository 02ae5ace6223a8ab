//! POST /api/v1/tags

use std::sync::Arc;

use app::{App, Idempotent, TagEntry, TagView};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Serial, TagRole};
use web::{Caller, IdempotentBody, NoParams, Result, enum_schemas, problem};

use super::{Tag, shape};

/// Fields of a new tag.
#[web::body]
pub struct NewTag {
    /// Serial number printed on the tag. It is unique in the brand, ignoring case.
    #[schema(example = "TAG-0042", min_length = 1, max_length = 64)]
    serial: Serial,
    /// Role of the wearer that the tag is meant for; the default is `pedestrian`.
    #[schema(value_type = Option<enum_schemas::TagRole>, example = "pedestrian")]
    role: Option<TagRole>,
}

impl From<NewTag> for TagEntry {
    fn from(new: NewTag) -> Self {
        Self { serial: new.serial, role: new.role.unwrap_or(TagRole::Pedestrian) }
    }
}

/// Register a tag
///
/// Registers a tag that nobody wears yet. Its serial number must not be taken, whatever the case of its letters.
#[web::operation(
    post, path = "/api/v1/tags", tag = "tags", operation_id = "create_tag",
    request_body = NewTag,
    responses(
        (status = 201, description = "The new tag", body = Tag),
        problem::BadBody,
    ),
)]
pub async fn create_tag(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: NoParams,
    IdempotentBody { value: new, key }: IdempotentBody<NewTag>,
) -> Result {
    let once = Idempotent::new(key, |view: &TagView| {
        web::created_to_store(format!("/api/v1/tags/{}", view.details.tag.id), &shape(view.clone()))
            .with_version(view.details.tag.version)
    });
    let TagEntry { serial, role } = new.into();
    Ok(web::render_stored(app.create_tag(&caller.editor(), (&serial, role), once).await?))
}
