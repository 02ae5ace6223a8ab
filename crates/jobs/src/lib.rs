//! Work that outlives its request: the runner, one file per job, the periodic reconcilers.
//!
//! A job is enqueued by a use case, in the transaction of what it follows from. A worker of any process claims it under a
//! lease and a fencing number, its handler says how it ended, and the runner writes that down. To add one: a payload in
//! `app/src/platform/jobs.rs`, a file here, a line in [`Runner::new`].

mod accounts;
mod facts;
mod insights;
mod platform;

pub use platform::config::Config;
pub use platform::context::Context;
pub use platform::outcome::Outcome;
pub use platform::reconcilers::Reconciler;
pub use platform::runner::Runner;
