//! The job runner, its configuration and the reconcilers.

pub(crate) mod attempts;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod outcome;
pub(crate) mod reconcilers;
pub(crate) mod runner;
pub(crate) mod worker_permits;
