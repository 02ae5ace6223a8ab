//! The schema of the definition of a saved view.

use serde_json::json;
#[cfg(feature = "openapi")]
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Schema};

/// Schema of a definition in the OpenAPI document.
#[cfg(feature = "openapi")]
pub(super) fn schema() -> Schema {
    ObjectBuilder::new()
        .additional_properties(Some(AdditionalProperties::FreeForm(true)))
        .description(Some(
            "Query of the view. For the kind `pivot`, the body of `POST /api/v2/advanced_insights/pivot`; for the kind `filter`, its \
             `filters` only. Without `from` and `to`, the view covers 28 local days, of which the day it is run is the last.",
        ))
        .examples([json!({
            "rows": ["machine"], "measures": ["incursions"], "filters": { "zone": ["danger"] },
        })])
        .build()
        .into()
}
