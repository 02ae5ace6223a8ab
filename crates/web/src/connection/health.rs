//! /health/live, /health/ready, /metrics.

use std::sync::Arc;

use app::{Error, Kind, Origin};
use axum::extract::{Extension, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Router, middleware};
use http::{HeaderValue, header};
use serde_json::json;
use store::{SchemaState, Store};

use crate::auth::gate;
use crate::connection::limits::Class;
use crate::connection::metrics;
use crate::response::answer::answer;
use crate::response::error::Result;
use crate::state::EdgeState;
use crate::{Edge, Face, Gate};

/// The routes of those who look after the service.
pub fn routes(edge: Arc<Edge>) -> Router<EdgeState> {
    let gate =
        Gate { edge, face: Face::Problem, credential: gate::Kind::Nothing, class: |_, _| Class::Probe };
    Router::new()
        .route("/health/live", get(live))
        .route("/health/ready", get(ready))
        .route("/metrics", get(metrics_text))
        .layer(middleware::from_fn_with_state(gate, Gate::pass))
}

async fn live() -> Response {
    answer(&json!({ "status": "live" }))
}

async fn ready(State(EdgeState(edge)): State<EdgeState>) -> Result {
    readiness(&edge.app.store).await?;
    edge.app.check_keys().await?;
    Ok(answer(&json!({ "status": "ready" })))
}

/// Whether the store can be reached, its schema is what this program expects, and it can be written to.
pub async fn readiness(store: &Store) -> Result<()> {
    let unavailable = |code, detail| Error::new(Kind::Unavailable, code, detail).retry_after(5).into();
    let checked = match store.schema().await {
        Ok(SchemaState::Current) => store.prove_writes().await,
        Ok(SchemaState::Behind(_)) => {
            return Err(unavailable("migrations_missing", "The database is not migrated yet."));
        }
        Err(error) => Err(error),
    };
    checked.map_err(|error| {
        tracing::warn!("not ready: {error}");
        match error {
            store::Error::Storage(store::Fault { is_full: true, .. }) => {
                unavailable("storage_full", "There is no room left on the disk of the database.")
            }
            _ => unavailable("store_unavailable", "The database cannot be used."),
        }
    })
}

/// Prometheus' text, for the configured addresses only; to others the path does not exist.
async fn metrics_text(
    State(EdgeState(edge)): State<EdgeState>,
    Extension(origin): Extension<Origin>,
) -> Result {
    if !edge.config.server.metrics_from.iter().any(|net| net.contains(&origin.address)) {
        return Err(crate::response::error::no_such_path());
    }
    let mut response = metrics::text(&edge).await.into_response();
    let media_type = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    Ok(response)
}
