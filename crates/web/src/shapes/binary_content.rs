//! The schema of bodies that are files.

use utoipa::openapi::{KnownFormat, ObjectBuilder, RefOr, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

/// Any bytes, in the document of requests and responses: `inline(web::BinaryContent)`.
pub struct BinaryContent;

impl PartialSchema for BinaryContent {
    fn schema() -> RefOr<Schema> {
        let format = SchemaFormat::KnownFormat(KnownFormat::Binary);
        ObjectBuilder::new().schema_type(Type::String).format(Some(format)).into()
    }
}

impl ToSchema for BinaryContent {}
