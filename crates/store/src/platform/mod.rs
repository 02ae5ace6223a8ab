//! Tables of the installation itself: audit log, keys, jobs, hosts, idempotency keys and visibility of records.

pub(crate) mod audit;
pub(crate) mod audit_marks;
pub(crate) mod audit_seals;
pub(crate) mod clock_rollback;
pub(crate) mod hosts;
pub(crate) mod idempotency;
pub(crate) mod installation;
pub(crate) mod job_claims;
pub(crate) mod jobs;
pub(crate) mod key_epochs;
pub(crate) mod visibility;
