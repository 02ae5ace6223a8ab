//! OpenAPI schemas with names, and references to them: alone, in an array or with null.

use std::borrow::Cow;

use utoipa::ToSchema;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};

/// Schemas by their names.
pub(super) type Schemas = Vec<(String, RefOr<Schema>)>;

/// A schema with a name, chosen by its type.
#[derive(Clone, Copy)]
pub struct NamedSchema {
    name: fn() -> Cow<'static, str>,
    add: fn(&mut Schemas),
}

impl NamedSchema {
    pub const fn of<T: ToSchema>() -> Self {
        Self { name: T::name, add: add::<T> }
    }

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
