//! The filters that lists, insights, charts, pivots and exports share.

use crate::{BaseStationId, MachineId, Period, PersonId, ProjectId, Review, Span, TagId, WorksiteId, Zone};

/// Which incursions are asked for. An empty list asks for nothing in particular.
#[derive(Clone, Debug, Default)]
pub struct IncursionFilter {
    /// Only those that began then; none for all times.
    pub period: Option<Period>,
    /// Only of these projects.
    pub projects: Vec<ProjectId>,
    /// Only at these sites.
    pub worksites: Vec<WorksiteId>,
    /// Only of these machines.
    pub machines: Vec<MachineId>,
    /// Only noticed by these stations.
    pub base_stations: Vec<BaseStationId>,
    /// Only with these people, on foot or driving.
    pub people: Vec<PersonId>,
    /// Only with these people on foot.
    pub pedestrians: Vec<PersonId>,
    /// Only with these people driving.
    pub operators: Vec<PersonId>,
    /// Only of these tags, worn on foot.
    pub tags: Vec<TagId>,
    /// Only as near as this.
    pub zones: Vec<Zone>,
    /// Only those that were acknowledged in the cab, or only those that were not.
    pub acknowledged: Option<bool>,
    /// Only those that lasted so long at least. One without an end has no length.
    pub min_duration: Option<Span>,
    /// Only those that lasted so long at most.
    pub max_duration: Option<Span>,
    /// Only what the office made this of.
    pub reviews: Vec<Review>,
}

impl IncursionFilter {
    /// Whether runtime can be told apart by it: who walked by does not say which machine ran.
    pub fn applies_to_runtime(&self) -> bool {
        self.people.is_empty() && self.pedestrians.is_empty() && self.tags.is_empty()
    }
}
