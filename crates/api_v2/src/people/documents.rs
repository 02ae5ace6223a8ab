//! Builds the resource objects of people and their included resources.

use std::collections::HashMap;

use app::{App, Caller, Error};
use domain::PersonId;
use domain::access::ReadRegistry;

use super::Person;
use crate::json_api::{Include, Included, Linkage, MAX_INCLUDED, ResourceObject, too_many_included};
use crate::tags;

/// Builds the resource object of a person.
pub fn object(person: domain::Person) -> ResourceObject {
    let attributes = Person {
        kind: person.kind.as_str(),
        name: person.name,
        employee_id: person.employee_id,
        email: person.email,
        company: person.company,
        archived: person.archived_at.is_some(),
        archived_at: person.archived_at,
        erased_at: person.erased_at,
        created_at: person.created_at,
        updated_at: person.updated_at,
    };
    ResourceObject::with_all_attributes(person.id.0, &attributes)
}

/// Builds the resource objects of people and adds the tags that they wear now, if `include` asks for them.
pub async fn objects(
    app: &App,
    caller: &Caller<ReadRegistry>,
    people: Vec<domain::Person>,
    include: &Include,
    included: &mut Included,
) -> Result<Vec<ResourceObject>, Error> {
    if !include.includes("tags") || people.is_empty() {
        return Ok(people.into_iter().map(object).collect());
    }
    let ids: Vec<PersonId> = people.iter().map(|person| person.id).collect();
    let worn = app.tags_worn_by(&caller.reader(), &ids, MAX_INCLUDED as i64 + 1).await?;
    if worn.len() > MAX_INCLUDED {
        return Err(too_many_included("tags"));
    }
    let mut linked: HashMap<PersonId, Vec<_>> = HashMap::new();
    for tag in worn {
        let wearer = tag.details.person.as_ref().map(|person| person.id);
        let object = tags::object(tag);
        if let Some(wearer) = wearer {
            linked.entry(wearer).or_default().push(object.identifier());
        }
        included.add(object);
    }
    let with_links = people.into_iter().map(|person| {
        let worn = linked.remove(&person.id).unwrap_or_default();
        let mut object = object(person);
        object.link("tags", Linkage::Many(worn));
        object
    });
    Ok(with_links.collect())
}
