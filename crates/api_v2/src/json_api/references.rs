//! References to OpenAPI schemas: alone, in an array or with null.

use utoipa::ToSchema;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};

/// Schemas by their names.
pub(super) type Schemas = Vec<(String, RefOr<Schema>)>;

/// Adds a schema and those that it refers to.
pub(super) fn add<T: ToSchema>(schemas: &mut Schemas) {
    schemas.push((T::name().into_owned(), T::schema()));
    T::schemas(schemas);
}

/// Returns a reference to the schema of a type.
pub(super) fn reference<T: ToSchema>() -> RefOr<Schema> {
    reference_to(T::name())
}

/// Returns a reference to the schema of this name.
pub(super) fn reference_to(name: impl Into<String>) -> RefOr<Schema> {
    Ref::from_schema_name(name).into()
}

pub(super) fn array(items: RefOr<Schema>) -> RefOr<Schema> {
    RefOr::T(ArrayBuilder::new().items(items).into())
}

pub(super) fn or_null(schema: RefOr<Schema>) -> RefOr<Schema> {
    let null = ObjectBuilder::new().schema_type(Type::Null);
    RefOr::T(OneOfBuilder::new().item(schema).item(null).into())
}
