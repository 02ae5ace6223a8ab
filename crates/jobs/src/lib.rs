//! Background work: the runner, one file per job, the periodic reconcilers, and the evaluation of alerts.
//!
//! A use case enqueues a job in the transaction that causes it. A worker of any process claims it under a lease with a fencing number, its
//! handler returns the outcome, and the runner records it. To add a job: a payload in `app/src/platform/job_payloads.rs`, a file
//! here, and a line in [`Runner::new`].

mod accounts;
mod alerts;
mod facts;
mod insights;
mod platform;
mod reports;

pub use platform::config::Config;
pub use platform::context::Context;
pub use platform::outcome::Outcome;
pub use platform::reconcilers::Reconciler;
pub use platform::runner::Runner;
