//! OpenAPI schemas and parameters of JSON:API documents, derived from resource definitions.

use std::borrow::Cow;
use std::marker::PhantomData;

use serde_json::json;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{
    AdditionalProperties, ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, SchemaType, Type,
};
use utoipa::openapi::{Ref, RefOr, Required};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use super::query::{CollectionParams, LinkageParams, ResourceParams};
use super::resource::{Arity, Collection, Relationship, Resource, ResourceDefinition, Writable};

/// Schema of a document with one resource.
pub struct DocumentOf<R>(PhantomData<R>);
/// Schema of a document with the related resource of a to-one relationship, or null.
pub struct RelatedOf<R>(PhantomData<R>);
/// Schema of a document with a page of resources.
pub struct ListOf<R>(PhantomData<R>);
/// Schema of a request document that creates a resource.
pub struct NewOf<R>(PhantomData<R>);
/// Schema of a request document that changes a resource.
pub struct ChangeOf<R>(PhantomData<R>);
/// Schema of a document with the linkage of a to-one relationship.
pub struct LinkTo<R>(PhantomData<R>);
/// Schema of a document with a page of the linkage of a to-many relationship.
pub struct LinksTo<R>(PhantomData<R>);
/// Schema of a request document that replaces the linkage of a to-one relationship.
pub struct LinkToRequest<R>(PhantomData<R>);
/// Schema of a request document that names members of a to-many relationship.
pub struct LinksToRequest<R>(PhantomData<R>);

macro_rules! named {
    ($($document:ident<$bound:ident> = $name:literal, $schema:expr, [$($attributes:ty),*];)+) => {$(
        impl<R: $bound> PartialSchema for $document<R> {
            fn schema() -> RefOr<Schema> {
                $schema
            }
        }

        impl<R: $bound> ToSchema for $document<R> {
            fn name() -> Cow<'static, str> {
                format!($name, R::NAME).into()
            }

            fn schemas(_schemas: &mut Vec<(String, RefOr<Schema>)>) {
                $(
                    _schemas.push((<$attributes>::name().into_owned(), <$attributes>::schema()));
                    <$attributes>::schemas(_schemas);
                )*
            }
        }
    )+};
}

named! {
    DocumentOf<Resource> = "{}Document", document_schema(resource::<R>(&R::name()), TopLevelLinks::One), [R];
    RelatedOf<Resource> = "Related{}Document", document_schema(or_null(resource::<R>(&R::name())), TopLevelLinks::One), [R];
    ListOf<Resource> = "{}ListDocument", document_schema(array(resource::<R>(&R::Listed::name())), TopLevelLinks::Page), [R::Listed];
    NewOf<Writable> = "New{}Document", request_document(new::<R>()), [R::New];
    ChangeOf<Writable> = "Changed{}Document", request_document(changed::<R>()), [R::Changed];
    LinkTo<Resource> = "{}LinkDocument", document_schema(or_null(identifier(R::DEFINITION.kind)), TopLevelLinks::Linkage), [];
    LinksTo<Resource> = "{}LinksDocument", document_schema(array(identifier(R::DEFINITION.kind)), TopLevelLinks::Linkages), [];
    LinkToRequest<Resource> = "Sent{}LinkDocument", request_document(or_null(identifier(R::DEFINITION.kind))), [];
    LinksToRequest<Resource> = "Sent{}LinksDocument", request_document(array(identifier(R::DEFINITION.kind))), [];
}

/// The kinds of documents, by the links at their top level.
#[derive(Clone, Copy)]
enum TopLevelLinks {
    One,
    Page,
    Linkage,
    Linkages,
}

impl TopLevelLinks {
    fn schema(self) -> ObjectBuilder {
        let links = ObjectBuilder::new().property("self", link("Link to this document.")).required("self");
        let links = match self {
            Self::Linkage | Self::Linkages => {
                links.property("related", link("Link to the related resources."))
            }
            Self::One | Self::Page => links,
        };
        match self {
            Self::Page | Self::Linkages => links
                .property("first", link("Link to the first page."))
                .property("prev", nullable("Link to the previous page; null on the first page."))
                .property("next", nullable("Link to the next page; null on the last page.")),
            Self::One | Self::Linkage => links,
        }
    }
}

fn document_schema(data: RefOr<Schema>, links: TopLevelLinks) -> RefOr<Schema> {
    let version = ObjectBuilder::new().property("version", constant("1.1")).required("version");
    let has_objects = matches!(links, TopLevelLinks::One | TopLevelLinks::Page);
    let mut document = ObjectBuilder::new()
        .property("jsonapi", version)
        .property("links", links.schema())
        .property("data", data)
        .required("jsonapi")
        .required("links")
        .required("data");
    if has_objects {
        let any = ObjectBuilder::new().additional_properties(Some(AdditionalProperties::FreeForm(true)));
        let included = ArrayBuilder::new()
            .items(any)
            .description(Some("Related resources, each once. Present only if the request has `include`."));
        document = document.property("included", included);
    }
    RefOr::T(document.into())
}

fn request_document(data: RefOr<Schema>) -> RefOr<Schema> {
    RefOr::T(ObjectBuilder::new().property("data", data).required("data").into())
}

fn resource<R: Resource>(attributes: &str) -> RefOr<Schema> {
    let shape = R::DEFINITION;
    let mut object = identifier_members(shape.kind).property("attributes", Ref::from_schema_name(attributes));
    let relationships = shape
        .relationships
        .iter()
        .fold(ObjectBuilder::new(), |all, one| all.property(one.name, relationship(shape, one)));
    object = object.property("relationships", relationships);
    if shape.path.is_some() {
        let links = ObjectBuilder::new().property("self", link("Link to the resource.")).required("self");
        object = object.property("links", links);
    }
    if let Some(meta) = R::META {
        object = object.property("meta", meta());
    }
    RefOr::T(object.into())
}

