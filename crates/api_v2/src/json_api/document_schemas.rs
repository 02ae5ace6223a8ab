//! OpenAPI schemas of JSON:API documents, derived from resource definitions.

use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema};

use super::named_schema::NamedSchema;
use super::parts::{ListLinks, ListedOf, add_included, included};
use super::references::{Schemas, add, array, reference};
use super::resource::Resource;
use crate::openapi_document::JsonApi;

/// Returns the schema of a document with the links `L`.
pub(super) fn document<L: ToSchema>(data: RefOr<Schema>) -> ObjectBuilder {
    ObjectBuilder::new()
        .property("jsonapi", reference::<JsonApi>())
        .property("links", reference::<L>())
        .property("data", data)
        .required("jsonapi")
        .required("links")
        .required("data")
}

pub(super) fn resource_document<R: Resource, L: ToSchema>(data: RefOr<Schema>) -> RefOr<Schema> {
    with_included::<R>(document::<L>(data)).into()
}

pub(super) fn list_document<R: Resource>() -> RefOr<Schema> {
    let document = document::<ListLinks>(array(list_entry::<R>().reference()));
    with_included::<R>(document).property("meta", R::LIST_META.reference()).into()
}

pub(super) fn add_list_parts<R: Resource>(schemas: &mut Schemas) {
    list_entry::<R>().add_to(schemas);
    R::LIST_META.add_to(schemas);
}

fn list_entry<R: Resource>() -> NamedSchema {
    R::LIST_ENTRY.unwrap_or(NamedSchema::of::<ListedOf<R>>())
}

fn with_included<R: Resource>(document: ObjectBuilder) -> ObjectBuilder {
    let included = ArrayBuilder::new()
        .items(included::<R>())
        .description(Some("Related resources, each once. Present only if the request has `include`."));
    document.property("included", included)
}

pub(super) fn add_document_parts<R: Resource, L: ToSchema>(schemas: &mut Schemas) {
    add::<JsonApi>(schemas);
    add::<L>(schemas);
    add_included::<R>(schemas);
}

pub(super) fn request_document(data: RefOr<Schema>) -> RefOr<Schema> {
    ObjectBuilder::new().property("data", data).required("data").into()
}
