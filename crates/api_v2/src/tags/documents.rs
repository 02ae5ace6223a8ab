//! Builds the resource objects of tags and their included resources.

use app::{App, Caller, Error, TagView};
use domain::access::ReadRegistry;
use domain::{PersonName, TagFlag};

use super::{LastTest, Tag};
use crate::json_api::{Identifier, Include, Included, Linkage, ResourceObject};
use crate::{people, related};

/// Builds the resource object of a tag.
pub fn object(view: TagView) -> ResourceObject {
    let domain::TagDetails { tag, person, last_test, .. } = view.details;
    let attributes = Tag {
        serial: tag.serial,
        role: tag.role.as_str(),
        state: view.state.as_str(),
        flags: view.flags.into_iter().map(TagFlag::as_str).collect(),
        battery_percent: tag.battery_percent,
        last_seen_at: tag.last_seen_at,
        last_test: last_test.map(|test| LastTest { tested_at: test.tested_at, passed: test.passed }),
        days_since_last_test: view.days_since_last_test,
        incursions: view.incursions.into(),
        retired: tag.retired_at.is_some(),
        retired_at: tag.retired_at,
        created_at: tag.created_at,
        updated_at: tag.updated_at,
    };
    let mut object = ResourceObject::with_all_attributes(tag.id.0, &attributes);
    object.link("person", wearer(person.as_ref()));
    object
}

/// Returns the linkage of the person who wears a tag.
fn wearer(person: Option<&PersonName>) -> Linkage {
    Linkage::One(person.map(|person| Identifier::new(people::DEFINITION.kind, person.id.0)))
}

/// Builds the resource objects of tags and adds what `include` asks for.
pub async fn objects(
    app: &App,
    caller: &Caller<ReadRegistry>,
    tags: Vec<TagView>,
    include: &Include,
    included: &mut Included,
) -> Result<Vec<ResourceObject>, Error> {
    if include.includes("person") {
        let people =
            tags.iter().filter_map(|tag| tag.details.person.as_ref()).map(|person| person.id).collect();
        related::include_people(app, caller, people, included).await?;
    }
    Ok(tags.into_iter().map(object).collect())
}
