//! What every layer and handler can reach.

use std::sync::Arc;

use app::App;
use axum::extract::FromRef;
use tokio::sync::watch;

use crate::connection::body_budget::BodyBudget;
use crate::connection::long_polls::LongPollLimiter;
use crate::connection::rate_limits::RateLimiter;
use crate::{Config, Metrics};

/// The HTTP side of a process.
pub struct Edge {
    /// The use cases.
    pub app: Arc<App>,
    /// How it is configured.
    pub config: Config,
    /// What is counted.
    pub metrics: Metrics,
    pub(crate) rate_limiter: RateLimiter,
    /// Calls that are held open until something happens.
    pub long_polls: LongPollLimiter,
    pub(crate) body_budget: BodyBudget,
    /// Whether this process is about to stop.
    pub(crate) stopping: watch::Sender<bool>,
}

impl Edge {
    /// Sets up the HTTP side over the use cases.
    pub fn new(app: Arc<App>, config: Config) -> Arc<Self> {
        let (limiter, bodies) = (RateLimiter::new(&config.limits), BodyBudget::new(&config.limits));
        let long_polls = LongPollLimiter::new(&config);
        let (metrics, stopping) = (Metrics::new(), watch::Sender::new(false));
        Arc::new(Self {
            app,
            config,
            metrics,
            rate_limiter: limiter,
            long_polls,
            body_budget: bodies,
            stopping,
        })
    }

    /// Done when this process is about to stop: calls that are held open end then.
    pub fn stopping(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut stopping = self.stopping.subscribe();
        async move {
            if stopping.wait_for(|stop| *stop).await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

/// Handlers take `State<Arc<App>>`.
impl FromRef<EdgeState> for Arc<App> {
    fn from_ref(state: &EdgeState) -> Self {
        Arc::clone(&state.0.app)
    }
}

/// The state of every router.
#[derive(Clone)]
pub struct EdgeState(pub Arc<Edge>);
