//! The job runner and the reconcilers.

mod leases;
mod reconcilers;
mod retries;
mod worker;
