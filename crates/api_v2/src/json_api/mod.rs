//! JSON:API 1.1, as far as a server needs it: what a resource is, how it is asked for, answered, sent and described.
//!
//! Each resource has one type that implements [`Resource`]: its attributes, relationships, filters, sorts and includes. The rest
//! follows from it: documents, parameters, faults with their places, the OpenAPI document.

mod included;
mod negotiation;
mod object;
mod pointers;
mod query;
mod request;
mod request_url;
mod resource;
mod response;
mod schema;

pub use included::{Included, MAX_INCLUDED, too_many_included};
pub use negotiation::{Negotiated, vary_by_accept};
pub use object::{Identifier, Linkage, ResourceObject};
pub use pointers::{with_cursor_parameter, with_linkage_pointers, with_pointers};
pub use query::{CollectionParams, Include, LinkageParams, ResourceParams};
pub use request::{Payload, Target};
pub use request_url::DocumentQuery;
pub use resource::{Arity, Collection, Filter, Relationship, Resource, ResourceDefinition, Writable};
pub use response::{
    created_to_store, linkage_page_response, linkage_response, meta_only, no_content, page_response,
    related_response, render_stored, resource_response, updated_response,
};
pub use schema::{
    ChangeOf, DocumentOf, LinkTo, LinkToRequest, LinksTo, LinksToRequest, ListOf, NewOf, RelatedOf,
};
