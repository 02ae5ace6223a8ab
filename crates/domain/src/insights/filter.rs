//! The filter shared by lists, insights, charts, pivots and exports.

use crate::{
    BaseStationId, MachineId, MachineKind, Period, PersonId, ProjectId, Review, Span, TagId, WorksiteId,
    WorksiteKind, Zone,
};

/// A filter for incursions. An empty list does not restrict.
#[derive(Clone, Debug, Default)]
pub struct IncursionFilter {
    /// The period in which the incursion started; `None` for all times.
    pub period: Option<Period>,
    pub projects: Vec<ProjectId>,
    pub worksites: Vec<WorksiteId>,
    /// Kinds that the worksites have now.
    pub worksite_kinds: Vec<WorksiteKind>,
    pub machines: Vec<MachineId>,
    /// Kinds that the machines have now.
    pub machine_kinds: Vec<MachineKind>,
    /// The stations that detected the incursion.
    pub base_stations: Vec<BaseStationId>,
    /// People on foot or driving.
    pub people: Vec<PersonId>,
    /// People on foot.
    pub pedestrians: Vec<PersonId>,
    /// People driving.
    pub operators: Vec<PersonId>,
    /// Tags worn on foot.
    pub tags: Vec<TagId>,
    pub zones: Vec<Zone>,
    /// Whether the incursion was acknowledged in the cab.
    pub acknowledged: Option<bool>,
    /// Incursions without an end have no duration and never match.
    pub min_duration: Option<Span>,
    /// Incursions without an end have no duration and never match.
    pub max_duration: Option<Span>,
    pub reviews: Vec<Review>,
}

impl IncursionFilter {
    /// Whether the filter depends on attributes that the facts do not contain.
    pub fn needs_kinds(&self) -> bool {
        !self.machine_kinds.is_empty() || !self.worksite_kinds.is_empty()
    }

    /// Whether the filter restricts nothing but the period and the review.
    pub fn is_only_of_period_and_review(&self) -> bool {
        let Self {
            period: _, reviews: _, projects, worksites, worksite_kinds, machines, machine_kinds, ..
        } = self;
        let Self { base_stations, people, pedestrians, operators, tags, zones, acknowledged, .. } = self;
        let registry = projects.is_empty() && worksites.is_empty() && worksite_kinds.is_empty();
        let machines = machines.is_empty() && machine_kinds.is_empty() && base_stations.is_empty();
        let people = people.is_empty() && pedestrians.is_empty() && operators.is_empty() && tags.is_empty();
        let spans = self.min_duration.is_none() && self.max_duration.is_none();
        registry && machines && people && zones.is_empty() && acknowledged.is_none() && spans
    }

    /// Whether the filter can be applied to runtime. It cannot if it restricts pedestrians, for example, since those do not say
    /// which machine ran.
    pub fn applies_to_runtime(&self) -> bool {
        self.people.is_empty() && self.pedestrians.is_empty() && self.tags.is_empty()
    }
}
