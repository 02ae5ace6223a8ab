//! Facts as questions look at them: what is counted, and nothing else of it.

use crate::{
    BaseStationId, Day, IncursionId, MachineId, PersonId, ProjectId, Review, RuntimePieceId, TagId,
    Timestamp, WorksiteId, Zone,
};

/// An incursion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IncursionFact {
    /// Its id.
    pub id: IncursionId,
    /// Since when.
    pub started_at: Timestamp,
    /// Until when.
    pub ended_at: Option<Timestamp>,
    /// When the button in the cab was pressed.
    pub acknowledged_at: Option<Timestamp>,
    /// The worst zone.
    pub zone: Zone,
    /// What the office made of it.
    pub review: Review,
    /// The machine the station was on.
    pub machine: Option<MachineId>,
    /// Who wore the tag.
    pub pedestrian: Option<PersonId>,
    /// Who wore the operator's tag.
    pub operator: Option<PersonId>,
    /// The site.
    pub worksite: Option<WorksiteId>,
    /// The site's project.
    pub project: Option<ProjectId>,
    /// The station that noticed it.
    pub base_station: BaseStationId,
    /// The tag that came near.
    pub tag: TagId,
    /// The day on the site's clock.
    pub local_day: Day,
    /// The minute of the week on the site's clock, from Monday 0:00.
    pub local_minute: i64,
    /// The H3 cell of the finest resolution around the position.
    pub cell: Option<i64>,
}

impl IncursionFact {
    /// How long it lasted, in whole milliseconds; none without an end.
    pub fn duration_ms(&self) -> Option<i64> {
        self.ended_at.map(|ended_at| (ended_at - self.started_at).micros() / 1_000)
    }

    /// How long the cab took to acknowledge it, in whole milliseconds; none if it did not.
    pub fn ack_ms(&self) -> Option<i64> {
        self.acknowledged_at.map(|acknowledged_at| (acknowledged_at - self.started_at).micros() / 1_000)
    }
}

/// A piece of runtime, within one hour of the site's clock and one set of links. Of no length, it is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuntimeFact {
    /// Its id.
    pub id: RuntimePieceId,
    /// The station that told.
    pub base_station: BaseStationId,
    /// Since when.
    pub started_at: Timestamp,
    /// Until when.
    pub ended_at: Timestamp,
    /// The machine the station was on.
    pub machine: Option<MachineId>,
    /// Who wore the operator's tag.
    pub operator: Option<PersonId>,
    /// The site.
    pub worksite: Option<WorksiteId>,
    /// The site's project.
    pub project: Option<ProjectId>,
    /// The day on the site's clock.
    pub local_day: Day,
    /// The hour on the site's clock.
    pub local_hour: i64,
}
