//! Accepting and limiting connections, and everything that applies to all requests on them.

pub(crate) mod access_log;
mod alert_metrics;
pub(crate) mod body_budget;
pub(crate) mod body_timeout;
pub(crate) mod catch_panics;
pub(crate) mod connections;
pub(crate) mod cors;
pub(crate) mod csrf;
mod fleet_metrics;
pub(crate) mod health;
pub(crate) mod host;
mod live_metrics;
pub(crate) mod long_polls;
mod metric_lines;
pub(crate) mod metrics;
pub(crate) mod metrics_text;
pub(crate) mod proxy;
pub(crate) mod rate_limits;
pub(crate) mod request_context;
pub(crate) mod serve;
pub(crate) mod streams;
pub(crate) mod unread_body;
pub(crate) mod write_timeout;
