//! The result of checking the audit log.

use domain::Timestamp;

/// The result of checking the chains.
#[derive(Clone, Debug, Default)]
pub struct AuditReport {
    /// Number of rows with a valid seal.
    pub sealed: u64,
    /// Number of rows sealed under a lost key; only recorded heads can show whether they changed.
    pub unchecked: u64,
    /// Number of recorded heads that match their chain.
    pub heads: u64,
    /// Time of the newest recorded head.
    pub newest_head: Option<Timestamp>,
    /// Faults, one sentence each.
    pub faults: Vec<String>,
    /// Notices that are not faults, one sentence each.
    pub notices: Vec<String>,
}
