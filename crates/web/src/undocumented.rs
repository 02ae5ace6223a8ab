//! Takes the place of utoipa in a build without OpenAPI documents: its derives do nothing, and every type has its traits.

pub use macros::{IntoParams, ToSchema};

/// Any type can be shown in a document that nobody makes.
pub trait ToSchema {}

impl<T: ?Sized> ToSchema for T {}

/// As [`ToSchema`]: what is declared for a schema need not know whether there is one.
pub trait PartialSchema {
    fn schema() {}
}

impl<T: ?Sized> PartialSchema for T {}
