//! The installation itself: audit log, keys, jobs and housekeeping.

pub(crate) mod audit;
pub(crate) mod audit_chain;
pub(crate) mod audit_chain_ends;
pub(crate) mod audit_check;
pub(crate) mod audit_heads;
pub(crate) mod audit_report;
pub(crate) mod clock_watch;
pub(crate) mod config;
pub(crate) mod duplicates;
pub(crate) mod error;
pub(crate) mod housekeeping;
pub(crate) mod idempotency;
pub(crate) mod if_match;
pub(crate) mod installation_key;
pub(crate) mod job_payloads;
pub mod jobs;
pub(crate) mod key_epochs;
pub(crate) mod local_bounds;
pub(crate) mod mac;
pub(crate) mod object_check;
pub(crate) mod orphaned_objects;
pub(crate) mod private_files;
pub(crate) mod readiness;
pub(crate) mod restore;
pub(crate) mod sealing;
