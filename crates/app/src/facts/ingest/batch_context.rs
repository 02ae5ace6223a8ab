//! The state of one commit, which the ingest of each kind of event reads and updates.

use domain::Timestamp;
use store::{Scope, Tx};

use super::attribution_cache::AttributionCache;
use super::events::EventOutcome;
use crate::App;

/// Shared by the ingest of all kinds of events.
pub(super) struct BatchContext<'a> {
    pub app: &'a App,
    pub scope: &'a Scope,
    pub tx: &'a mut Tx,
    pub links: &'a mut AttributionCache,
    pub outcomes: &'a mut [EventOutcome],
    pub now: Timestamp,
    /// The first sequence number reserved for incursions.
    pub first_seq: i64,
    /// The last sequence number allocated so far.
    pub last_seq: i64,
}
