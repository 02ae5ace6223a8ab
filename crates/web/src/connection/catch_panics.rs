//! Panics of handlers become internal errors.

use std::future::Future;
use std::panic::AssertUnwindSafe;

use app::Error;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;

use crate::response::error::Failure;
use crate::state::Edge;

/// Runs the rest of the request. A panic becomes an internal error and does not end the process.
pub(crate) async fn catch_panics(edge: &Edge, work: impl Future<Output = Response>) -> Response {
    match AssertUnwindSafe(work).catch_unwind().await {
        Ok(response) => response,
        Err(panic) => {
            edge.metrics.panics.inc();
            let text = panic
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "no message".to_owned());
            Failure::from(Error::internal(format!("a handler panicked: {text}"))).into_response()
        }
    }
}
