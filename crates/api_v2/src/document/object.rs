//! Resource objects and what they are linked to.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::query::Fieldsets;
use super::resource::{Relationship, Resource, Shape};

/// A resource, by its type and id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identifier {
    kind: &'static str,
    id: i64,
}

/// What a relationship leads to.
#[derive(Clone, Debug)]
pub enum Linkage {
    /// One, or none.
    One(Option<Identifier>),
    /// Any number.
    Many(Vec<Identifier>),
}

/// A resource as a document shows it.
#[derive(Debug)]
pub struct Object {
    shape: &'static Shape,
    id: i64,
    attributes: Map<String, Value>,
    linkages: Vec<(&'static str, Linkage)>,
    standing: Standing,
    meta: Option<Value>,
}

/// Whether there are others of its type beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// There are, and its path ends in its id.
    Among,
    /// There are none for whoever asks, and its path is its collection's.
    Alone,
}

impl Identifier {
    /// The one of that type and id.
    pub fn new(kind: &'static str, id: i64) -> Self {
        Self { kind, id }
    }

    pub(super) fn render(&self) -> Value {
        json!({ "type": self.kind, "id": self.id.to_string() })
    }
}

impl Linkage {
    pub(super) fn render(&self) -> Value {
        match self {
            Self::One(one) => one.as_ref().map_or(Value::Null, Identifier::render),
            Self::Many(many) => many.iter().map(Identifier::render).collect(),
        }
    }
}

impl Object {
    /// A whole one.
    pub fn whole<R: Resource>(id: i64, attributes: &R) -> Self {
        Self::new(R::SHAPE, id, attributes)
    }

    /// One as lists show it.
    pub fn listed<R: Resource>(id: i64, attributes: &R::Listed) -> Self {
        Self::new(R::SHAPE, id, attributes)
    }

    fn new(shape: &'static Shape, id: i64, attributes: &impl Serialize) -> Self {
        // Our own types, all of them structs: they become objects.
        let attributes = match serde_json::to_value(attributes) {
            Ok(Value::Object(attributes)) => attributes,
            _ => Map::new(),
        };
        Self { shape, id, attributes, linkages: Vec::new(), standing: Standing::Among, meta: None }
    }

    /// The only one of its type that whoever asks has: it is found without its id.
    #[must_use]
    pub fn alone(mut self) -> Self {
        self.standing = Standing::Alone;
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
        Identifier::new(self.shape.kind, self.id)
    }

    /// Where it is found.
    pub fn path(&self) -> Option<String> {
        self.shape.path.map(|path| match self.standing {
            Standing::Among => format!("{path}/{}", self.id),
            Standing::Alone => path.to_owned(),
        })
    }

    pub(super) fn render(&self, fields: &Fieldsets) -> Value {
        let kind = self.shape.kind;
        let mut object = self.identifier().render();
        let shown = self.attributes.iter().filter(|(name, _)| fields.shows(kind, name));
        let attributes: Map<String, Value> =
            shown.map(|(name, value)| (name.clone(), value.clone())).collect();
        if !attributes.is_empty() {
            object["attributes"] = attributes.into();
        }
        let shown = self.shape.relationships.iter().filter(|one| fields.shows(kind, one.name));
        let relationships: Map<String, Value> =
            shown.filter_map(|one| Some((one.name.to_owned(), self.relationship(one)?))).collect();
        if !relationships.is_empty() {
            object["relationships"] = relationships.into();
        }
        if let Some(path) = self.path() {
            object["links"] = json!({ "self": path });
        }
        if let Some(meta) = &self.meta {
            object["meta"] = meta.clone();
        }
        object
    }

    fn relationship(&self, relationship: &Relationship) -> Option<Value> {
        let name = relationship.name;
        let mut rendered = Map::new();
        if let Some(path) = self.path().filter(|_| relationship.has_links()) {
            let links = json!({ "self": format!("{path}/relationships/{name}"), "related": format!("{path}/{name}") });
            rendered.insert("links".to_owned(), links);
        }
        if let Some((_, linkage)) = self.linkages.iter().find(|(known, _)| *known == name) {
            rendered.insert("data".to_owned(), linkage.render());
        }
        (!rendered.is_empty()).then_some(Value::Object(rendered))
    }
}
