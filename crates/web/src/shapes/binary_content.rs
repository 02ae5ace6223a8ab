//! The schema of bodies that are files.

#[cfg(feature = "openapi")]
use utoipa::openapi::{KnownFormat, ObjectBuilder, RefOr, Schema, SchemaFormat, Type};
#[cfg(feature = "openapi")]
use utoipa::{PartialSchema, ToSchema};

/// Any bytes, in the document of requests and responses: `inline(web::BinaryContent)`.
pub struct BinaryContent;

#[cfg(feature = "openapi")]
impl PartialSchema for BinaryContent {
    fn schema() -> RefOr<Schema> {
        let format = SchemaFormat::KnownFormat(KnownFormat::Binary);
        ObjectBuilder::new().schema_type(Type::String).format(Some(format)).into()
    }
}

#[cfg(feature = "openapi")]
impl ToSchema for BinaryContent {}
