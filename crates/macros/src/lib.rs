//! Attribute macros of the workspace.

mod boxed;

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
