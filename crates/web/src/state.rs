//! The state that every layer and handler can reach.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use app::App;
use axum::extract::FromRef;
use domain::Opaque;
use tokio::sync::watch;

use crate::connection::body_budget::BodyBudget;
use crate::connection::long_polls::LongPollLimiter;
use crate::connection::rate_limits::RateLimiter;
use crate::connection::streams::StreamLimiter;
use crate::{Config, Metrics};

/// The HTTP side of a process. Opaque like [`App`].
pub struct Edge(Opaque<EdgeParts>);

/// What layers and handlers share; see [`Edge`].
pub struct EdgeParts {
    pub app: Arc<App>,
    pub config: Config,
    pub metrics: Metrics,
    pub(crate) rate_limiter: RateLimiter,
    pub long_polls: LongPollLimiter,
    pub(crate) streams: StreamLimiter,
    pub(crate) body_budget: BodyBudget,
    /// Whether this process will shut down soon: it serves on, but says that it is not ready.
    draining: watch::Sender<bool>,
    /// Whether this process is shutting down.
    pub(crate) stopping: watch::Sender<bool>,
}

impl Deref for Edge {
    type Target = EdgeParts;

    fn deref(&self) -> &EdgeParts {
        &self.0
    }
}

impl Edge {
    pub fn new(app: Arc<App>, config: Config) -> Arc<Self> {
        let (limiter, bodies) = (RateLimiter::new(&config.limits), BodyBudget::new(&config.limits));
        let (long_polls, streams) = (LongPollLimiter::new(&config), StreamLimiter::new(&config));
        let (metrics, stopping) = (Metrics::new(), watch::Sender::new(false));
        Arc::new(Self(Opaque::new(EdgeParts {
            app,
            config,
            metrics,
            rate_limiter: limiter,
            long_polls,
            streams,
            body_budget: bodies,
            draining: watch::Sender::new(false),
            stopping,
        })))
    }

    /// Says that this process is not ready, and returns after `server.drain_s`, when balancers have noticed and send requests elsewhere.
    pub async fn drain(&self) {
        let duration = self.drain_duration();
        if duration.is_zero() {
            return;
        }
        self.draining.send_replace(true);
        tracing::info!("not ready any more; stopping in {} s", duration.as_secs());
        tokio::time::sleep(duration).await;
    }

    pub(crate) fn is_draining(&self) -> bool {
        *self.draining.borrow()
    }

    fn drain_duration(&self) -> Duration {
        Duration::from_secs(self.config.server.drain_s.into())
    }

    /// Completes when a live stream is to end: when this process stops, or before, at some moment of the second half of the drain. By then
    /// balancers lead its reader elsewhere, and not all readers come there at once.
    pub(crate) fn stream_end(&self) -> impl Future<Output = ()> + Send + use<> {
        let (mut draining, stopping) = (self.draining.subscribe(), self.stopping());
        let half = self.drain_duration() / 2;
        let delay = half + half * u32::from(self.app.random.bytes::<1>()[0]) / 256;
        async move {
            let drained = async {
                if draining.wait_for(|is_draining| *is_draining).await.is_err() {
                    std::future::pending::<()>().await;
                }
                tokio::time::sleep(delay).await;
            };
            tokio::select! {
                () = stopping => {}
                () = drained => {}
            }
        }
    }

    /// Completes when this process is shutting down, so that long polls and live streams end.
    pub fn stopping(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut stopping = self.stopping.subscribe();
        async move {
            if stopping.wait_for(|stop| *stop).await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

/// Lets handlers take `State<Arc<App>>`.
impl FromRef<EdgeState> for Arc<App> {
    fn from_ref(state: &EdgeState) -> Self {
        Arc::clone(&state.0.app)
    }
}

#[derive(Clone)]
pub struct EdgeState(pub Arc<Edge>);
