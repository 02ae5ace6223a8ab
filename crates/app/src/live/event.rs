//! The events of a stream.

use domain::{OpenAlert, SiteChanges, WorkProgress};

use super::devices::DeviceStates;

/// An event. All but facts are states: the newest one replaces those before.
#[derive(Clone, Debug)]
pub enum LiveEvent {
    /// The open firings that the caller sees, newest first, and whether the brand has more than streams report.
    Alerts {
        open: Vec<OpenAlert>,
        has_more: bool,
    },
    /// The caller's own work that is unfinished or was finished recently.
    Progress(Vec<WorkProgress>),
    Devices(DeviceStates),
    /// The changes of facts after one sequence number and up to another. The stream resumes after the latter.
    Facts {
        seq: i64,
        since: i64,
        worksites: Vec<SiteChanges>,
    },
}
