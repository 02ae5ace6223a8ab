//! OpenAPI parameters of JSON:API documents, derived from resource definitions.

use serde_json::json;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn, ParameterStyle};
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{RefOr, Required};
use utoipa::{IntoParams, PartialSchema};

use super::query::{AFTER_VERSION, CollectionParams, LinkageParams, ResourceParams, shown_types};
use super::references::array;
use super::resource::{Collection, Resource};

impl<R: Resource> IntoParams for ResourceParams<R> {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        fields_and_include::<R>(&[])
    }
}

/// Returns the parameters `fields` and `include` of a document that leaves out these attributes of the resource.
fn fields_and_include<R: Resource>(left_out: &'static [&'static str]) -> Vec<Parameter> {
    let fields = shown_types::<R>(left_out).map(|(shape, left_out)| {
        let names = shape.attributes.iter().copied().filter(|name| !left_out.contains(name));
        let names: Vec<_> = names.chain(shape.relationships.iter().map(|one| one.name)).collect();
        let (kind, names) = (shape.kind, names.join(", "));
        let text = format!("Fields of {kind} to return, separated by commas; none if empty: {names}.");
        may_be_empty(described_parameter(&format!("fields[{kind}]"), &text, string_list())).build()
    });
    let mut params: Vec<Parameter> = fields.collect();
    if !R::INCLUDES.is_empty() {
        let text = format!("Related resources to include, separated by commas: {}.", R::INCLUDES.join(", "));
        let example = json!(R::INCLUDES.join(","));
        let include = described_parameter("include", &text, string_list()).example(Some(example));
        params.push(may_be_empty(include).build());
    }
    params
}

impl<R: Collection> IntoParams for CollectionParams<R> {
    fn into_params(provider: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let filters = R::FILTERS.iter().map(|one| parameter(one.name, one.description, (one.schema)()));
        let mut params: Vec<Parameter> = filters.chain(R::shared_filters()).collect();
        if R::HAS_VERSIONS {
            let version = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0));
            let text = "Incremental sync: every resource that changed after this version of the registry, in the order of the changes \
                        and including archived ones; 0 starts from the beginning. No other filter and no `sort` may be given with it. \
                        Pass the `registry_version` of the answer's `meta` next time. Start again from 0 when your projects change.";
            params.push(parameter(AFTER_VERSION, text, RefOr::T(version.into())));
        }
        let sorts = web::enum_schemas::sort_orders(R::SORTS.iter().map(|(name, _)| *name));
        params.push(parameter(
            "sort",
            "Sort order: one key or several, separated by commas. A leading minus sorts in descending order.",
            array(sorts),
        ));
        params.extend(LinkageParams::into_params(&provider));
        params.push(parameter(
            "page[total]",
            "Whether to count all resources that match the filters, as `total` in `meta`.",
            bool::schema(),
        ));
        params.extend(fields_and_include::<R>(R::NOT_LISTED));
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

/// Allows a parameter to be sent with an empty list. utoipa has no field for it.
fn may_be_empty(parameter: ParameterBuilder) -> ParameterBuilder {
    parameter.extensions(Some(Extensions::from_iter([("allowEmptyValue", true)])))
}

fn parameter(name: &str, description: &str, schema: RefOr<Schema>) -> Parameter {
    described_parameter(name, description, schema).build()
}

fn described_parameter(name: &str, description: &str, schema: RefOr<Schema>) -> ParameterBuilder {
    let parameter = ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some(description));
    match &schema {
        // Several values are separated by commas.
        RefOr::T(Schema::Array(_)) => {
            parameter.style(Some(ParameterStyle::Form)).explode(Some(false)).schema(Some(schema))
        }
        _ => parameter.schema(Some(schema)),
    }
}
