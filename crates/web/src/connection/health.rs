//! /health/live, /health/ready and /metrics.

use std::sync::Arc;

use app::{Error, ErrorKind, Origin, Store};
use axum::extract::{Extension, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Router, middleware};
use http::{HeaderValue, header};
use serde_json::json;

use crate::auth::auth_layer;
use crate::connection::metrics_text;
use crate::connection::rate_limits::RateLimitClass;
use crate::response::error::Result;
use crate::response::success::json_response;
use crate::state::EdgeState;
use crate::{AuthLayer, Edge, ErrorFormat};

/// Returns the routes for monitoring.
pub fn routes(edge: Arc<Edge>) -> Router<EdgeState> {
    let layer = AuthLayer {
        edge,
        error_format: ErrorFormat::Problem,
        credential: auth_layer::CredentialKind::None,
        class: |_, _, _| RateLimitClass::Probe,
    };
    Router::new()
        .route("/health/live", get(live))
        .route("/health/ready", get(ready))
        .route("/metrics", get(get_metrics))
        .layer(middleware::from_fn_with_state(layer, AuthLayer::handle))
}

async fn live() -> Response {
    json_response(&json!({ "status": "live" }))
}

async fn ready(State(EdgeState(edge)): State<EdgeState>) -> Result {
    if edge.is_draining() {
        let detail = "This process is about to stop. Send requests to another.";
        return Err(Error::new(ErrorKind::Unavailable, "draining", detail).retry_after(5).into());
    }
    check_readiness(&edge.app.store).await?;
    edge.app.check_keys().await?;
    Ok(json_response(&json!({ "status": "ready" })))
}

/// Checks that the database can be reached, has a schema that this program can work with and can be written to.
pub async fn check_readiness(store: &Store) -> Result<()> {
    Ok(app::check_readiness(store).await?)
}

/// Returns the metrics in the text format of Prometheus. For addresses that are not allowed the path does not exist.
async fn get_metrics(
    State(EdgeState(edge)): State<EdgeState>,
    Extension(origin): Extension<Origin>,
) -> Result {
    if !edge.config.server.metrics_allowed_networks.iter().any(|net| net.contains(&origin.address)) {
        return Err(crate::response::error::unknown_path());
    }
    let mut response = metrics_text::text(&edge).await.into_response();
    let media_type = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    Ok(response)
}
