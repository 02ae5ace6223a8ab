//! Attribute and derive macros of the workspace.

mod boxed;
mod from_row;

use proc_macro::TokenStream;

/// Boxes the futures of all `pub async fn` of an `impl` block.
///
/// The body of an `async fn` is compiled again in every crate that awaits it. A boxed one is compiled once, in its own crate, for one
/// allocation a call. Private functions stay as they are: they are compiled as part of those that call them.
#[proc_macro_attribute]
pub fn boxed(_arguments: TokenStream, item: TokenStream) -> TokenStream {
    let block = syn::parse_macro_input!(item as syn::ItemImpl);
    boxed::expand(block).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Implements `FromRow` of `store` for a struct. For `store` alone: the code refers to `crate::engine::row`.
///
/// A field is read from the column of its name. Type parameters stand for the types of columns. Attributes of a field:
/// - `#[row(column = "brand_id")]`: read it from the column of that name.
/// - `#[row(parse = DateFormat::parse_for_brand)]`: parse the column's text by that function instead of `FromColumn`.
/// - `#[row(columns("user_id", "user_name"))]`: read it from several columns, by `FromColumns`.
/// - `#[row(flatten)]`: read it from the same row, by `FromRow`.
#[proc_macro_derive(FromRow, attributes(row))]
pub fn from_row(item: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(item as syn::DeriveInput);
    from_row::expand(input).unwrap_or_else(syn::Error::into_compile_error).into()
}
