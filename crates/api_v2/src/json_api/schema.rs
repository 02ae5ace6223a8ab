//! OpenAPI schemas of JSON:API documents. In a build without documents only their names are left, by which handlers refer to them.

#[cfg(feature = "openapi")]
use super::document_schemas::{
    add_document_parts, add_list_parts, document, list_document, request_document, resource_document,
};
use super::named_schema::{NamedSchema, named_schemas};
#[cfg(feature = "openapi")]
use super::parts::{
    ChangedResourceOf, IdentifierOf, LinkageListLinks, ListLinks, ListedOf, NewResourceOf, RelationshipLinks,
    ResourceOf, SelfLink,
};
#[cfg(feature = "openapi")]
use super::references::{add, array, or_null, reference};
use super::resource::{IncludedType, Resource, Writable};
use crate::openapi_document::JsonApi;

named_schemas! {
    /// Schema of a document with one resource.
    DocumentOf<Resource> = "{}Document",
        resource_document::<R, SelfLink>(reference::<ResourceOf<R>>()),
        [add::<ResourceOf<R>>, add_document_parts::<R, SelfLink>];
    /// Schema of a document with the related resource of a to-one relationship, or null.
    RelatedOf<Resource> = "Related{}Document",
        resource_document::<R, SelfLink>(or_null(reference::<ResourceOf<R>>())),
        [add::<ResourceOf<R>>, add_document_parts::<R, SelfLink>];
    /// Schema of a document with a page of resources.
    ListOf<Resource> = "{}ListDocument",
        list_document::<R>(),
        [add_list_parts::<R>, add_document_parts::<R, ListLinks>];
    /// Schema of a request document that creates a resource.
    NewOf<Writable> = "New{}Document",
        request_document(reference::<NewResourceOf<R>>()), [add::<NewResourceOf<R>>];
    /// Schema of a request document that changes a resource.
    ChangeOf<Writable> = "Changed{}Document",
        request_document(reference::<ChangedResourceOf<R>>()), [add::<ChangedResourceOf<R>>];
    /// Schema of a document with the linkage of a to-one relationship.
    LinkTo<Resource> = "{}LinkDocument",
        document::<RelationshipLinks>(or_null(reference::<IdentifierOf<R>>())).into(),
        [add::<IdentifierOf<R>>, add::<RelationshipLinks>, add::<JsonApi>];
    /// Schema of a document with a page of the linkage of a to-many relationship.
    LinksTo<Resource> = "{}LinksDocument",
        document::<LinkageListLinks>(array(reference::<IdentifierOf<R>>())).into(),
        [add::<IdentifierOf<R>>, add::<LinkageListLinks>, add::<JsonApi>];
    /// Schema of a request document that replaces the linkage of a to-one relationship.
    LinkToRequest<Resource> = "Sent{}LinkDocument",
        request_document(or_null(reference::<IdentifierOf<R>>())), [add::<IdentifierOf<R>>];
    /// Schema of a request document that names members of a to-many relationship.
    LinksToRequest<Resource> = "Sent{}LinksDocument",
        request_document(array(reference::<IdentifierOf<R>>())), [add::<IdentifierOf<R>>];
}

impl IncludedType {
    pub const fn of<R: Resource>() -> Self {
        Self {
            definition: R::DEFINITION,
            not_listed: R::NOT_LISTED,
            #[cfg(feature = "openapi")]
            schema: NamedSchema::of::<ListedOf<R>>(),
        }
    }
}
