//! Incursions and runtime reduced to the fields that questions are computed from.

use crate::{
    BaseStationId, Day, IncursionId, MachineId, PersonId, ProjectId, Review, RuntimePieceId, TagId,
    Timestamp, WorksiteId, Zone,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IncursionFact {
    pub id: IncursionId,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub acknowledged_at: Option<Timestamp>,
    /// The innermost zone.
    pub zone: Zone,
    pub review: Review,
    /// The machine the station was installed on.
    pub machine: Option<MachineId>,
    /// The person who wore the tag.
    pub pedestrian: Option<PersonId>,
    /// The person who wore the operator's tag.
    pub operator: Option<PersonId>,
    pub worksite: Option<WorksiteId>,
    /// The worksite's project at the time.
    pub project: Option<ProjectId>,
    /// The station that detected the incursion.
    pub base_station: BaseStationId,
    /// The tag that entered the zone.
    pub tag: TagId,
    /// The day in the worksite's local time.
    pub local_day: Day,
    /// The minute of the week in the worksite's local time, from Monday 0:00.
    pub local_minute: i64,
    /// The H3 cell of the position, in the finest resolution.
    pub cell: Option<i64>,
}

impl IncursionFact {
    /// Returns the duration in whole milliseconds; `None` without an end.
    pub fn duration_ms(&self) -> Option<i64> {
        self.ended_at.map(|ended_at| (ended_at - self.started_at).micros() / 1_000)
    }

    /// Returns the time to acknowledgement in whole milliseconds; `None` if not acknowledged.
    pub fn ack_ms(&self) -> Option<i64> {
        self.acknowledged_at.map(|acknowledged_at| (acknowledged_at - self.started_at).micros() / 1_000)
    }
}

/// A piece of runtime within one local hour and one set of links. A piece of zero length counts as deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuntimeFact {
    pub id: RuntimePieceId,
    /// The station that reported it.
    pub base_station: BaseStationId,
    pub started_at: Timestamp,
    pub ended_at: Timestamp,
    /// The machine the station was installed on.
    pub machine: Option<MachineId>,
    /// The person who wore the operator's tag.
    pub operator: Option<PersonId>,
    pub worksite: Option<WorksiteId>,
    /// The worksite's project at the time.
    pub project: Option<ProjectId>,
    /// The day in the worksite's local time.
    pub local_day: Day,
    /// The hour in the worksite's local time.
    pub local_hour: i64,
}
