//! What OpenAPI shows of a field of a body, which follows from how it is read.

use proc_macro2::{TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Expr, Field, Ident, Result, Token, Type, parse_quote};

use super::reading::{FieldReading, Presence, Source, last_segment};

/// What OpenAPI shows of a field, as far as it can be compared with what is read.
#[derive(Default)]
pub(super) struct Shown {
    /// The kind of JSON value, unless the field names its schema itself.
    kind: Option<Ident>,
    /// The ends of a range that are written once more in the schema.
    ends: Vec<(Expr, TokenStream)>,
}

impl Shown {
    /// Returns items that do not compile if OpenAPI would show another kind of value, or another range, than is read.
    pub(super) fn check(&self, reading: &FieldReading) -> TokenStream {
        let span = reading.span();
        let ends = self.ends.iter().map(|(read, shown)| {
            quote_spanned! {span=>
                const _: () = assert!((#read) == (#shown), "OpenAPI would show another end of the range");
            }
        });
        let ends = quote!(#(#ends)*);
        let (Source::Type, Some(kind)) = (&reading.source, &self.kind) else { return ends };
        let value = &reading.value;
        quote_spanned! {span=>
            const _: () = assert!(
                matches!(<#value as ::web::BodyField>::KIND, ::web::FieldKind::#kind),
                "OpenAPI would show another kind of value: add #[schema(value_type = ...)]",
            );
        }
    }
}

/// Adds to the schema of a field what follows from its type and reader. Returns what it then shows.
pub(super) fn complete_schema(field: &mut Field, reading: &FieldReading) -> Result<Shown> {
    let FieldReading { presence, value, source, .. } = reading;
    let place = field.attrs.iter().position(|attribute| attribute.path().is_ident("schema"));
    let mut schema = match place {
        Some(place) => SchemaAttribute::parse(&field.attrs.remove(place))?,
        None => SchemaAttribute::default(),
    };
    if field.attrs.iter().any(|attribute| attribute.path().is_ident("schema")) {
        return Err(Error::new_spanned(&*field, "a field has one attribute `schema`"));
    }
    if schema.has("ignore") {
        let parts = &schema.parts;
        field.attrs.push(parse_quote!(#[schema(#(#parts),*)]));
        return Ok(Shown::default());
    }
    let mut is = Shown::default();
    if *presence == Presence::Change && !schema.has("nullable") && !schema.has("schema_with") {
        schema.add(quote!(nullable = false));
    }
    if !schema.has("value_type") && !schema.has("schema_with") {
        let shown = json_type(value, source)?;
        is.kind = Some(format_ident!(
            "{}",
            match shown.to_string().as_str() {
                "i64" => "Integer",
                "bool" => "Boolean",
                _ => "String",
            }
        ));
        if last_segment(value).is_some_and(|last| last.ident == "Timestamp") && !schema.has("format") {
            schema.add(quote!(format = DateTime));
        }
        schema.add(match presence {
            Presence::Required => quote!(value_type = #shown),
            _ => quote!(value_type = Option<#shown>),
        });
    } else if *presence != Presence::Required && !schema.is_optional() && !schema.has("required") {
        schema.add(quote!(required = false));
    }
    if let Source::Range(range) = source {
        let Expr::Range(range) = range else {
            return Err(Error::new_spanned(range, "a range is written with its ends: `1..=365`"));
        };
        for (name, end) in [("minimum", &range.start), ("maximum", &range.end)] {
            match end.as_deref() {
                None => {}
                Some(end) if schema.has(name) => {
                    is.ends.extend(schema.value(name).map(|value| (end.clone(), value)));
                }
                // utoipa takes literals only.
                Some(Expr::Lit(end)) => {
                    let name = format_ident!("{name}");
                    schema.add(quote!(#name = #end));
                }
                Some(end) => {
                    let message =
                        format!("utoipa cannot show this: add #[schema({name} = ...)] with a literal");
                    return Err(Error::new_spanned(end, message));
                }
            }
        }
    }
    let parts = &schema.parts;
    field.attrs.push(parse_quote!(#[schema(#(#parts),*)]));
    Ok(is)
}

/// Returns the type by which OpenAPI shows a value.
fn json_type(value: &Type, source: &Source) -> Result<TokenStream> {
    let missing = || Error::new_spanned(value, "the schema cannot be known: add #[schema(value_type = ...)]");
    let name = last_segment(value).map(|last| last.ident.to_string()).ok_or_else(missing)?;
    Ok(match (source, name.as_str()) {
        (Source::Range(_), _) => quote!(i64),
        (Source::Parse(_), _) => quote!(String),
        (_, "i64" | "bool" | "f64" | "String") => quote!(#value),
        (Source::Type, "Percent") => quote!(i64),
        (Source::Type, name) if name.ends_with("Id") => quote!(i64),
        (Source::Type, _) => quote!(String),
        (Source::With(_) | Source::Read(_), _) => return Err(missing()),
    })
}

/// The parts of an attribute `schema`.
#[derive(Default)]
struct SchemaAttribute {
    parts: Vec<TokenStream>,
}

impl SchemaAttribute {
    fn parse(attribute: &Attribute) -> Result<Self> {
        let parts = attribute.parse_args_with(Punctuated::<Part, Token![,]>::parse_terminated)?;
        Ok(Self { parts: parts.into_iter().map(|Part(tokens)| tokens).collect() })
    }

    fn has(&self, name: &str) -> bool {
        self.part(name).is_some()
    }

    fn part(&self, name: &str) -> Option<&TokenStream> {
        self.parts
            .iter()
            .find(|part| (*part).clone().into_iter().next().is_some_and(|first| first.to_string() == name))
    }

    /// Returns what stands behind `name =`.
    fn value(&self, name: &str) -> Option<TokenStream> {
        Some(self.part(name)?.clone().into_iter().skip(2).collect())
    }

    fn add(&mut self, part: TokenStream) {
        self.parts.push(part);
    }

    /// Whether `value_type` is an `Option`, which utoipa does not require.
    fn is_optional(&self) -> bool {
        self.parts.iter().any(|part| {
            let text = part.to_string();
            text.starts_with("value_type") && text.contains("= Option")
        })
    }
}

/// Everything up to the next comma that is not inside angle brackets.
struct Part(TokenStream);

impl Parse for Part {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let (mut tokens, mut depth) = (TokenStream::new(), 0_u32);
        while !input.is_empty() && (depth > 0 || !input.peek(Token![,])) {
            if input.peek(Token![<]) {
                depth += 1;
            } else if input.peek(Token![>]) {
                depth = depth.saturating_sub(1);
            }
            tokens.extend([input.parse::<TokenTree>()?]);
        }
        Ok(Self(tokens))
    }
}
