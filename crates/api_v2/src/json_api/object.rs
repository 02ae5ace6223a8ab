//! Resource objects and what they are linked to.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::query::Fieldsets;
use super::resource::{Resource, ResourceDefinition};

/// A resource, by its type and id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Identifier {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(serialize_with = "as_text")]
    id: i64,
}

/// What a relationship leads to.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Linkage {
    /// One, or none.
    One(Option<Identifier>),
    /// Any number.
    Many(Vec<Identifier>),
}

/// A resource as a document shows it.
#[derive(Debug)]
pub struct ResourceObject {
    definition: &'static ResourceDefinition,
    id: i64,
    /// Written already, for most documents show all of them; taken apart for those that do not.
    attributes: Box<RawValue>,
    linkages: Vec<(&'static str, Linkage)>,
    placement: Placement,
    meta: Option<Value>,
}

/// Whether there are others of its type beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placement {
    /// There are, and its path ends in its id.
    InCollection,
    /// There are none for whoever asks, and its path is its collection's.
    Singleton,
}

impl Identifier {
    /// The one of that type and id.
    pub fn new(kind: &'static str, id: i64) -> Self {
        Self { kind, id }
    }
}

impl ResourceObject {
    /// A whole one.
    pub fn with_all_attributes<R: Resource>(id: i64, attributes: &R) -> Self {
        Self::new(R::DEFINITION, id, attributes)
    }

    /// One as lists show it.
    pub fn with_list_attributes<R: Resource>(id: i64, attributes: &R::Listed) -> Self {
        Self::new(R::DEFINITION, id, attributes)
    }

    fn new(shape: &'static ResourceDefinition, id: i64, attributes: &impl Serialize) -> Self {
        // Our own types always serialise, all of them structs: they become objects.
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

    /// The only one of its type that whoever asks has: it is found without its id.
    #[must_use]
    pub fn as_singleton(mut self) -> Self {
        self.placement = Placement::Singleton;
        self
    }

    /// Adds what is to be known about it beside its fields.
    #[must_use]
    pub fn with_meta(mut self, meta: Value) -> Self {
        self.meta = Some(meta);
        self
    }

    /// Says what a relationship leads to.
    pub fn link(&mut self, relationship: &'static str, linkage: Linkage) {
        self.linkages.push((relationship, linkage));
    }

    /// What others name it by.
    pub fn identifier(&self) -> Identifier {
        Identifier::new(self.definition.kind, self.id)
    }

    /// Where it is found.
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
        // Our own text; it was written as an object.
        let mut some: BTreeMap<&str, &RawValue> = serde_json::from_str(self.attributes.get()).ok()?;
        some.retain(|name, _| fields.shows(kind, name));
        (!some.is_empty()).then_some(Attributes::Selected(some))
    }
}

/// A resource with those of its fields that are shown, ready to be written.
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

/// Where a resource is found.
struct ResourcePath {
    collection: &'static str,
    /// None where it is the only one.
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
