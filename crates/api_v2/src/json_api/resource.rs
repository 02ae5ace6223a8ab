//! What a resource is.

use app::Error;
use serde::Serialize;
use store::SortKey;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};
use web::Query;

/// How many a relationship leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// One, or none.
    One,
    /// Any number.
    Many,
}

/// A relationship of a resource.
#[derive(Debug)]
pub struct Relationship {
    /// What it is called.
    pub name: &'static str,
    /// The type of what it leads to.
    pub kind: &'static str,
    /// How many it leads to.
    pub arity: Arity,
    /// The field of the use case that it is written as, if it can be written with its resource.
    pub field: Option<&'static str>,
}

/// The types that documents name but never show: there is no address at which a relationship to one could be asked for.
const IDENTIFIER_ONLY_TYPES: &[&str] = &["users"];

impl Relationship {
    /// Whether it has links of its own, beside what it leads to.
    pub fn has_links(&self) -> bool {
        !IDENTIFIER_ONLY_TYPES.contains(&self.kind)
    }
}

/// What documents show of a resource.
#[derive(Debug)]
pub struct ResourceDefinition {
    /// Its type.
    pub kind: &'static str,
    /// The path of its collection, if one is found there by its id.
    pub path: Option<&'static str>,
    /// Its attributes.
    pub attributes: &'static [&'static str],
    /// Its relationships.
    pub relationships: &'static [Relationship],
}

impl ResourceDefinition {
    /// Whether it has that attribute or relationship.
    pub fn has_field(&self, name: &str) -> bool {
        self.attributes.contains(&name) || self.relationship(name).is_some()
    }

    /// The relationship of that name.
    pub fn relationship(&self, name: &str) -> Option<&'static Relationship> {
        self.relationships.iter().find(|one| one.name == name)
    }
}

/// A resource. The type itself is its attributes, as a document shows them.
pub trait Resource: Serialize + ToSchema + 'static {
    /// What one is called in the OpenAPI document.
    const NAME: &'static str;
    /// What documents show of it.
    const DEFINITION: &'static ResourceDefinition;
    /// The paths of relationships that can be included.
    const INCLUDES: &'static [&'static str];
    /// What these lead to.
    const INCLUDED_TYPES: &'static [&'static ResourceDefinition];

    /// What stands beside its fields, if anything does.
    const META: Option<fn() -> RefOr<Schema>> = None;

    /// Its attributes as lists and included resources show them.
    type Listed: Serialize + ToSchema;
}

/// A filter of a list, as it is documented.
pub struct Filter {
    /// The parameter, such as `filter[kind]`.
    pub name: &'static str,
    /// What it does.
    pub description: &'static str,
    /// What it may be.
    pub schema: fn() -> RefOr<Schema>,
}

/// A resource that is listed.
pub trait Collection: Resource {
    /// What its filters come to.
    type Filter: Send;
    /// Its filters.
    const FILTERS: &'static [Filter];
    /// What it can be sorted by. The first is what it is sorted by unless something else is asked for.
    const SORTS: &'static [(&'static str, SortKey)];

    /// Reads the filters.
    fn filter(query: &mut Query) -> Result<Self::Filter, Error>;
}

/// A resource that clients write.
pub trait Writable: Resource {
    /// The attributes that a new one is made of.
    type New: ToSchema;
    /// The attributes that can be changed.
    type Changed: ToSchema;
}
