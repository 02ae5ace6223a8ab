//! Resource objects, resource identifiers and resource linkage.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::query::Fieldsets;
use super::resource::{Relationship, Resource, ResourceDefinition};

/// Room for the attributes of most resources, so that their text is written without moving it.
const ATTRIBUTES_CAPACITY: usize = 1_024;

/// Room for a linkage, or for the other members of a resource.
const MEMBER_CAPACITY: usize = 128;

/// A resource identifier object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identifier {
    kind: &'static str,
    id: i64,
}

/// Resource linkage: the identifiers that a relationship leads to.
#[derive(Clone, Debug)]
pub enum Linkage {
    One(Option<Identifier>),
    Many(Vec<Identifier>),
}

/// A resource object with its attributes, relationships and meta.
#[derive(Debug)]
pub struct ResourceObject {
    definition: &'static ResourceDefinition,
    id: i64,
    /// JSON, because most documents show all attributes; parsed again only for sparse fieldsets.
    attributes: Vec<u8>,
    linkages: Vec<(&'static str, Linkage)>,
    placement: Placement,
    meta: Option<Value>,
}

/// Whether a resource has its own path in a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placement {
    /// The path ends in the id.
    InCollection,
    /// Each caller has exactly one, at the path of the collection.
    Singleton,
    /// The caller can no longer see it: only its identifier and its meta are shown.
    Gone,
}

impl Identifier {
    pub fn new(kind: &'static str, id: i64) -> Self {
        Self { kind, id }
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        self.write_members(out);
        out.push(b'}');
    }

    fn write_members(&self, out: &mut Vec<u8>) {
        push_text(out, "\"type\":\"");
        push_text(out, self.kind);
        push_text(out, "\",\"id\":\"");
        push_json(out, &self.id);
        out.push(b'"');
    }

    /// Returns whether an identifier of a request document names the same resource.
    fn is_named_by(&self, data: &Value) -> bool {
        data["type"] == self.kind && data["id"].as_str().is_some_and(|id| id == self.id.to_string())
    }
}

impl Linkage {
    /// Appends the linkage as JSON.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::One(None) => push_text(out, "null"),
            Self::One(Some(one)) => one.write(out),
            Self::Many(members) => write_list(out, members, Identifier::write),
        }
    }

    /// Returns whether the linkage of a request document has the same members, in any order.
    pub(super) fn has_same_members(&self, data: &Value) -> bool {
        match (self, data) {
            (Self::One(None), data) => data.is_null(),
            (Self::One(Some(one)), data) => one.is_named_by(data),
            (Self::Many(members), Value::Array(items)) => {
                members.len() == items.len()
                    && members.iter().all(|one| items.iter().any(|item| one.is_named_by(item)))
            }
            (Self::Many(_), _) => false,
        }
    }
}

impl ResourceObject {
    pub fn with_all_attributes<R: Resource>(id: i64, attributes: &R) -> Self {
        Self::new(R::DEFINITION, id, attributes)
    }

    /// Creates an object with the attributes that lists and included resources show.
    pub fn with_list_attributes<R: Resource>(id: i64, attributes: &R::Listed) -> Self {
        Self::new(R::DEFINITION, id, attributes)
    }

    fn new(shape: &'static ResourceDefinition, id: i64, attributes: &impl Serialize) -> Self {
        let mut text = Vec::with_capacity(ATTRIBUTES_CAPACITY);
        push_json(&mut text, attributes);
        Self {
            definition: shape,
            id,
            attributes: text,
            linkages: Vec::with_capacity(shape.relationships.len()),
            placement: Placement::InCollection,
            meta: None,
        }
    }

    /// Creates the notice that the caller can no longer see a resource.
    pub fn gone<R: Resource>(id: i64, meta: Value) -> Self {
        let mut object = Self::new(R::DEFINITION, id, &Value::Object(Map::new()));
        object.placement = Placement::Gone;
        object.with_meta(meta)
    }

    /// Marks the resource as the caller's only one of its type, found without its id.
    #[must_use]
    pub fn into_singleton(mut self) -> Self {
        self.placement = Placement::Singleton;
        self
    }

