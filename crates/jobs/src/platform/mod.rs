//! What the installation itself needs: audit log, keys, jobs, housekeeping.

pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod outcome;
pub(crate) mod reconcilers;
pub(crate) mod runner;
pub(crate) mod worker_permits;
