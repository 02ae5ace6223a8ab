//! GET /incursions/suggestions: names that fit what is being written into a field of the filters, for `suggest.js`.

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::Invalid;
use domain::access::ReadRegistry;
use serde_json::{Value, json};
use web::{FromParams, Params, Query, Result};

use super::lookup::{Registry, look};
use super::search::FIELDS;
use crate::frame::Frame;
use crate::response;

const MAX_SUGGESTIONS: u16 = 10;

pub struct SuggestionQuery {
    registry: Registry,
    q: String,
}

impl FromParams for SuggestionQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let missing = |name| Error::bad_parameter(name, Invalid::new("required", "must be given"));
        let registry = query.one("field", |text| {
            let field = FIELDS.iter().find(|field| field.name == text);
            let unknown = || Invalid::new("unknown_field", "must be a field of the filters");
            field.map(|field| field.registry).ok_or_else(unknown)
        })?;
        let q = query.search("q")?;
        Ok(Self { registry: registry.ok_or_else(|| missing("field"))?, q: q.ok_or_else(|| missing("q"))? })
    }
}

pub async fn suggest(
    State(app): State<Arc<App>>,
    web::Caller(_): web::Caller<ReadRegistry>,
    frame: Frame,
    Params(query): Params<SuggestionQuery>,
) -> Result {
    let hits = look(&app, &frame, query.registry, &query.q, MAX_SUGGESTIONS).await?;
    let names: Value =
        hits.records.iter().map(|hit| json!({ "name": hit.name, "detail": hit.detail })).collect();
    Ok(response::bytes("application/json", names.to_string().into_bytes(), None))
}
