//! References of a view or a report to entries that do not exist for the caller.

use domain::access::ReadInsights;
use domain::insights::IncursionFilter;
use store::Scope;

use crate::{App, Caller, Error};

/// A filter's reference to an entry that is deleted or out of the caller's scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingReference {
    /// The field of the filter.
    pub field: &'static str,
    pub id: i64,
}

#[macros::boxed]
impl App {
    /// Finds references that do not exist for the caller. They stay in the filter, because it would match more without them.
    pub async fn find_missing_references(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
    ) -> Result<Vec<MissingReference>, Error> {
        self.find_missing_references_in(caller.scope(), filter).await
    }

    /// The same for a scope, such as that of the author of a report.
    pub(crate) async fn find_missing_references_in(
        &self,
        scope: &Scope,
        filter: &IncursionFilter,
    ) -> Result<Vec<MissingReference>, Error> {
        let mut tx = self.store.read().await?;
        let mut visibility = tx.visibility(scope);
        let people: Vec<_> =
            [&filter.people, &filter.pedestrians, &filter.operators].into_iter().flatten().copied().collect();
        let people = visibility.people(&people).await?;
        let mut missing = Vec::new();
        macro_rules! collect_missing {
            ($field:literal, $ids:expr, $there:expr) => {
                let there = &$there;
                let gone = $ids.iter().filter(|id| !there.contains(id));
                missing.extend(gone.map(|id| MissingReference { field: $field, id: id.0 }));
            };
        }
        collect_missing!("project_id", filter.projects, visibility.projects(&filter.projects).await?);
        collect_missing!("worksite_id", filter.worksites, visibility.worksites(&filter.worksites).await?);
        collect_missing!("machine_id", filter.machines, visibility.machines(&filter.machines).await?);
        collect_missing!(
            "base_station_id",
            filter.base_stations,
            visibility.base_stations(&filter.base_stations).await?
        );
        collect_missing!("person_id", filter.people, people);
        collect_missing!("pedestrian_id", filter.pedestrians, people);
        collect_missing!("operator_id", filter.operators, people);
        collect_missing!("tag_id", filter.tags, visibility.tags(&filter.tags).await?);
        Ok(missing)
    }
}
