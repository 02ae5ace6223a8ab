//! The metrics of the process, for Prometheus.

use prometheus::{HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry};

/// From 0.2 milliseconds to ten seconds.
const DURATION_BUCKETS_S: &[f64] =
    &[0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0];

pub struct Metrics {
    pub(super) registry: Registry,
    requests: IntCounterVec,
    request_seconds: HistogramVec,
    pub(crate) panics: IntCounter,
    pub(crate) connections: IntGauge,
    /// Connections that were cut because their headers arrived too slowly or were invalid.
    pub(crate) broken_connections: IntCounter,
    /// Connections that were refused because their address had too many.
    pub(crate) refused_connections: IntCounter,
    /// Idle connections that were closed to make room for others.
    pub(crate) evicted_connections: IntCounter,
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    #[expect(
        clippy::expect_used,
        reason = "fixed, distinct names; every test that asks for /metrics proves it"
    )]
    pub fn new() -> Self {
        let registry = Registry::new();
        let requests = IntCounterVec::new(
            Opts::new("keepclear_http_requests_total", "Requests answered."),
            &["method", "path", "status"],
        )
        .expect("a fixed name");
        let seconds = HistogramVec::new(
            HistogramOpts::new(
                "keepclear_http_request_seconds",
                "Time from the headers of a request to the headers of its response.",
            )
            .buckets(DURATION_BUCKETS_S.to_vec()),
            &["path"],
        )
        .expect("a fixed name");
        let panics = IntCounter::new("keepclear_panics_total", "Requests that ended in a panic.")
            .expect("a fixed name");
        let connections =
            IntGauge::new("keepclear_connections", "Connections that are open.").expect("a fixed name");
        let broken_connections = IntCounter::new(
            "keepclear_broken_connections_total",
            "Connections that were cut or sent invalid requests.",
        )
        .expect("a fixed name");
        let refused_connections = IntCounter::new(
            "keepclear_refused_connections_total",
            "Connections that were refused because their address had too many.",
        )
        .expect("a fixed name");
        let evicted_connections = IntCounter::new(
            "keepclear_evicted_connections_total",
            "Idle connections that were closed to make room for others.",
        )
        .expect("a fixed name");
        registry.register(Box::new(requests.clone())).expect("distinct names");
        registry.register(Box::new(seconds.clone())).expect("distinct names");
        registry.register(Box::new(panics.clone())).expect("distinct names");
        registry.register(Box::new(connections.clone())).expect("distinct names");
        registry.register(Box::new(broken_connections.clone())).expect("distinct names");
        registry.register(Box::new(refused_connections.clone())).expect("distinct names");
        registry.register(Box::new(evicted_connections.clone())).expect("distinct names");
        Self {
            registry,
            requests,
            request_seconds: seconds,
            panics,
            connections,
            broken_connections,
            refused_connections,
            evicted_connections,
        }
    }

    /// Counts a response under the pattern of its path. The path itself is chosen by clients and would make the number of labels
    /// unbounded.
    pub(crate) fn record_response(&self, method: &http::Method, pattern: &str, status: u16, seconds: f64) {
        let method = match method.as_str() {
            known @ ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS") => known,
            _ => "other",
        };
        let mut digits = [b'0'; 3];
        let status = status_text(status, &mut digits);
        self.requests.with_label_values(&[method, pattern, status]).inc();
        self.request_seconds.with_label_values(&[pattern]).observe(seconds);
    }
}

fn status_text(status: u16, digits: &mut [u8; 3]) -> &str {
    for (place, digit) in [100, 10, 1].into_iter().zip(digits.iter_mut()) {
        *digit = b'0' + u8::try_from(status / place % 10).unwrap_or(0);
    }
    std::str::from_utf8(digits).unwrap_or_default()
}
