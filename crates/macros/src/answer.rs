//! `#[answer]`: parts of responses, whose members OpenAPI requires if they are always sent.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, Fields, FieldsNamed, Ident, ItemStruct, Meta, Result, Token, Type, parse_quote};

/// The arguments of `#[answer(...)]`.
#[derive(Default)]
pub struct Arguments {
    is_sparse: bool,
    is_record: bool,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut arguments = Self::default();
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            match name.to_string().as_str() {
                "sparse" => arguments.is_sparse = true,
                "record" => arguments.is_record = true,
                _ => {
                    let message = "unknown argument; `sparse` and `record` are supported";
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
        return Err(Error::new_spanned(&item, "an answer has named fields"));
    };
    for field in &mut fields.named {
        let says = |attribute, word| mentions(&field.attrs, attribute, word);
        // A flattened struct says itself which of its members are required.
        let settled = [("serde", "flatten"), ("serde", "skip"), ("schema", "ignore"), ("schema", "required")];
        if settled.into_iter().any(|(attribute, word)| says(attribute, word)) {
            continue;
        }
        let is_always_sent = !arguments.is_sparse && !says("serde", "skip_serializing_if");
        field.attrs.push(parse_quote!(#[schema(required = #is_always_sent)]));
    }
    let record = if arguments.is_record { Some(implement_record(&item.ident, fields)?) } else { None };
    Ok(quote! {
        #[derive(::serde::Serialize, ::web::ToSchema)]
        #item

        #record
    })
}

/// Implements `web::Record`: the names of the members, and those of flattened structs.
fn implement_record(name: &Ident, fields: &FieldsNamed) -> Result<TokenStream> {
    let mut members: Vec<String> = Vec::new();
    let mut flattened: Vec<&Type> = Vec::new();
    for field in &fields.named {
        let says = |word| mentions(&field.attrs, "serde", word);
        if says("rename") {
            return Err(Error::new_spanned(field, "a member of a record has the name of its field"));
        }
        if says("flatten") {
            flattened.push(&field.ty);
        } else if !says("skip") {
            members.extend(field.ident.as_ref().map(|ident| ident.unraw().to_string()));
        }
    }
    Ok(quote! {
        impl ::web::Record for #name {
            fn has_member(name: &str) -> bool {
                const MEMBERS: &[&str] = &[#(#members),*];
                MEMBERS.contains(&name) #(|| <#flattened as ::web::Record>::has_member(name))*
            }
        }
    })
}

/// Returns whether one of the attributes of this name has the word as an argument.
fn mentions(attributes: &[Attribute], name: &str, word: &str) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident(name)).any(|attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        list.tokens.clone().into_iter().any(|token| matches!(token, TokenTree::Ident(ident) if ident == word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(arguments: &Arguments, item: ItemStruct) -> String {
        expand(arguments, item).unwrap().to_string()
    }

    fn contains(code: &str, part: &TokenStream) -> bool {
        code.contains(&part.to_string())
    }

    #[test]
    fn what_is_always_sent_is_required() {
        let code = expanded(
            &Arguments::default(),
            parse_quote!(
                pub struct PageInfo {
                    limit: u16,
                    #[schema(example = "abc")]
                    next: Option<String>,
                    #[serde(skip_serializing_if = "Option::is_none")]
                    total: Option<i64>,
                }
            ),
        );
        for part in [
            quote!(#[derive(::serde::Serialize, ::web::ToSchema)] pub struct PageInfo),
            quote!(#[schema(required = true)] limit: u16),
            quote!(#[schema(example = "abc")] #[schema(required = true)] next: Option<String>),
            quote!(#[schema(required = false)] total: Option<i64>),
        ] {
            assert!(contains(&code, &part), "{part} is not in {code}");
        }
    }

    #[test]
    fn nothing_is_required_of_attributes_that_callers_select() {
        let code = expanded(
            &parse_quote!(sparse),
            parse_quote!(
                struct Project {
                    name: String,
                    code: Option<String>,
                }
            ),
        );
        assert!(contains(&code, &quote!(#[schema(required = false)] name: String)));
        assert!(contains(&code, &quote!(#[schema(required = false)] code: Option<String>)));
    }

    #[test]
    fn what_a_field_says_itself_stays() {
        let item: ItemStruct = parse_quote!(
            struct Worksite {
                #[serde(flatten)]
                listed: ListedWorksite,
                #[serde(skip)]
                version: i64,
                #[schema(ignore)]
                hidden: i64,
                #[schema(required = false, value_type = Option<Object>)]
                boundary: Value,
            }
        );
        let code = expanded(&Arguments::default(), item.clone());
        assert!(contains(&code, &quote!(#item)));
    }

    #[test]
    fn a_record_knows_its_members_by_name() {
        let code = expanded(
            &parse_quote!(record),
            parse_quote!(
                struct Worksite {
                    #[serde(flatten)]
                    summary: WorksiteSummary,
                    #[serde(skip)]
                    version: i64,
                    boundary: Option<Value>,
                    r#type: String,
                }
            ),
        );
        for part in [
            quote!(impl ::web::Record for Worksite),
            quote!(
                const MEMBERS: &[&str] = &["boundary", "type"];
            ),
            quote!(MEMBERS.contains(&name) || <WorksiteSummary as ::web::Record>::has_member(name)),
        ] {
            assert!(contains(&code, &part), "{part} is not in {code}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let refused = |item| expand(&Arguments::default(), item).unwrap_err().to_string();
        assert!(
            refused(parse_quote!(
                struct Id(i64);
            ))
            .contains("named fields")
        );
        assert!(syn::parse2::<Arguments>(quote!(whole)).is_err());
        assert!(syn::parse2::<Arguments>(quote!(sparse, whole)).is_err());
        let renamed = parse_quote!(
            struct Tag {
                #[serde(rename = "type")]
                kind: i64,
            }
        );
        let error = expand(&parse_quote!(record), renamed).unwrap_err();
        assert!(error.to_string().contains("the name of its field"));
    }
}
