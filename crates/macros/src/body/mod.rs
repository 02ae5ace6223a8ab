//! `#[body]`: request bodies whose fields are declared once, for the reader and for OpenAPI.

mod reading;
mod schema;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Expr, Fields, Ident, ItemStruct, Path, Result, Token, parse_quote};

use self::reading::FieldReading;
use self::schema::complete_schema;

/// The arguments of `#[body(...)]`.
#[derive(Default)]
pub struct Arguments {
    into: Option<Path>,
    parts: bool,
    format: Option<Ident>,
    max_bytes: Option<Expr>,
    of: Option<Path>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut arguments = Self::default();
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            match name.to_string().as_str() {
                "parts" => arguments.parts = true,
                "into" => {
                    input.parse::<Token![=]>()?;
                    arguments.into = Some(input.parse()?);
                }
                "format" => {
                    input.parse::<Token![=]>()?;
                    arguments.format = Some(input.parse()?);
                }
                "max_bytes" => {
                    input.parse::<Token![=]>()?;
                    arguments.max_bytes = Some(input.parse()?);
                }
                "of" => {
                    input.parse::<Token![=]>()?;
                    arguments.of = Some(input.parse()?);
                }
                _ => {
                    let message =
                        "unknown argument; `into`, `parts`, `of`, `format` and `max_bytes` are supported";
                    return Err(Error::new_spanned(name, message));
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(arguments)
    }
}

pub fn expand(arguments: &Arguments, mut item: ItemStruct) -> Result<TokenStream> {
    let Fields::Named(fields) = &mut item.fields else {
        return Err(Error::new_spanned(&item, "a body has named fields"));
    };
    if arguments.parts && arguments.into.is_some() {
        return Err(Error::new_spanned(&item.ident, "`parts` and `into` cannot be combined"));
    }
    let (mut readings, mut checks) = (Vec::new(), Vec::new());
    for field in &mut fields.named {
        let reading = FieldReading::take(field)?;
        checks.push(complete_schema(field, &reading)?.check(&reading));
        readings.push(reading);
    }

    let (name, visibility) = (&item.ident, &item.vis);
    let idents: Vec<&Ident> = readings.iter().map(|field| &field.ident).collect();
    // Named apart from the functions that read later fields.
    let values: Vec<Ident> = idents.iter().map(|ident| format_ident!("__{}", ident.unraw())).collect();
    let expressions: Vec<TokenStream> = readings.iter().map(FieldReading::expression).collect();
    let format = arguments
        .format
        .as_ref()
        .map(|format| quote!(const FORMAT: ::web::BodyFormat = ::web::BodyFormat::#format;));
    let max_bytes = arguments.max_bytes.as_ref().map(|max| quote!(const MAX_BYTES: usize = #max;));
    let shown = arguments.of.as_ref().map(|record| {
        quote! {
            fn is_shown_member(name: &str) -> bool {
                <#record as ::web::Record>::has_member(name)
            }
        }
    });

    let reading = if arguments.parts {
        if format.is_some() || max_bytes.is_some() || shown.is_some() {
            let message = "`of`, `format` and `max_bytes` belong to the type that is read from the parts";
            return Err(Error::new_spanned(name, message));
        }
        let parts = format_ident!("{name}Parts");
        let types = readings.iter().map(|field| &field.ty);
        let doc = format!("The fields of [`{name}`], each `None` if it was invalid.");
        item.attrs.push(parse_quote!(#[allow(dead_code, reason = "its parts are read; see `read_parts`")]));
        quote! {
            #[doc = #doc]
            #visibility struct #parts {
                #(pub #idents: ::std::option::Option<#types>,)*
            }

            impl #name {
                /// Reads every field.
                #visibility fn read_parts(fields: &mut ::web::Fields) -> #parts {
                    #(let #values = #expressions;)*
                    #parts { #(#idents: #values),* }
                }
            }
        }
    } else {
        quote! {
            impl ::web::FromFields for #name {
                #format
                #max_bytes

                fn read(fields: &mut ::web::Fields) -> ::std::option::Option<Self> {
                    #(let #values = #expressions;)*
                    ::std::option::Option::Some(Self { #(#idents: #values?),* })
                }

                #shown
            }
        }
    };
    let conversion = arguments.into.as_ref().map(|target| {
        let targets = readings.iter().map(|field| field.target.as_ref().unwrap_or(&field.ident));
        quote! {
            impl ::std::convert::From<#name> for #target {
                fn from(body: #name) -> Self {
                    Self { #(#targets: body.#idents),* }
                }
            }
        }
    });
    Ok(quote! {
        #[derive(::web::ToSchema)]
        #item

        #reading
        #conversion
        #(#checks)*
    })
}