    /// Adds the `meta` member.
    #[must_use]
    pub fn with_meta(mut self, meta: Value) -> Self {
        self.meta = Some(meta);
        self
    }

    /// Sets the linkage of a relationship.
    pub fn link(&mut self, relationship: &'static str, linkage: Linkage) {
        self.linkages.push((relationship, linkage));
    }

    pub(super) fn kind(&self) -> &'static str {
        self.definition.kind
    }

    pub fn identifier(&self) -> Identifier {
        Identifier::new(self.definition.kind, self.id)
    }

    /// Returns the path of the resource, or `None` if it has none.
    pub fn path(&self) -> Option<String> {
        self.resource_path().map(|place| place.to_string())
    }

    fn resource_path(&self) -> Option<ResourcePath> {
        let id = match self.placement {
            Placement::InCollection => Some(self.id),
            Placement::Singleton => None,
            Placement::Gone => return None,
        };
        self.definition.path.map(|collection| ResourcePath { collection, id })
    }

    /// Returns the room that the resource object needs as JSON, more or less.
    pub(super) fn capacity(&self) -> usize {
        self.attributes.len() + MEMBER_CAPACITY * (1 + self.linkages.len())
    }

    /// Appends the resource object with its selected fields as JSON. Types, names of members and paths are written as they are: they are
    /// constants without characters that JSON would escape.
    pub(super) fn write(&self, fields: &Fieldsets, out: &mut Vec<u8>) {
        out.push(b'{');
        self.identifier().write_members(out);
        if self.placement != Placement::Gone {
            self.write_attributes(fields, out);
            self.write_relationships(fields, out);
            if let Some(own) = self.resource_path() {
                push_text(out, ",\"links\":{\"self\":\"");
                own.write(out);
                push_text(out, "\"}");
            }
        }
        if let Some(meta) = &self.meta {
            push_text(out, ",\"meta\":");
            push_json(out, meta);
        }
        out.push(b'}');
    }

    fn write_attributes(&self, fields: &Fieldsets, out: &mut Vec<u8>) {
        let (kind, name) = (self.definition.kind, ",\"attributes\":");
        if fields.shows_all(kind) {
            push_text(out, name);
            out.extend_from_slice(&self.attributes);
            return;
        }
        // The text was written here, as an object.
        let all: BTreeMap<&str, &RawValue> = serde_json::from_slice(&self.attributes).unwrap_or_default();
        let shown: BTreeMap<_, _> = all.into_iter().filter(|(name, _)| fields.shows(kind, name)).collect();
        if !shown.is_empty() {
            push_text(out, name);
            push_json(out, &shown);
        }
    }

    fn write_relationships(&self, fields: &Fieldsets, out: &mut Vec<u8>) {
        let kind = self.definition.kind;
        let mut is_first = true;
        for one in self.definition.relationships.iter().filter(|one| fields.shows(kind, one.name)) {
            let place = self.resource_path().filter(|_| one.has_links);
            let linkage =
                self.linkages.iter().find(|(name, _)| *name == one.name).map(|(_, linkage)| linkage);
            if place.is_none() && linkage.is_none() {
                continue;
            }
            push_text(out, if is_first { ",\"relationships\":{\"" } else { ",\"" });
            write_relationship(out, one, place.as_ref(), linkage);
            is_first = false;
        }
        if !is_first {
            out.push(b'}');
        }
    }
}

/// Appends the name of a relationship, after its first quote, and the relationship.
fn write_relationship(
    out: &mut Vec<u8>,
    one: &Relationship,
    place: Option<&ResourcePath>,
    linkage: Option<&Linkage>,
) {
    push_text(out, one.name);
    push_text(out, "\":{");
    if let Some(place) = place {
        push_text(out, "\"links\":{\"self\":\"");
        place.write(out);
        push_text(out, "/relationships/");
        push_text(out, one.name);
        push_text(out, "\",\"related\":\"");
        place.write(out);
        out.push(b'/');
        push_text(out, one.name);
        push_text(out, "\"}");
    }
    if let Some(linkage) = linkage {
        push_text(out, if place.is_some() { ",\"data\":" } else { "\"data\":" });
        linkage.write(out);
    }
    out.push(b'}');
}

