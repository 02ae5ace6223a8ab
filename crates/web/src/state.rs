//! The state that every layer and handler can reach.

use std::sync::Arc;

use app::App;
use axum::extract::FromRef;
use tokio::sync::watch;

use crate::connection::body_budget::BodyBudget;
use crate::connection::long_polls::LongPollLimiter;
use crate::connection::rate_limits::RateLimiter;
use crate::connection::streams::StreamLimiter;
use crate::{Config, Metrics};

/// The HTTP side of a process.
pub struct Edge {
    pub app: Arc<App>,
    pub config: Config,
    pub metrics: Metrics,
    pub(crate) rate_limiter: RateLimiter,
    pub long_polls: LongPollLimiter,
    pub(crate) streams: StreamLimiter,
    pub(crate) body_budget: BodyBudget,
    /// Whether this process is shutting down.
    pub(crate) stopping: watch::Sender<bool>,
}

impl Edge {
    pub fn new(app: Arc<App>, config: Config) -> Arc<Self> {
        let (limiter, bodies) = (RateLimiter::new(&config.limits), BodyBudget::new(&config.limits));
        let (long_polls, streams) = (LongPollLimiter::new(&config), StreamLimiter::new(&config));
        let (metrics, stopping) = (Metrics::new(), watch::Sender::new(false));
        Arc::new(Self {
            app,
            config,
            metrics,
            rate_limiter: limiter,
            long_polls,
            streams,
            body_budget: bodies,
            stopping,
        })
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
