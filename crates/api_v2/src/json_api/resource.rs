//! The traits and definitions by which a resource is declared.

use app::Error;
use domain::{ActorKind, Direction, SortKey, Sorting};
use serde::Serialize;
#[cfg(feature = "openapi")]
use utoipa::openapi::path::Parameter;
#[cfg(feature = "openapi")]
use utoipa::openapi::{RefOr, Schema};
use web::{PartialSchema, Query, ToSchema};

use super::list_meta::ListMeta;
use super::named_schema::NamedSchema;
#[cfg(feature = "openapi")]
use super::references::array;

/// Whether a relationship is to-one or to-many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// To-one, possibly empty.
    One,
    /// To-many.
    Many,
}

/// The types of those who make something.
const USERS: &str = "users";
const SERVICE_ACCOUNTS: &str = "service_accounts";

#[derive(Debug)]
pub struct Relationship {
    pub name: &'static str,
    /// Type of the related resources.
    pub kind: &'static str,
    /// Another type that they may have.
    pub other_kind: Option<&'static str>,
    /// Schema name of one of them, the `NAME` of its `Resource` if it has one.
    pub related: &'static str,
    pub arity: Arity,
    /// Field of the use case that it is written as, if it can be written together with its resource.
    pub field: Option<&'static str>,
    /// Whether it follows from other records, so that the document of a change may contain it and cannot change it.
    pub is_derived: bool,
    /// Whether it has the links `self` and `related`, because paths of its own serve them.
    pub has_links: bool,
}

impl Relationship {
    /// A relationship to whoever made the resource: a user or a service account. They have no paths in V2.
    pub const fn to_account(name: &'static str) -> Self {
        Self {
            name,
            kind: USERS,
            other_kind: Some(SERVICE_ACCOUNTS),
            related: "Account",
            arity: Arity::One,
            field: None,
            is_derived: true,
            has_links: false,
        }
    }

    /// A derived to-one relationship without links. Documents always show its linkage, and `include` its resource.
    pub const fn to_one(name: &'static str, kind: &'static str, related: &'static str) -> Self {
        Self {
            name,
            kind,
            other_kind: None,
            related,
            arity: Arity::One,
            field: None,
            is_derived: true,
            has_links: false,
        }
    }

    /// Returns the type of an account.
    pub const fn type_of_account(kind: ActorKind) -> &'static str {
        match kind {
            ActorKind::ServiceAccount => SERVICE_ACCOUNTS,
            _ => USERS,
        }
    }

    /// Makes the relationship writable together with its resource, as this field of the use case.
    #[must_use]
    pub const fn written_as(mut self, field: &'static str) -> Self {
        self.field = Some(field);
        self.is_derived = false;
        self
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
    /// Returns whether the resource has an attribute or relationship of this name.
    pub fn has_field(&self, name: &str) -> bool {
        self.attributes.contains(&name) || self.relationship(name).is_some()
    }

    pub fn relationship(&self, name: &str) -> Option<&'static Relationship> {
        self.relationships.iter().find(|one| one.name == name)
    }
}

/// A JSON:API resource. The implementing type holds its attributes as a document shows them.
pub trait Resource: Serialize + ToSchema + Sized + 'static {
    /// Name of one resource, from which the names of all its schemas in the OpenAPI document are made.
    const NAME: &'static str;
    const DEFINITION: &'static ResourceDefinition;
    /// Relationship paths that `include` accepts.
    const INCLUDES: &'static [&'static str];
    /// The resources that these paths lead to.
    const INCLUDED_TYPES: &'static [IncludedType];

    /// Schema of the `meta` member, if the resource has one.
    const META: Option<NamedSchema> = None;

    /// Schema of an entry of a list, if it can be something else than a resource.
    const LIST_ENTRY: Option<NamedSchema> = None;
    /// Schema of the `meta` member of a list.
    const LIST_META: NamedSchema = NamedSchema::of::<ListMeta>();

    /// Attributes that lists and included resources show.
    type Listed: Serialize + ToSchema;
    /// The names of the other attributes, which only the response for one resource shows.
    const NOT_LISTED: &'static [&'static str] = &[];
}

/// A resource that a document can include.
pub struct IncludedType {
    pub definition: &'static ResourceDefinition,
    /// Names of the attributes that it is included without.
    pub not_listed: &'static [&'static str],
    /// Schema of the resource, with the attributes that lists show.
    #[cfg(feature = "openapi")]
    pub schema: NamedSchema,
}

/// The schema of a parameter, in a build that has schemas.
#[cfg(feature = "openapi")]
pub type ParameterSchema = RefOr<Schema>;
#[cfg(not(feature = "openapi"))]
pub type ParameterSchema = ();

/// A documented filter parameter of a list.
pub struct Filter {
    /// Parameter name, such as `filter[kind]`.
    pub name: &'static str,
    pub description: &'static str,
    pub schema: fn() -> ParameterSchema,
}

impl Filter {
    /// The filter by ids, which every list has.
    pub const BY_ID: Self = Self {
        name: "filter[id]",
        description: "Returns resources with these ids only, separated by commas; at most 100.",
        schema: several::<String>,
    };
}

/// Returns the schema of a parameter with several values, separated by commas.
#[cfg(feature = "openapi")]
pub fn several<T: PartialSchema>() -> ParameterSchema {
    array(T::schema())
}
#[cfg(not(feature = "openapi"))]
pub fn several<T: PartialSchema>() -> ParameterSchema {}

/// A resource that can be listed.
pub trait Collection: Resource {
    /// The parsed filters.
    type Filter: Send;
    const FILTERS: &'static [Filter];
    /// Sort keys.
    const SORTS: &'static [(&'static str, SortKey)];
    /// The order without `sort`.
    const DEFAULT_SORTING: Sorting = Sorting::by(SortKey::Name, Direction::Ascending);
    /// Whether the changes after a version of the registry can be requested, as `filter[after_version]`.
    const HAS_VERSIONS: bool = false;

    /// Returns the parameters of filters that are declared elsewhere.
    #[cfg(feature = "openapi")]
    fn shared_filters() -> Vec<Parameter> {
        Vec::new()
    }

    fn filter(query: &mut Query) -> Result<Self::Filter, Error>;
}

/// A resource that clients can create or change.
pub trait Writable: Resource {
    /// Attributes of a create request.
    type New: ToSchema;
    /// Attributes of an update request.
    type Changed: ToSchema;
}