/// The path of a resource.
struct ResourcePath {
    collection: &'static str,
    /// `None` for a singleton.
    id: Option<i64>,
}

impl ResourcePath {
    fn write(&self, out: &mut Vec<u8>) {
        push_text(out, self.collection);
        if let Some(id) = &self.id {
            out.push(b'/');
            push_json(out, id);
        }
    }
}

impl Display for ResourcePath {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.collection)?;
        self.id.map_or(Ok(()), |id| write!(formatter, "/{id}"))
    }
}

/// Appends a JSON array.
pub(super) fn write_list<T>(out: &mut Vec<u8>, members: &[T], write: impl Fn(&T, &mut Vec<u8>)) {
    out.push(b'[');
    for (index, member) in members.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(member, out);
    }
    out.push(b']');
}

pub(super) fn push_text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

/// Appends a value as JSON. Only values that always serialise are written: numbers, JSON and structs of this crate.
pub(super) fn push_json(out: &mut Vec<u8>, value: &impl Serialize) {
    let _ = serde_json::to_writer(out, value);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::json_api::resource::Arity;

    const LINKED: Relationship =
        Relationship { has_links: true, ..Relationship::to_one("project", "projects", "Project") };

    const MANY: Relationship =
        Relationship { arity: Arity::Many, ..Relationship::to_one("tags", "tags", "Tag") };

    const DEFINITION: ResourceDefinition = ResourceDefinition {
        kind: "sites",
        path: Some("/api/v2/sites"),
        attributes: &["name", "size"],
        relationships: &[LINKED, MANY, Relationship::to_one("owner", "people", "Person")],
    };

    fn site() -> ResourceObject {
        let attributes = json!({ "name": "say \"é\"\n", "size": null });
        ResourceObject::new(&DEFINITION, 7, &attributes)
    }

    fn written(object: &ResourceObject, fields: &Fieldsets) -> Value {
        let mut out = Vec::new();
        object.write(fields, &mut out);
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn a_resource_has_its_attributes_relationships_links_and_meta() {
        let mut site = site().with_meta(json!({ "seen": [1] }));
        site.link("tags", Linkage::Many(vec![Identifier::new("tags", 1), Identifier::new("tags", -2)]));
        site.link("owner", Linkage::One(None));
        let links = json!({
            "self": "/api/v2/sites/7/relationships/project", "related": "/api/v2/sites/7/project",
        });
        let expected = json!({
            "type": "sites", "id": "7",
            "attributes": { "name": "say \"é\"\n", "size": null },
            "relationships": {
                "project": { "links": links },
                "tags": { "data": [{ "type": "tags", "id": "1" }, { "type": "tags", "id": "-2" }] },
                "owner": { "data": null },
            },
            "links": { "self": "/api/v2/sites/7" },
            "meta": { "seen": [1] },
        });
        assert_eq!(written(&site, &Fieldsets::default()), expected);
        site.link("project", Linkage::One(Some(Identifier::new("projects", 3))));
        let project = json!({ "links": links, "data": { "type": "projects", "id": "3" } });
        assert_eq!(written(&site, &Fieldsets::default())["relationships"]["project"], project);
        assert_eq!(site.into_singleton().path().as_deref(), Some("/api/v2/sites"));
    }

    #[test]
    fn selected_fields_only_are_written() {
        let written = |fields: &[&str]| {
            let names = fields.iter().map(|name| (*name).to_owned()).collect();
            written(&site(), &Fieldsets::only("sites", names))
        };
        let links = json!({ "self": "/api/v2/sites/7" });
        let size = json!({ "type": "sites", "id": "7", "attributes": { "size": null }, "links": links });
        assert_eq!(written(&["size"]), size);
        assert_eq!(written(&[]), json!({ "type": "sites", "id": "7", "links": links }));
        assert!(written(&["project"])["relationships"]["project"]["links"].is_object());
    }
}
