//! OpenAPI schemas with names.

use std::borrow::Cow;

#[cfg(feature = "openapi")]
use utoipa::openapi::{RefOr, Schema};
use web::ToSchema;

#[cfg(feature = "openapi")]
use super::references::{Schemas, add, reference_to};

/// A schema with a name, chosen by its type.
#[derive(Clone, Copy)]
pub struct NamedSchema {
    #[cfg(feature = "openapi")]
    name: fn() -> Cow<'static, str>,
    #[cfg(feature = "openapi")]
    add: fn(&mut Schemas),
}

impl NamedSchema {
    #[cfg_attr(
        not(feature = "openapi"),
        expect(clippy::extra_unused_type_parameters, reason = "a schema that nobody makes")
    )]
    pub const fn of<T: ToSchema>() -> Self {
        Self {
            #[cfg(feature = "openapi")]
            name: T::name,
            #[cfg(feature = "openapi")]
            add: add::<T>,
        }
    }
}

#[cfg(feature = "openapi")]
impl NamedSchema {
    pub(super) fn name(self) -> Cow<'static, str> {
        (self.name)()
    }

    pub(super) fn reference(self) -> RefOr<Schema> {
        reference_to(self.name())
    }

    /// Adds the schema and those that it refers to.
    pub(super) fn add_to(self, schemas: &mut Schemas) {
        (self.add)(schemas);
    }
}

/// Declares schemas that are called after their resource. Each has a list of functions that add the schemas it refers to.
macro_rules! named_schemas {
    ($($(#[$doc:meta])* $part:ident<$bound:ident> = $name:literal, $schema:expr, [$($add:expr),*];)+) => {$(
        $(#[$doc])*
        pub struct $part<R>(::std::marker::PhantomData<R>);

        #[cfg(feature = "openapi")]
        impl<R: $bound> ::utoipa::PartialSchema for $part<R> {
            fn schema() -> ::utoipa::openapi::RefOr<::utoipa::openapi::Schema> {
                $schema
            }
        }

        #[cfg(feature = "openapi")]
        impl<R: $bound> ::utoipa::ToSchema for $part<R> {
            fn name() -> ::std::borrow::Cow<'static, str> {
                format!($name, R::NAME).into()
            }

            fn schemas(_schemas: &mut $crate::json_api::references::Schemas) {
                $($add(_schemas);)*
            }
        }
    )+};
}
pub(super) use named_schemas;
