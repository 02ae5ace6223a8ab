//! Resource objects, resource identifiers and resource linkage.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::query::Fieldsets;
use super::resource::{Resource, ResourceDefinition};

/// A resource identifier object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Identifier {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(serialize_with = "as_text")]
    id: i64,
}

/// Resource linkage: the identifiers that a relationship leads to.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Linkage {
    One(Option<Identifier>),
    Many(Vec<Identifier>),
}

/// A resource object with its attributes, relationships and meta.
#[derive(Debug)]
pub struct ResourceObject {
    definition: &'static ResourceDefinition,
    id: i64,
    /// Serialised once, because most documents show all attributes; parsed again only for sparse fieldsets.
    attributes: Box<RawValue>,
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
}

impl Identifier {
    pub fn new(kind: &'static str, id: i64) -> Self {
        Self { kind, id }
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
        // These are structs of this crate, so they always serialise, to JSON objects.
        let attributes = to_raw_value(attributes).unwrap_or_default();
        Self {
            definition: shape,
            id,
            attributes,
            linkages: Vec::new(),
            placement: Placement::InCollection,
            meta: None,
        }
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
        };
        self.definition.path.map(|collection| ResourcePath { collection, id })
    }

    pub(super) fn render(&self, fields: &Fieldsets) -> RenderedResource<'_> {
        let kind = self.definition.kind;
        let relationships = self.definition.relationships.iter().filter(|one| fields.shows(kind, one.name));
        let shown = relationships.filter_map(|one| {
            let place = self.resource_path().filter(|_| one.has_links());
            let links = place.map(|place| RelationshipLinks { path: place, name: one.name });
            let linkage = self.linkages.iter().find(|(name, _)| *name == one.name);
            let data = linkage.map(|(_, linkage)| linkage);
            (links.is_some() || data.is_some()).then_some((one.name, RenderedRelationship { links, data }))
        });
        RenderedResource {
            kind,
            id: self.id,
            attributes: self.attributes(fields),
            relationships: shown.collect(),
            links: self.resource_path().map(|own| Links { self_link: own }),
            meta: self.meta.as_ref(),
        }
    }

    fn attributes(&self, fields: &Fieldsets) -> Option<Attributes<'_>> {
        let kind = self.definition.kind;
        if fields.shows_all(kind) {
            return Some(Attributes::All(&self.attributes));
        }
        // The text was serialised here, as an object.
        let mut some: BTreeMap<&str, &RawValue> = serde_json::from_str(self.attributes.get()).ok()?;
        some.retain(|name, _| fields.shows(kind, name));
        (!some.is_empty()).then_some(Attributes::Selected(some))
    }
}

/// A resource object with its selected fields, ready to be serialised.
#[derive(Serialize)]
pub(super) struct RenderedResource<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(serialize_with = "as_text")]
    id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    attributes: Option<Attributes<'a>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    relationships: BTreeMap<&'static str, RenderedRelationship<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<Links>,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<&'a Value>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Attributes<'a> {
    All(&'a RawValue),
    Selected(BTreeMap<&'a str, &'a RawValue>),
}

#[derive(Serialize)]
struct RenderedRelationship<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<RelationshipLinks>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a Linkage>,
}

#[derive(Serialize)]
struct Links {
    #[serde(rename = "self", serialize_with = "as_text")]
    self_link: ResourcePath,
}

struct RelationshipLinks {
    path: ResourcePath,
    name: &'static str,
}

impl Serialize for RelationshipLinks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { path: place, name } = self;
        let mut links = serializer.serialize_map(Some(2))?;
        links.serialize_entry("self", &format_args!("{place}/relationships/{name}"))?;
        links.serialize_entry("related", &format_args!("{place}/{name}"))?;
        links.end()
    }
}

/// The path of a resource.
struct ResourcePath {
    collection: &'static str,
    /// `None` for a singleton.
    id: Option<i64>,
}

impl Display for ResourcePath {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.collection)?;
        self.id.map_or(Ok(()), |id| write!(formatter, "/{id}"))
    }
}

fn as_text<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}
