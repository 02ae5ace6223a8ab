//! Attribute and derive macros of the workspace.

mod answer;
mod body;
mod boxed;
mod from_row;
mod operation;

use proc_macro::TokenStream;

/// Declares the body of a request: implements `web::FromFields` and `web::ToSchema` for a struct, so that a field is declared once.
///
/// The type of a field says whether it may be left out: `T` must be given; `Option<T>` may be left out or null; `Change<T>` may be left
/// out; `Change<Option<T>>` may be left out, and null removes the value. A value is read by `web::BodyField` of its type, or as an
/// attribute of the field says:
/// - `#[field(parse = Name::parse)]`: a text, by that parser.
/// - `#[field(range = 1..=365)]`: a whole number; the range is also shown in OpenAPI.
/// - `#[field(with = roles)]`: any value, by a function from `&Value`.
/// - `#[field(read = dimensions)]`: by a function that takes the `Fields` and the name, and says itself what may be left out.
/// - `#[field(into = worksite)]`: the field's name in the type of `into`.
///
/// Faults are reported in the order of the fields.
///
/// `#[schema(...)]` is passed on to utoipa, completed by the JSON type. A field with `#[schema(ignore)]` is read but
/// left out of OpenAPI. Arguments of the macro:
/// - `into = TagChange`: also implements `From` for that type, which has the same fields.
/// - `parts`: implements `read_parts` instead of `FromFields`, for bodies whose fields depend on each other. A type that is read from
///   the parts implements `FromFields` itself, and reports errors of several fields together with those of each.
/// - `of = Machine`: the body changes a record that is shown as this `Record`. Its other members can be sent back as they were read.
/// - `format = JsonOrForm`, `max_bytes = 64 * 1024`: the constants of `FromFields`.
#[proc_macro_attribute]
pub fn body(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let arguments = syn::parse_macro_input!(arguments as body::Arguments);
    let item = syn::parse_macro_input!(item as syn::ItemStruct);
    body::expand(&arguments, item).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Declares a part of a response: derives `serde::Serialize` and `web::ToSchema` for a struct, and requires in OpenAPI every member that
/// is always sent, even if it can be null. utoipa alone takes every `Option` for a member that can be missing.
///
/// A member with `#[serde(skip_serializing_if = ...)]` is not required, and what `#[schema(required = ...)]` says is left as it is. With
/// `#[answer(sparse)]` no member is required: for the attributes of a JSON:API resource, of which `fields[...]` selects some.
/// `#[answer(record)]` also implements `web::Record`, which knows the members by name: for what a PATCH changes, and for structs that are
/// flattened into it.
#[proc_macro_attribute]
pub fn answer(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let arguments = syn::parse_macro_input!(arguments as answer::Arguments);
    let item = syn::parse_macro_input!(item as syn::ItemStruct);
    answer::expand(&arguments, item).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Declares the route of a handler, as `web::routes!` registers it, and describes it for OpenAPI, as `utoipa::path` does. It adds what can
/// be seen in the handler. From the caller in its signature: the security scheme, the permission as `x-permission`, and the responses 401
/// and 403. From an idempotent body: the header `Idempotency-Key` and its 409. An operation without a caller says `security()`. What is
/// true of every operation is added to the whole document, by `web::complete_document`.
#[proc_macro_attribute]
pub fn operation(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = syn::parse_macro_input!(item as syn::ItemFn);
    operation::expand(arguments.into(), &item, true).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Declares the route of a handler only: `operation` in a build without OpenAPI documents.
#[proc_macro_attribute]
pub fn undocumented_operation(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = syn::parse_macro_input!(item as syn::ItemFn);
    operation::expand(arguments.into(), &item, false).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Takes the place of `utoipa::ToSchema` in a build without OpenAPI documents, and implements nothing.
#[proc_macro_derive(ToSchema, attributes(schema))]
pub fn to_schema(_item: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Takes the place of `utoipa::IntoParams` in a build without OpenAPI documents, and implements nothing.
#[proc_macro_derive(IntoParams, attributes(into_params, param))]
pub fn into_params(_item: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Boxes the futures of all `pub async fn` of an `impl` block.
///
/// The body of an `async fn` is compiled again in every crate that awaits it. A boxed one is compiled once, in its own crate, for one
/// allocation a call. Private functions stay as they are: they are compiled as part of those that call them.
#[proc_macro_attribute]
pub fn boxed(_arguments: TokenStream, item: TokenStream) -> TokenStream {
    let block = syn::parse_macro_input!(item as syn::ItemImpl);
    boxed::expand(block).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Implements `domain::row::FromRow` for a struct, for all rows whose columns can be read as its fields. For crates that know `domain`.
///
/// A field is read from the column of its name. Type parameters stand for the types of columns. Attributes of a field:
/// - `#[row(column = "brand_id")]`: read it from the column of that name.
/// - `#[row(parse = DateFormat::parse_for_brand)]`: parse the column's text by that function instead of `ReadColumn`.
/// - `#[row(columns("user_id", "user_name"))]`: read it from several columns, by `ReadColumns`.
/// - `#[row(flatten)]`: read it from the same row, by `FromRow`.
#[proc_macro_derive(FromRow, attributes(row))]
pub fn from_row(item: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(item as syn::DeriveInput);
    from_row::expand(input).unwrap_or_else(syn::Error::into_compile_error).into()
}
