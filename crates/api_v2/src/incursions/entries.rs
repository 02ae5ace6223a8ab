//! The entries of a list of incursions, which are incursions or notices that one is no longer visible, and the `meta` of the list.

use domain::IncursionId;
use serde_json::json;
#[cfg(feature = "openapi")]
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Schema, Type};
#[cfg(feature = "openapi")]
use utoipa::openapi::{Ref, RefOr};
#[cfg(feature = "openapi")]
use utoipa::{PartialSchema, ToSchema};
#[cfg(feature = "openapi")]
use web::enum_schemas::always_true;

use super::{DEFINITION, Incursion};
#[cfg(feature = "openapi")]
use crate::json_api::ListedOf;
use crate::json_api::ResourceObject;

/// Schema of an entry of a list.
pub struct IncursionEntry;

#[cfg(feature = "openapi")]
impl PartialSchema for IncursionEntry {
    fn schema() -> RefOr<Schema> {
        let text =
            "An incursion, or with `filter[after_seq]` also the notice that one is no longer visible to you.";
        let entry = OneOfBuilder::new()
            .item(Ref::from_schema_name(ListedOf::<Incursion>::name()))
            .item(Ref::from_schema_name(GoneIncursion::name()))
            .description(Some(text));
        RefOr::T(entry.into())
    }
}

#[cfg(feature = "openapi")]
impl ToSchema for IncursionEntry {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((ListedOf::<Incursion>::name().into_owned(), ListedOf::<Incursion>::schema()));
        ListedOf::<Incursion>::schemas(schemas);
        schemas.push((GoneIncursion::name().into_owned(), GoneIncursion::schema()));
        GoneIncursion::schemas(schemas);
    }
}

/// Schema of the notice that an incursion is no longer visible.
pub struct GoneIncursion;

#[cfg(feature = "openapi")]
impl PartialSchema for GoneIncursion {
    fn schema() -> RefOr<Schema> {
        let kind = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([DEFINITION.kind]));
        let id = ObjectBuilder::new().schema_type(Type::String).examples([json!("31")]);
        let text =
            "An incursion that was in a project visible to you and no longer is: remove it from your copy.";
        ObjectBuilder::new()
            .description(Some(text))
            .property("type", kind)
            .property("id", id)
            .property("meta", Ref::from_schema_name(GoneIncursionMeta::name()))
            .required("type")
            .required("id")
            .required("meta")
            .into()
    }
}

#[cfg(feature = "openapi")]
impl ToSchema for GoneIncursion {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((GoneIncursionMeta::name().into_owned(), GoneIncursionMeta::schema()));
        GoneIncursionMeta::schemas(schemas);
    }
}

/// Information about an incursion that is no longer visible to you.
#[web::answer]
pub struct GoneIncursionMeta {
    #[schema(schema_with = always_true)]
    gone: bool,
    /// Sequence number of the change that made it invisible to you.
    #[schema(example = 1207)]
    seq: i64,
}

/// Extent of a list of incursions.
#[web::answer]
pub struct IncursionListMeta {
    /// Total number of incursions that match the filters; only with `page[total]=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 42)]
    pub total: Option<i64>,
    /// With `filter[after_seq]`: the sequence number that this page reaches; pass it as the next `filter[after_seq]`. Without: the sequence
    /// number up to which the list is complete; the change feed after it contains what changed since.
    #[schema(example = 1207)]
    pub seq: i64,
    /// Sequence number of the latest change in the brand.
    #[schema(example = 1207)]
    pub last_seq: i64,
}

/// Builds the notice that an incursion is no longer visible.
pub fn gone(id: IncursionId, seq: i64) -> ResourceObject {
    ResourceObject::gone::<Incursion>(id.0, json!(GoneIncursionMeta { gone: true, seq }))
}
