//! Installations of base stations on machines.

use crate::{BaseStationId, InstallationId, MachineId, Timestamp};

/// The time of a base station on a machine.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct StationInstallation {
    pub id: InstallationId,
    #[row(column = "base_station_id")]
    pub base_station: BaseStationId,
    pub serial: String,
    #[row(column = "machine_id")]
    pub machine: MachineId,
    pub machine_name: String,
    #[row(column = "from_at")]
    pub from: Timestamp,
    /// The end, exclusive; none while it is open.
    #[row(column = "to_at")]
    pub to: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl StationInstallation {
    /// Whether the station was on the machine at a time.
    pub fn contains(&self, at: Timestamp) -> bool {
        self.from <= at && self.to.is_none_or(|to| at < to)
    }
}
