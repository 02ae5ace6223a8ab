//! The people and machines that are or were at a worksite.

use crate::{BaseStationId, Coordinates, MachineId, MachineKind, Timestamp, WorksiteId};

/// The last reported position of a machine.
#[derive(Clone, Debug)]
pub struct MachinePosition {
    pub machine: MachineId,
    pub machine_name: String,
    pub machine_kind: MachineKind,
    /// The base station that is on the machine now, with its serial.
    pub base_station: (BaseStationId, String),
    /// The worksite that the machine is assigned to now.
    pub worksite: Option<WorksiteId>,
    /// Time of the report.
    pub at: Timestamp,
    pub position: Coordinates,
}

/// A person or machine that was seen at a worksite.
#[derive(Clone, Debug)]
pub struct LastSeenAt<T> {
    /// The person or machine.
    pub subject: T,
    /// Number of incursions at the worksite.
    pub incursions: i64,
    /// Start of the last of these incursions.
    pub last_seen_at: Timestamp,
}
