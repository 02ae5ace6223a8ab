//! Work that outlives its request: the runner, one file per job, the periodic reconcilers.
//!
//! A job is enqueued by a use case, in the transaction of what it follows from. A worker of any process claims it under a
//! lease and a fencing number, its handler says how it ended, and the runner writes that down. To add one: a payload in
//! `app/src/jobs.rs`, a file here, a line in [`Runner::new`].

mod account_mail;
mod account_notice;
mod config;
mod context;
mod export_making;
mod outcome;
mod places;
mod reattribution;
mod reconcilers;
mod runner;

pub use config::Config;
pub use context::Context;
pub use outcome::Outcome;
pub use reconcilers::Reconciler;
pub use runner::Runner;
