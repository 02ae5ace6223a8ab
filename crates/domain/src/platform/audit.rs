//! The audit log, as it is read.

use crate::{AuditId, BrandId, PeriodBound, Timestamp};

/// A stored row. The chain is computed from its fields.
#[derive(Clone, Debug, macros::FromRow)]
pub struct AuditRow {
    pub id: AuditId,
    /// None for actions on the installation.
    #[row(column = "brand_id")]
    pub brand: Option<BrandId>,
    pub at: Timestamp,
    pub actor_kind: String,
    pub actor_id: Option<i64>,
    pub action: String,
    pub target_kind: String,
    pub target_id: Option<i64>,
    /// JSON without personal fields.
    pub details: String,
    /// Keyed hash of the personal text.
    pub personal_hash: Option<Vec<u8>>,
    /// The personal text, unless it was erased.
    pub personal_text: Option<String>,
    /// Network address of the caller.
    pub address: Option<String>,
    pub request_id: Option<String>,
}

/// A row with the name of its actor, as admins read it.
#[derive(Clone, Debug, macros::FromRow)]
pub struct AuditLogEntry {
    #[row(flatten)]
    pub row: AuditRow,
    /// The current name; none for actors without one.
    pub actor_name: Option<String>,
}

/// Filters of a brand's audit log.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    pub action: Option<String>,
    pub actor_kind: Option<String>,
    /// Ids are unique only within a `actor_kind`.
    pub actor_id: Option<i64>,
    pub target_kind: Option<String>,
    /// Ids are unique only within a `target_kind`.
    pub target_id: Option<i64>,
    /// Inclusive.
    pub from: Option<PeriodBound>,
    /// Exclusive.
    pub to: Option<PeriodBound>,
}
