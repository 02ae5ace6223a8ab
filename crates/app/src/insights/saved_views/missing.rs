//! What a view names that is not there, as far as whoever runs it may know.

use domain::access::ReadInsights;
use domain::insights::IncursionFilter;

use crate::{App, Caller, Error};

/// Something that a filter names and that is not there: deleted, or out of the caller's reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The field of the filter that names it.
    pub field: &'static str,
    /// Its id.
    pub id: i64,
}

impl App {
    /// What a filter names that is not there for the caller. It stays in the filter: without it, the filter would find more.
    pub async fn missing_of(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
    ) -> Result<Vec<Missing>, Error> {
        let mut tx = self.store.read().await?;
        let mut reach = tx.reach(caller.scope());
        let people: Vec<_> =
            [&filter.people, &filter.pedestrians, &filter.operators].into_iter().flatten().copied().collect();
        let people = reach.people(&people).await?;
        let mut missing = Vec::new();
        macro_rules! look {
            ($field:literal, $ids:expr, $there:expr) => {
                let there = &$there;
                let gone = $ids.iter().filter(|id| !there.contains(id));
                missing.extend(gone.map(|id| Missing { field: $field, id: id.0 }));
            };
        }
        look!("project_id", filter.projects, reach.projects(&filter.projects).await?);
        look!("worksite_id", filter.worksites, reach.worksites(&filter.worksites).await?);
        look!("machine_id", filter.machines, reach.machines(&filter.machines).await?);
        look!("base_station_id", filter.base_stations, reach.base_stations(&filter.base_stations).await?);
        look!("person_id", filter.people, people);
        look!("pedestrian_id", filter.pedestrians, people);
        look!("operator_id", filter.operators, people);
        look!("tag_id", filter.tags, reach.tags(&filter.tags).await?);
        Ok(missing)
    }
}
