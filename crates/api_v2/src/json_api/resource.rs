//! The traits and definitions by which a resource is declared.

use app::Error;
use domain::SortKey;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};
use web::Query;

/// Whether a relationship is to-one or to-many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// To-one, possibly empty.
    One,
    /// To-many.
    Many,
}

#[derive(Debug)]
pub struct Relationship {
    pub name: &'static str,
    /// Type of the related resources.
    pub kind: &'static str,
    pub arity: Arity,
    /// Field of the use case that it is written as, if it can be written together with its resource.
    pub field: Option<&'static str>,
}

/// Types that appear in documents as identifiers only: no path serves them, so relationships to them have no links.
const IDENTIFIER_ONLY_TYPES: &[&str] = &["users"];

impl Relationship {
    /// Tells whether the relationship has `self` and `related` links.
    pub fn has_links(&self) -> bool {
        !IDENTIFIER_ONLY_TYPES.contains(&self.kind)
    }
}

/// The type, path, attributes and relationships of a resource.
#[derive(Debug)]
pub struct ResourceDefinition {
    pub kind: &'static str,
    /// Path of its collection, if a resource is found below it by its id.
    pub path: Option<&'static str>,
    pub attributes: &'static [&'static str],
    pub relationships: &'static [Relationship],
}

impl ResourceDefinition {
    /// Tells whether the resource has an attribute or relationship of this name.
    pub fn has_field(&self, name: &str) -> bool {
        self.attributes.contains(&name) || self.relationship(name).is_some()
    }

    pub fn relationship(&self, name: &str) -> Option<&'static Relationship> {
        self.relationships.iter().find(|one| one.name == name)
    }
}

/// A JSON:API resource. The implementing type holds its attributes as a document shows them.
pub trait Resource: Serialize + ToSchema + 'static {
    /// Schema name of one resource in the OpenAPI document.
    const NAME: &'static str;
    const DEFINITION: &'static ResourceDefinition;
    /// Relationship paths that `include` accepts.
    const INCLUDES: &'static [&'static str];
    /// Definitions of the resources that these paths lead to.
    const INCLUDED_TYPES: &'static [&'static ResourceDefinition];

    /// Schema of the `meta` member, if the resource has one.
    const META: Option<fn() -> RefOr<Schema>> = None;

    /// Attributes that lists and included resources show.
    type Listed: Serialize + ToSchema;
}

/// A documented filter parameter of a list.
pub struct Filter {
    /// Parameter name, such as `filter[kind]`.
    pub name: &'static str,
    pub description: &'static str,
    pub schema: fn() -> RefOr<Schema>,
}

/// A resource that can be listed.
pub trait Collection: Resource {
    /// The parsed filters.
    type Filter: Send;
    const FILTERS: &'static [Filter];
    /// Sort keys; the first one is the default.
    const SORTS: &'static [(&'static str, SortKey)];

    fn filter(query: &mut Query) -> Result<Self::Filter, Error>;
}

/// A resource that clients can create or change.
pub trait Writable: Resource {
    /// Attributes of a create request.
    type New: ToSchema;
    /// Attributes of an update request.
    type Changed: ToSchema;
}