fn relationship(shape: &ResourceDefinition, one: &Relationship) -> RefOr<Schema> {
    let linked = |object: ObjectBuilder| {
        if shape.path.is_none() || !one.has_links() {
            return object;
        }
        let links = ObjectBuilder::new()
            .property("self", link("Link to the relationship."))
            .property("related", link("Link to the related resources."));
        object.property("links", links)
    };
    match one.arity {
        Arity::One => {
            let data = ObjectBuilder::new().property("data", or_null(identifier(one.kind)));
            RefOr::T(linked(data).into())
        }
        Arity::Many => {
            let data = ObjectBuilder::new().property("data", array(identifier(one.kind)));
            let choice = OneOfBuilder::new()
                .item(linked(ObjectBuilder::new()))
                .item(linked(data).required("data"))
                .description(Some("Has `data` if the relationship is included."));
            RefOr::T(choice.into())
        }
    }
}

fn new<R: Writable>() -> RefOr<Schema> {
    let object = ObjectBuilder::new()
        .property("type", constant(R::DEFINITION.kind))
        .required("type")
        .property("attributes", Ref::from_schema_name(R::New::name()))
        .required("attributes");
    written::<R>(object)
}

fn changed<R: Writable>() -> RefOr<Schema> {
    written::<R>(
        identifier_members(R::DEFINITION.kind)
            .property("attributes", Ref::from_schema_name(R::Changed::name())),
    )
}

fn written<R: Resource>(object: ObjectBuilder) -> RefOr<Schema> {
    let written: Vec<_> = R::DEFINITION.relationships.iter().filter(|one| one.field.is_some()).collect();
    if written.is_empty() {
        return RefOr::T(object.into());
    }
    let relationships = written.into_iter().fold(ObjectBuilder::new(), |all, one| {
        let data = or_null(identifier(one.kind));
        all.property(one.name, ObjectBuilder::new().property("data", data).required("data"))
    });
    RefOr::T(object.property("relationships", relationships).into())
}

fn identifier_members(kind: &str) -> ObjectBuilder {
    let id = ObjectBuilder::new().schema_type(Type::String).examples([json!("3")]);
    ObjectBuilder::new().property("type", constant(kind)).required("type").property("id", id).required("id")
}

fn identifier(kind: &str) -> RefOr<Schema> {
    RefOr::T(identifier_members(kind).into())
}

fn constant(word: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some([word]))
}

fn array(items: RefOr<Schema>) -> RefOr<Schema> {
    RefOr::T(ArrayBuilder::new().items(items).into())
}

fn or_null(schema: RefOr<Schema>) -> RefOr<Schema> {
    let null = ObjectBuilder::new().schema_type(Type::Null);
    RefOr::T(OneOfBuilder::new().item(schema).item(null).into())
}

fn link(description: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).description(Some(description))
}

fn nullable(description: &str) -> ObjectBuilder {
    link(description).schema_type(SchemaType::from_iter([Type::String, Type::Null]))
}

impl<R: Resource> IntoParams for ResourceParams<R> {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let shapes = std::iter::once(R::DEFINITION).chain(R::INCLUDED_TYPES.iter().copied());
        let mut params: Vec<Parameter> = shapes
            .map(|shape| {
                let names = shape.attributes.iter().copied();
                let names: Vec<_> = names.chain(shape.relationships.iter().map(|one| one.name)).collect();
                let text =
                    format!("Fields of {} to return, separated by commas: {}.", shape.kind, names.join(", "));
                parameter(&format!("fields[{}]", shape.kind), &text, string_list())
            })
            .collect();
        if !R::INCLUDES.is_empty() {
            let text =
                format!("Related resources to include, separated by commas: {}.", R::INCLUDES.join(", "));
            let example = json!(R::INCLUDES.join(","));
            params.push(described_parameter("include", &text, string_list()).example(Some(example)).build());
        }
        params
    }
}

impl<R: Collection> IntoParams for CollectionParams<R> {
    fn into_params(provider: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let filters = R::FILTERS.iter().map(|one| parameter(one.name, one.description, (one.schema)()));
        let mut params: Vec<Parameter> = filters.collect();
        let names = R::SORTS.iter().flat_map(|(name, _)| [(*name).to_owned(), format!("-{name}")]);
        let sorts = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names));
        params.push(parameter(
            "sort",
            "Sort order. A leading minus sorts in descending order.",
            RefOr::T(sorts.into()),
        ));
        params.extend(LinkageParams::into_params(&provider));
        params.extend(ResourceParams::<R>::into_params(&provider));
        params
    }
}

impl IntoParams for LinkageParams {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let size = ObjectBuilder::new()
            .schema_type(Type::Integer)
            .default(Some(json!(50)))
            .minimum(Some(1))
            .maximum(Some(500));
        vec![
            parameter("page[size]", "Maximum number of items on a page.", RefOr::T(size.into())),
            parameter(
                "page[after]",
                "Cursor of the following page, taken from the link `next`.",
                string_list(),
            ),
            parameter(
                "page[before]",
                "Cursor of the preceding page, taken from the link `prev`.",
                string_list(),
            ),
        ]
    }
}

fn string_list() -> RefOr<Schema> {
    RefOr::T(ObjectBuilder::new().schema_type(Type::String).into())
}

fn parameter(name: &str, description: &str, schema: RefOr<Schema>) -> Parameter {
    described_parameter(name, description, schema).build()
}

fn described_parameter(name: &str, description: &str, schema: RefOr<Schema>) -> ParameterBuilder {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some(description))
        .schema(Some(schema))
}
