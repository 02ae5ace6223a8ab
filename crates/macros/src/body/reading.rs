//! How a field of a body is read, which its type and its attribute `field` say.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Error, Expr, ExprPath, Field, GenericArgument, Ident, PathArguments, PathSegment, Result, Type};

pub(super) struct FieldReading {
    pub(super) ident: Ident,
    pub(super) ty: Type,
    pub(super) presence: Presence,
    /// The type without what `presence` says.
    pub(super) value: Type,
    pub(super) source: Source,
    /// The field's name in the type of `into`, if it is another one.
    pub(super) target: Option<Ident>,
}

/// Whether a field must be given, and whether it may be null.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
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
pub(super) enum Source {
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

impl FieldReading {
    /// Removes the attribute `field` of a field.
    pub(super) fn take(field: &mut Field) -> Result<Self> {
        let ident = field.ident.clone().ok_or_else(|| Error::new_spanned(&*field, "a field has a name"))?;
        let (source, target) = read_attributes(field)?;
        let (presence, value) = presence(&field.ty);
        Ok(Self { ident, ty: field.ty.clone(), presence, value, source, target })
    }

    /// Returns a span by which errors point to the type of the field, while lints see that the code is not written by hand.
    pub(super) fn span(&self) -> Span {
        Span::call_site().located_at(self.ty.span())
    }

    /// Returns the expression that reads the field.
    pub(super) fn expression(&self) -> TokenStream {
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

pub(super) fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ty {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}
