//! Positions of base stations.

use crate::{BaseStationId, Coordinates, Timestamp};

/// The last known position of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StationPosition {
    pub base_station: BaseStationId,
    pub at: Timestamp,
    pub position: Coordinates,
}
