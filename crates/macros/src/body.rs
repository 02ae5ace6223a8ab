//! `#[body]`: request bodies whose fields are declared once, for the reader and for OpenAPI.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{
    Attribute, Error, Expr, ExprPath, Field, Fields, GenericArgument, Ident, ItemStruct, Path, PathArguments,
    Result, Token, Type, parse_quote,
};

/// The arguments of `#[body(...)]`.
#[derive(Default)]
pub struct Arguments {
    into: Option<Path>,
    parts: bool,
    format: Option<Ident>,
    max_bytes: Option<Expr>,
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
                _ => {
                    let message = "unknown argument; `into`, `parts`, `format` and `max_bytes` are supported";
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
    let mut declared = Vec::new();
    for field in &mut fields.named {
        declared.push(Declared::take(field)?);
    }

    let (name, visibility) = (&item.ident, &item.vis);
    let idents: Vec<&Ident> = declared.iter().map(|field| &field.ident).collect();
    // Named apart from the functions that read later fields.
    let values: Vec<Ident> = idents.iter().map(|ident| format_ident!("__{}", ident.unraw())).collect();
    let readers: Vec<TokenStream> = declared.iter().map(Declared::reader).collect();
    let checks = declared.iter().map(Declared::check);
    let format = arguments
        .format
        .as_ref()
        .map(|format| quote!(const FORMAT: ::web::BodyFormat = ::web::BodyFormat::#format;));
    let max_bytes = arguments.max_bytes.as_ref().map(|max| quote!(const MAX_BYTES: usize = #max;));

    let reading = if arguments.parts {
        if format.is_some() || max_bytes.is_some() {
            let message = "`format` and `max_bytes` belong to the type that is read from the parts";
            return Err(Error::new_spanned(name, message));
        }
        let parts = format_ident!("{name}Parts");
        let types = declared.iter().map(|field| &field.ty);
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
                    #(let #values = #readers;)*
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
                    #(let #values = #readers;)*
                    ::std::option::Option::Some(Self { #(#idents: #values?),* })
                }
            }
        }
    };
    let conversion = arguments.into.as_ref().map(|target| {
        let targets = declared.iter().map(|field| field.target.as_ref().unwrap_or(&field.ident));
        quote! {
            impl ::std::convert::From<#name> for #target {
                fn from(body: #name) -> Self {
                    Self { #(#targets: body.#idents),* }
                }
            }
        }
    });
    Ok(quote! {
        #[derive(::utoipa::ToSchema)]
        #item

        #reading
        #conversion
        #(#checks)*
    })
}

/// A field with what its attributes and its type say.
struct Declared {
    ident: Ident,
    ty: Type,
    presence: Presence,
    /// The type without what `presence` says.
    value: Type,
    source: Source,
    target: Option<Ident>,
    shown: Shown,
}

/// What OpenAPI shows of a field, as far as it can be compared with what is read.
#[derive(Default)]
struct Shown {
    /// The kind of JSON value, unless the field names its schema itself.
    kind: Option<Ident>,
    /// The ends of a range that are written once more in the schema.
    ends: Vec<(Expr, TokenStream)>,
}

/// Whether a field must be given, and whether it may be null.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    /// `T`
    Required,
    /// `Option<T>`: left out and null are the same.
    Optional,
    /// `Change<T>`: may be left out.
    Change,
    /// `Change<Option<T>>`: may be left out; null removes it.
    ChangeOptional,
}

/// How a field is read.
enum Source {
    /// By the `BodyField` of its type.
    Type,
    /// A text, by a parser.
    Parse(Expr),
    /// A value, by a function.
    With(Expr),
    /// A whole number within a range.
    Range(Expr),
    /// By a function that takes all fields and the name, and says itself what may be left out.
    Read(ExprPath),
}

impl Declared {
    /// Removes the attribute `field` of a field and completes its attribute `schema`.
    fn take(field: &mut Field) -> Result<Self> {
        let ident = field.ident.clone().ok_or_else(|| Error::new_spanned(&*field, "a field has a name"))?;
        let (source, target) = read_attributes(field)?;
        let (presence, value) = presence(&field.ty);
        let shown = complete_schema(field, presence, &value, &source)?;
        Ok(Self { ident, ty: field.ty.clone(), presence, value, source, target, shown })
    }

    /// Returns a span by which errors point to the type of the field, while lints see that the code is not written by hand.
    fn span(&self) -> Span {
        Span::call_site().located_at(self.ty.span())
    }

    /// Returns the expression that reads the field.
    fn reader(&self) -> TokenStream {
        let span = self.span();
        let (name, value) = (self.ident.unraw().to_string(), &self.value);
        let read = match &self.source {
            Source::Type => quote_spanned!(span=> <#value as ::web::BodyField>::from_json),
            Source::Parse(parse) => quote_spanned!(span=> ::web::text(#parse)),
            Source::With(read) => quote_spanned!(span=> #read),
            Source::Range(range) => quote_spanned!(span=> ::web::integer_within(#range)),
            Source::Read(read) => return quote_spanned!(span=> #read(fields, #name)),
        };
        match self.presence {
            Presence::Required => quote_spanned!(span=> fields.required(#name, #read)),
            Presence::Optional => quote_spanned!(span=> fields.optional(#name, #read)),
            Presence::Change => quote_spanned!(span=> fields.change(#name, #read)),
            Presence::ChangeOptional => quote_spanned!(span=> fields.change_optional(#name, #read)),
        }
    }

    /// Returns items that do not compile if OpenAPI would show another kind of value, or another range, than is read.
    fn check(&self) -> TokenStream {
        let span = self.span();
        let ends = self.shown.ends.iter().map(|(read, shown)| {
            quote_spanned! {span=>
                const _: () = assert!((#read) == (#shown), "OpenAPI would show another end of the range");
            }
        });
        let ends = quote!(#(#ends)*);
        let (Source::Type, Some(kind)) = (&self.source, &self.shown.kind) else { return ends };
        let value = &self.value;
        quote_spanned! {span=>
            const _: () = assert!(
                matches!(<#value as ::web::BodyField>::KIND, ::web::FieldKind::#kind),
                "OpenAPI would show another kind of value: add #[schema(value_type = ...)]",
            );
        }
    }
}

fn read_attributes(field: &mut Field) -> Result<(Source, Option<Ident>)> {
    let (mut source, mut target) = (None, None);
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("field")) {
        attribute.parse_nested_meta(|meta| {
            let (given, is_repeated) = if meta.path.is_ident("into") {
                let repeated = target.replace(meta.value()?.parse()?).is_some();
                return if repeated { Err(meta.error("this attribute is given twice")) } else { Ok(()) };
            } else if meta.path.is_ident("parse") {
                (Source::Parse(meta.value()?.parse()?), source.is_some())
            } else if meta.path.is_ident("with") {
                (Source::With(meta.value()?.parse()?), source.is_some())
            } else if meta.path.is_ident("range") {
                (Source::Range(meta.value()?.parse()?), source.is_some())
            } else if meta.path.is_ident("read") {
                (Source::Read(meta.value()?.parse()?), source.is_some())
            } else {
                let message = "unknown attribute; `parse`, `with`, `range`, `read` and `into` are supported";
                return Err(meta.error(message));
            };
            if is_repeated {
                return Err(meta.error("a field is read in one way only"));
            }
            source = Some(given);
            Ok(())
        })?;
    }
    field.attrs.retain(|attribute| !attribute.path().is_ident("field"));
    Ok((source.unwrap_or(Source::Type), target))
}

fn presence(ty: &Type) -> (Presence, Type) {
    if let Some(inner) = argument(ty, "Option") {
        return (Presence::Optional, inner.clone());
    }
    let Some(inner) = argument(ty, "Change") else { return (Presence::Required, ty.clone()) };
    match argument(inner, "Option") {
        Some(inner) => (Presence::ChangeOptional, inner.clone()),
        None => (Presence::Change, inner.clone()),
    }
}

/// Returns `T` of `name<T>`.
fn argument<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    let last = last_segment(ty)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(inner)) if last.ident == name => Some(inner),
        _ => None,
    }
}

fn last_segment(ty: &Type) -> Option<&syn::PathSegment> {
    match ty {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

/// Adds to the schema of a field what follows from its type and reader. Returns what it then shows.
fn complete_schema(field: &mut Field, presence: Presence, value: &Type, source: &Source) -> Result<Shown> {
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
    if presence == Presence::Change && !schema.has("nullable") && !schema.has("schema_with") {
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
    } else if presence != Presence::Required && !schema.is_optional() && !schema.has("required") {
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
            tokens.extend([input.parse::<proc_macro2::TokenTree>()?]);
        }
        Ok(Self(tokens))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(arguments: &Arguments, item: ItemStruct) -> String {
        expand(arguments, item).unwrap().to_string()
    }

    fn refused(item: ItemStruct) -> String {
        expand(&Arguments::default(), item).unwrap_err().to_string()
    }

    /// Parsed types are printed with a space between closing angle brackets, and tokens of `quote!` without.
    fn contains(code: &str, part: &TokenStream) -> bool {
        let close = |text: &str| text.replace("> >", ">>");
        close(code).contains(&close(&part.to_string()))
    }

    #[test]
    fn the_type_says_whether_a_field_may_be_left_out_or_null() {
        let code = expanded(
            &Arguments::default(),
            parse_quote!(
                struct NewTag {
                    serial: Serial,
                    worksite_id: Option<WorksiteId>,
                    role: Change<TagRole>,
                    note: Change<Option<Name>>,
                }
            ),
        );
        for part in [
            quote!(#[schema(value_type = String)] serial: Serial),
            quote!(#[schema(value_type = Option<i64>)] worksite_id: Option<WorksiteId>),
            quote!(#[schema(nullable = false, value_type = Option<String>)] role: Change<TagRole>),
            quote!(#[schema(value_type = Option<String>)] note: Change<Option<Name>>),
            quote!(fields.required("serial", <Serial as ::web::BodyField>::from_json)),
            quote!(fields.optional("worksite_id", <WorksiteId as ::web::BodyField>::from_json)),
            quote!(fields.change("role", <TagRole as ::web::BodyField>::from_json)),
            quote!(fields.change_optional("note", <Name as ::web::BodyField>::from_json)),
            quote!(matches!(<WorksiteId as ::web::BodyField>::KIND, ::web::FieldKind::Integer)),
        ] {
            assert!(contains(&code, &part), "{part} is not in {code}");
        }
    }

    #[test]
    fn attributes_say_how_a_field_is_read() {
        let code = expanded(
            &Arguments::default(),
            parse_quote!(
                struct NewMessage {
                    #[field(parse = MessageText::parse)]
                    text: MessageText,
                    #[schema(example = 5)]
                    #[field(range = 1..=60)]
                    minutes: Option<i64>,
                    #[schema(value_type = Option<Vec<Role>>, max_items = 3)]
                    #[field(with = roles)]
                    roles: Change<Vec<Role>>,
                    #[schema(value_type = RoleSchema)]
                    role: Option<Role>,
                    #[schema(schema_with = boundary_schema)]
                    #[field(read = boundary)]
                    boundary: Option<Boundary>,
                }
            ),
        );
        for part in [
            quote!(fields.required("text", ::web::text(MessageText::parse))),
            quote!(#[schema(example = 5, value_type = Option<i64>, minimum = 1, maximum = 60)]),
            quote!(fields.optional("minutes", ::web::integer_within(1..=60))),
            quote!(#[schema(value_type = Option<Vec<Role>>, max_items = 3, nullable = false)]),
            quote!(#[schema(value_type = RoleSchema, required = false)]),
            quote!(fields.change("roles", roles)),
            quote!(#[schema(schema_with = boundary_schema, required = false)]),
            quote!(let __boundary = boundary(fields, "boundary");),
        ] {
            assert!(contains(&code, &part), "{part} is not in {code}");
        }
    }

    #[test]
    fn a_field_that_openapi_leaves_out_is_read() {
        let code = expanded(
            &Arguments::default(),
            parse_quote!(
                struct ChangedWorksite {
                    #[schema(ignore)]
                    project_id: Change<Option<ProjectId>>,
                }
            ),
        );
        for part in [
            quote!(#[schema(ignore)] project_id: Change<Option<ProjectId>>),
            quote!(fields.change_optional("project_id", <ProjectId as ::web::BodyField>::from_json)),
        ] {
            assert!(contains(&code, &part), "{part} is not in {code}");
        }
        assert!(!contains(&code, &quote!(KIND)));
    }

    #[test]
    fn a_body_becomes_the_value_of_a_use_case() {
        let arguments: Arguments = parse_quote!(into = TagChange, max_bytes = 64 * 1024, format = JsonOrForm);
        let code = expanded(
            &arguments,
            parse_quote!(
                struct ChangedTag {
                    role: Change<TagRole>,
                    #[field(into = worksite)]
                    worksite_id: Change<WorksiteId>,
                }
            ),
        );
        for part in [
            quote!(impl ::std::convert::From<ChangedTag> for TagChange),
            quote!(Self { role: body.role, worksite: body.worksite_id }),
            quote!(
                const MAX_BYTES: usize = 64 * 1024;
            ),
            quote!(
                const FORMAT: ::web::BodyFormat = ::web::BodyFormat::JsonOrForm;
            ),
        ] {
            assert!(contains(&code, &part), "{part} is not in {code}");
        }
    }

    #[test]
    fn parts_are_read_one_by_one() {
        let item = parse_quote!(
            pub struct NewClip {
                from: Option<Timestamp>,
            }
        );
        let code = expanded(&parse_quote!(parts), item);
        assert!(contains(&code, &quote!(pub from: ::std::option::Option<Option<Timestamp>>)));
        assert!(contains(&code, &quote!(format = DateTime, value_type = Option<String>)));
        assert!(!contains(&code, &quote!(::web::FromFields)));
    }

    #[test]
    fn what_cannot_be_known_is_refused() {
        let of_field = |field: TokenStream| refused(parse_quote!(struct Body { #field }));
        assert!(of_field(quote!(#[field(with = roles)] roles: Roles)).contains("add #[schema(value_type"));
        assert!(of_field(quote!(#[field(range = 1..=MAX)] size: i64)).contains("with a literal"));
        assert!(of_field(quote!(#[field(range = DAYS)] size: i64)).contains("with its ends"));
        assert!(of_field(quote!(#[field(most = 3)] size: i64)).contains("unknown attribute"));
        assert!(of_field(quote!(#[field(with = a, parse = b)] size: i64)).contains("one way only"));
        assert!(
            refused(parse_quote!(
                struct Body(i64);
            ))
            .contains("named fields")
        );
    }
}
