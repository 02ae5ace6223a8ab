//! Connections: accepting them, limiting them, and what holds for all requests on them.

pub(crate) mod connections;
pub(crate) mod cors;
pub(crate) mod edge;
pub(crate) mod health;
pub(crate) mod host;
pub(crate) mod limits;
pub(crate) mod long_polls;
pub(crate) mod metrics;
pub(crate) mod pace;
pub(crate) mod proxy;
pub(crate) mod receiving;
pub(crate) mod serve;
pub(crate) mod stall;
