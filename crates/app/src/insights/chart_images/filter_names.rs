//! The names of the records that a filter refers to.

use std::collections::HashSet;

use domain::access::ReadInsights;
use domain::insights::{Dimension, Group, Groups, IncursionFilter};

use crate::insights::labels::Labels;
use crate::{App, Caller, Error};

/// The names of the records that a filter refers to, as far as the caller may see them.
#[derive(Debug, Default)]
pub(super) struct FilterNames {
    labels: Labels,
    /// The field and id of records that do not exist for the caller.
    missing: HashSet<(&'static str, i64)>,
}

/// Up to this many records are named.
const MAX_NAMED: usize = 3;

impl FilterNames {
    /// Names the records of a field; `None` if there are too many, or if one does not exist for the caller.
    pub fn name_all(&self, field: &'static str, dimension: Dimension, ids: &[i64]) -> Option<String> {
        if ids.len() > MAX_NAMED || ids.iter().any(|id| self.missing.contains(&(field, *id))) {
            return None;
        }
        let names: Vec<String> = ids.iter().map(|id| self.labels.label(dimension, Some(*id)).label).collect();
        Some(names.join(", "))
    }
}

impl App {
    pub(super) async fn load_filter_names(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
    ) -> Result<FilterNames, Error> {
        let people: Vec<i64> = [&filter.people, &filter.pedestrians, &filter.operators]
            .into_iter()
            .flatten()
            .map(|person| person.0)
            .collect();
        let ids: [(Dimension, Vec<i64>); 6] = [
            (Dimension::Project, filter.projects.iter().map(|id| id.0).collect()),
            (Dimension::Worksite, filter.worksites.iter().map(|id| id.0).collect()),
            (Dimension::Machine, filter.machines.iter().map(|id| id.0).collect()),
            (Dimension::BaseStation, filter.base_stations.iter().map(|id| id.0).collect()),
            (Dimension::Pedestrian, people),
            (Dimension::Tag, filter.tags.iter().map(|id| id.0).collect()),
        ];
        if ids.iter().all(|(_, ids)| ids.is_empty()) {
            return Ok(FilterNames::default());
        }
        let missing = self.find_missing_references(caller, filter).await?;
        let group = |id: i64| Group { keys: vec![Some(id)], figures: Vec::new() };
        let groups = ids.map(|(dimension, ids)| {
            ([dimension], Groups { groups: ids.into_iter().map(group).collect(), more: 0 })
        });
        let wanted = groups.iter().map(|(dimensions, groups)| (&dimensions[..], groups));
        Ok(FilterNames {
            labels: self.load_labels(caller, wanted).await?,
            missing: missing.into_iter().map(|missing| (missing.field, missing.id)).collect(),
        })
    }
}
