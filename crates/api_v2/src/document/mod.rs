//! JSON:API 1.1, as far as a server needs it: what a resource is, how it is asked for, answered, sent and described.
//!
//! Each resource has one type that implements [`Resource`]: its attributes, relationships, filters, sorts and includes. The rest
//! follows from it: documents, parameters, faults with their places, the OpenAPI document.

mod address;
mod answer;
mod included;
mod negotiation;
mod object;
mod pointers;
mod query;
mod resource;
mod schema;
mod sent;

pub use address::Wanted;
pub use answer::{changed, done, linkage, linkages, made, one, page, related, reply, told};
pub use included::{Included, MOST_INCLUDED, too_many};
pub use negotiation::{Negotiated, vary};
pub use object::{Identifier, Linkage, Object};
pub use pointers::{about_cursor, about_linkage, pointed};
pub use query::{Include, Linking, Listing, Reading};
pub use resource::{Arity, Collection, Filter, Relationship, Resource, Shape, Writable};
pub use schema::{ChangeOf, DocumentOf, LinkTo, LinksTo, ListOf, NewOf, RelatedOf, SentLinkTo, SentLinksTo};
pub use sent::{Payload, Target};
