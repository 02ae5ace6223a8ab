//! A server for JSON:API 1.1: query parameters, request documents, response documents and their OpenAPI schemas.
//!
//! Each resource has one type that implements [`Resource`] and declares its attributes, relationships, filters, sorts and includes.
//! Documents, parameters, error pointers and schemas are derived from it.

#[cfg(feature = "openapi")]
mod document_schemas;
mod included;
mod list_meta;
mod named_schema;
mod negotiation;
mod object;
#[cfg(feature = "openapi")]
mod parameters;
#[cfg(feature = "openapi")]
mod parts;
mod pointers;
mod query;
#[cfg(feature = "openapi")]
mod references;
mod request;
mod request_url;
mod resource;
mod response;
mod schema;

pub use included::{Included, MAX_INCLUDED, too_many_included};
pub use named_schema::NamedSchema;
pub use negotiation::{Negotiated, PrefersJsonApi, vary_by_accept};
pub use object::{Identifier, Linkage, ResourceObject};
#[cfg(feature = "openapi")]
pub use parts::ListedOf;
pub use pointers::{with_cursor_parameter, with_linkage_pointers, with_pointers};
pub use query::{CollectionParams, Include, LinkageParams, ResourceParams, first_page};
pub use request::{Payload, StoredResource, Target};
pub use request_url::DocumentQuery;
pub use resource::{
    Arity, Collection, Filter, IncludedType, Relationship, Resource, ResourceDefinition, Writable, several,
};
pub use response::{
    created_to_store, linkage_page_response, linkage_response, listing_response, meta_only, page_response,
    related_response, render_stored, resource_response, updated_response,
};
pub use schema::{
    ChangeOf, DocumentOf, LinkTo, LinkToRequest, LinksTo, LinksToRequest, ListOf, NewOf, RelatedOf,
};
