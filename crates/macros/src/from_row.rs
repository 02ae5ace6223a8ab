//! `#[derive(FromRow)]`: records that are read from the columns of their fields.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::meta::ParseNestedMeta;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{
    Data, DeriveInput, Error, ExprPath, Field, Fields, LitStr, Result, Token, WherePredicate, parenthesized,
    parse_quote, parse_quote_spanned,
};

pub fn expand(input: DeriveInput) -> Result<TokenStream> {
    let fields = match &input.data {
        Data::Struct(data) => &data.fields,
        Data::Enum(data) => {
            return Err(Error::new_spanned(
                data.enum_token,
                "FromRow can be derived for structs only; an enum is read from a column: implement FromColumn in store/src/engine/row.rs",
            ));
        }
        Data::Union(data) => {
            return Err(Error::new_spanned(data.union_token, "FromRow can be derived for structs only"));
        }
    };
    if let Some(attribute) = input.attrs.iter().find(|attribute| attribute.path().is_ident("row")) {
        return Err(Error::new_spanned(attribute, "#[row(...)] belongs to a field"));
    }
    let mut bounds = Bounds::default();
    bounds.add(parse_quote!(__R: ::domain::row::Row));
    let value = match fields {
        Fields::Named(fields) => {
            let names = fields.named.iter().map(|field| &field.ident);
            let values = read_fields(&fields.named, &mut bounds)?;
            quote!(Self { #(#names: #values),* })
        }
        Fields::Unnamed(fields) => {
            let values = read_fields(&fields.unnamed, &mut bounds)?;
            quote!(Self(#(#values),*))
        }
        Fields::Unit => quote!(Self),
    };

    let name = &input.ident;
    let own_generics = input.generics;
    let (_, arguments, _) = own_generics.split_for_impl();
    let mut generics = own_generics.clone();
    generics.params.push(parse_quote!(__R));
    generics.make_where_clause().predicates.extend(bounds.predicates);
    let (parameters, _, conditions) = generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #parameters ::domain::row::FromRow<__R> for #name #arguments #conditions {
            fn from_row(row: &__R) -> ::std::result::Result<Self, <__R as ::domain::row::Row>::Error> {
                // A struct without fields reads nothing.
                let _ = row;
                ::std::result::Result::Ok(#value)
            }
        }
    })
}

/// The conditions under which a record can be read from rows of the type `__R`, each once.
#[derive(Default)]
struct Bounds {
    predicates: Vec<WherePredicate>,
    texts: Vec<String>,
}

impl Bounds {
    fn add(&mut self, predicate: WherePredicate) {
        let text = quote!(#predicate).to_string();
        if !self.texts.contains(&text) {
            self.texts.push(text);
            self.predicates.push(predicate);
        }
    }
}

/// Returns the expressions that read the fields.
fn read_fields(fields: &Punctuated<Field, Token![,]>, bounds: &mut Bounds) -> Result<Vec<TokenStream>> {
    fields.iter().map(|field| read_field(field, bounds)).collect()
}

/// Returns the expression that reads a field, and adds the conditions under which it can be read.
fn read_field(field: &Field, bounds: &mut Bounds) -> Result<TokenStream> {
    let ty = &field.ty;
    // Errors point to the type of the field; lints see that the code is not written by hand.
    let span = Span::call_site().located_at(ty.span());
    let value = match Source::of(field)? {
        Source::Column { name, parse: None } => {
            bounds.add(parse_quote_spanned!(span=> __R: ::domain::row::ReadColumn<#ty>));
            quote_spanned!(span=> <__R as ::domain::row::ReadColumn<#ty>>::column(row, #name)?)
        }
        Source::Column { name, parse: Some(parse) } => {
            bounds.add(parse_quote_spanned!(span=> __R: ::domain::row::ReadColumn<::std::string::String>));
            quote_spanned! {span=> {
                let word = <__R as ::domain::row::ReadColumn<::std::string::String>>::column(row, #name)?;
                #parse(&word).map_err(|_| <__R as ::domain::row::Row>::unknown_word(#name, &word))?
            }}
        }
        Source::Columns(names) => {
            let count = names.len();
            bounds.add(parse_quote_spanned!(span=> __R: ::domain::row::ReadColumns<#ty, #count>));
            quote_spanned! {span=>
                <__R as ::domain::row::ReadColumns<#ty, #count>>::columns(row, [#(#names),*])?
            }
        }
        Source::Row => {
            bounds.add(parse_quote_spanned!(span=> #ty: ::domain::row::FromRow<__R>));
            quote_spanned!(span=> <#ty as ::domain::row::FromRow<__R>>::from_row(row)?)
        }
    };
    Ok(value)
}

/// The part of a row that a field is read from.
enum Source {
    Column { name: LitStr, parse: Option<ExprPath> },
    Columns(Vec<LitStr>),
    Row,
}

/// The attributes of a field as they are written.
#[derive(Default)]
struct Attributes {
    column: Option<LitStr>,
    columns: Option<Vec<LitStr>>,
    parse: Option<ExprPath>,
    flatten: Option<()>,
}

impl Attributes {
    fn read(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        if meta.path.is_ident("column") {
            set(&mut self.column, meta, meta.value()?.parse()?)
        } else if meta.path.is_ident("columns") {
            let names;
            parenthesized!(names in meta.input);
            let names = Punctuated::<LitStr, Token![,]>::parse_terminated(&names)?;
            set(&mut self.columns, meta, names.into_iter().collect())
        } else if meta.path.is_ident("parse") {
            set(&mut self.parse, meta, meta.value()?.parse()?)
        } else if meta.path.is_ident("flatten") {
            set(&mut self.flatten, meta, ())
        } else {
            Err(meta.error("unknown attribute; `column`, `columns`, `parse` and `flatten` are supported"))
        }
    }
}

fn set<T>(attribute: &mut Option<T>, meta: &ParseNestedMeta<'_>, value: T) -> Result<()> {
    match attribute.replace(value) {
        Some(_) => Err(meta.error("this attribute is given twice")),
        None => Ok(()),
    }
}

impl Source {
    fn of(field: &Field) -> Result<Self> {
        let mut attributes = Attributes::default();
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("row")) {
            attribute.parse_nested_meta(|meta| attributes.read(&meta))?;
        }
        match (attributes.flatten, attributes.columns, attributes.column, attributes.parse) {
            (Some(()), None, None, None) => Ok(Self::Row),
            (None, Some(names), None, None) => Ok(Self::Columns(names)),
            (None, None, Some(name), parse) => Ok(Self::Column { name, parse }),
            (None, None, None, parse) => match &field.ident {
                Some(ident) => {
                    Ok(Self::Column { name: LitStr::new(&ident.unraw().to_string(), ident.span()), parse })
                }
                None => Err(Error::new_spanned(
                    field,
                    "a field without a name needs #[row(column = \"...\")], #[row(columns(...))] or #[row(flatten)]",
                )),
            },
            _ => Err(Error::new_spanned(
                field,
                "`flatten` and `columns` cannot be combined with each other, `column` or `parse`",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(input: DeriveInput) -> String {
        expand(input).unwrap().to_string()
    }

    fn refused(input: DeriveInput) -> String {
        expand(input).unwrap_err().to_string()
    }

    fn contains(code: &str, part: &TokenStream) -> bool {
        code.contains(&part.to_string())
    }

    #[test]
    fn a_field_is_read_from_the_column_of_its_name() {
        let code = expanded(parse_quote!(
            struct Brand {
                id: BrandId,
                r#type: String,
            }
        ));
        assert!(contains(
            &code,
            &quote!(Self {
                id: <__R as ::domain::row::ReadColumn<BrandId>>::column(row, "id")?,
                r#type: <__R as ::domain::row::ReadColumn<String>>::column(row, "type")?
            })
        ));
    }

    #[test]
    fn each_type_is_required_of_the_row_once() {
        let code = expanded(parse_quote!(
            struct Brand {
                name: String,
                id: BrandId,
                code: String,
            }
        ));
        assert!(contains(
            &code,
            &quote!(impl<__R> ::domain::row::FromRow<__R> for Brand
                where
                    __R: ::domain::row::Row,
                    __R: ::domain::row::ReadColumn<String>,
                    __R: ::domain::row::ReadColumn<BrandId>
            )
        ));
    }

    #[test]
    fn attributes_name_the_columns_and_the_parser() {
        let code = expanded(parse_quote!(
            struct Visit {
                #[row(column = "brand_id")]
                brand: BrandId,
                #[row(parse = DateFormat::parse_for_brand)]
                format: DateFormat,
                #[row(columns("user_id", "user_name"))]
                user: (UserId, String),
                #[row(flatten)]
                tag: Tag,
            }
        ));
        for part in [
            quote!(brand: <__R as ::domain::row::ReadColumn<BrandId>>::column(row, "brand_id")?),
            quote!(<__R as ::domain::row::ReadColumn<::std::string::String>>::column(row, "format")?),
            quote!(DateFormat::parse_for_brand(&word)),
            quote!(<__R as ::domain::row::Row>::unknown_word("format", &word)),
            quote!(user: <__R as ::domain::row::ReadColumns<(UserId, String), 2usize>>::columns(
                row,
                ["user_id", "user_name"]
            )?),
            quote!(__R: ::domain::row::ReadColumns<(UserId, String), 2usize>),
            quote!(tag: <Tag as ::domain::row::FromRow<__R>>::from_row(row)?),
            quote!(Tag: ::domain::row::FromRow<__R>),
        ] {
            assert!(contains(&code, &part), "{part} is not in {code}");
        }
    }

    #[test]
    fn the_type_parameters_of_a_tuple_struct_are_columns() {
        let code = expanded(parse_quote!(
            struct Id<T>(#[row(column = "id")] T);
        ));
        assert!(contains(&code, &quote!(impl<T, __R> ::domain::row::FromRow<__R> for Id<T>)));
        assert!(contains(&code, &quote!(__R: ::domain::row::ReadColumn<T>)));
        assert!(contains(&code, &quote!(Self(<__R as ::domain::row::ReadColumn<T>>::column(row, "id")?))));
    }

    #[test]
    fn a_struct_without_fields_is_read_from_any_row() {
        assert!(contains(
            &expanded(parse_quote!(
                struct AnyRow;
            )),
            &quote!(Ok(Self))
        ));
    }

    #[test]
    fn enums_and_unions_are_refused() {
        assert!(
            refused(parse_quote!(
                enum Kind {
                    A,
                }
            ))
            .contains("structs only")
        );
        assert!(refused(parse_quote!(union Kind { a: i64 })).contains("structs only"));
    }

    #[test]
    fn attributes_that_are_unknown_repeated_or_misplaced_are_refused() {
        let of_field =
            |attribute: TokenStream| refused(parse_quote!(struct Brand { #attribute id: BrandId }));
        assert!(of_field(quote!(#[row(name = "id")])).contains("unknown attribute"));
        assert!(of_field(quote!(#[row(column = "a", column = "b")])).contains("given twice"));
        assert!(of_field(quote!(#[row(flatten, column = "a")])).contains("cannot be combined"));
        assert!(
            refused(parse_quote!(
                #[row(flatten)]
                struct Brand;
            ))
            .contains("belongs to a field")
        );
    }

    #[test]
    fn a_field_without_a_name_needs_a_column() {
        assert!(
            refused(parse_quote!(
                struct Id(i64);
            ))
            .contains("needs #[row(column")
        );
    }
}
