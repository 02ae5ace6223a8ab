//! What is refused before a rule is stored or replayed: terms that do not fit, records that its owner does not see, and scopes in which
//! nothing is left.

use std::collections::HashSet;
use std::hash::Hash;

use domain::{
    AlertScope, AlertTerms, BaseStationId, Invalid, MachineId, PersonId, ProjectId, ScopeList, TagId,
    WorksiteId,
};
use store::{Projects, Scope, ScopePlacement, Tx};

use crate::accounts::authors::Author;
use crate::{App, Error, FieldError};

impl App {
    /// Refuses what cannot be judged: field faults, unknown records, an empty scope.
    pub(crate) async fn check_alert_terms(&self, author: &Author, terms: &AlertTerms) -> Result<(), Error> {
        let faults = terms.check();
        if !faults.is_empty() {
            let faults = faults.into_iter();
            let faults = faults.map(|(field, invalid)| FieldError { field: field.to_owned(), invalid });
            return Err(Error::invalid(faults.collect()));
        }
        if matches!(author.scope.projects(), Projects::Only(projects) if projects.is_empty()) {
            return Err(empty_scope("leaves nothing to watch: the owner is restricted to no project"));
        }
        let mut tx = self.store.read().await?;
        let missing = find_missing(&mut tx, &author.scope, &terms.scope).await?;
        if !missing.is_empty() {
            return Err(Error::invalid(missing));
        }
        if is_empty(&mut tx, &author.scope, &terms.scope).await? {
            return Err(empty_scope("leaves nothing to watch that the owner of the alert sees"));
        }
        Ok(())
    }
}

fn empty_scope(text: &'static str) -> Error {
    Error::invalid_field("scope", Invalid::new("empty_scope", text))
}

/// Finds the lists of a scope that name records which do not exist within the owner's sight.
async fn find_missing(tx: &mut Tx, sight: &Scope, scope: &AlertScope) -> Result<Vec<FieldError>, Error> {
    let mut visible = tx.visibility(sight);
    let projects = typed(&scope.project_ids, ProjectId);
    let worksites = typed(&scope.worksite_ids, WorksiteId);
    let machines = typed(&scope.machine_ids, MachineId);
    let people = typed(&scope.person_ids, PersonId);
    let tags = typed(&scope.tag_ids, TagId);
    let stations = typed(&scope.base_station_ids, BaseStationId);
    let project = first_missing(&projects, &visible.projects(&projects).await?);
    let worksite = first_missing(&worksites, &visible.worksites(&worksites).await?);
    let machine = first_missing(&machines, &visible.machines(&machines).await?);
    let person = first_missing(&people, &visible.people(&people).await?);
    let tag = first_missing(&tags, &visible.tags(&tags).await?);
    let station = first_missing(&stations, &visible.base_stations(&stations).await?);
    let missing = [
        (ScopeList::Projects, project.map(|id| id.0)),
        (ScopeList::Worksites, worksite.map(|id| id.0)),
        (ScopeList::Machines, machine.map(|id| id.0)),
        (ScopeList::People, person.map(|id| id.0)),
        (ScopeList::Tags, tag.map(|id| id.0)),
        (ScopeList::BaseStations, station.map(|id| id.0)),
    ];
    let fault = |(list, id): (ScopeList, Option<i64>)| id.map(|id| missing_record(list, id));
    Ok(missing.into_iter().filter_map(fault).collect())
}

fn typed<T>(ids: &[i64], id: impl Fn(i64) -> T) -> Vec<T> {
    ids.iter().copied().map(id).collect()
}

fn first_missing<T: Copy + Eq + Hash>(wanted: &[T], found: &HashSet<T>) -> Option<T> {
    wanted.iter().copied().find(|id| !found.contains(id))
}

fn missing_record(list: ScopeList, id: i64) -> FieldError {
    let (code, what) = match list {
        ScopeList::Projects => ("unknown_project", "a project"),
        ScopeList::Worksites => ("unknown_worksite", "a worksite"),
        ScopeList::Machines => ("unknown_machine", "a machine"),
        ScopeList::People => ("unknown_person", "a person"),
        ScopeList::Tags => ("unknown_tag", "a tag"),
        ScopeList::BaseStations => ("unknown_base_station", "a base station"),
        ScopeList::Zones => ("invalid_zone", "a zone"),
    };
    let text = format!("names {id}, which is not {what} that the owner of the alert sees");
    FieldError { field: list.path().to_owned(), invalid: Invalid::new(code, text) }
}

/// Whether nothing is left of a scope for its owner: none of its worksites is in one of its projects, or all its people are out of the
/// owner's sight.
async fn is_empty(tx: &mut Tx, sight: &Scope, scope: &AlertScope) -> Result<bool, Error> {
    if !scope.project_ids.is_empty() && !scope.worksite_ids.is_empty() {
        let mut is_within = false;
        for id in &scope.worksite_ids {
            let site = tx.worksites(sight).find_without_boundary(WorksiteId(*id)).await?;
            let project = site.and_then(|site| site.project);
            is_within = project.is_some_and(|project| scope.project_ids.contains(&project.0));
            if is_within {
                break;
            }
        }
        if !is_within {
            return Ok(true);
        }
    }
    if *sight.projects() == Projects::All || scope.person_ids.is_empty() {
        return Ok(false);
    }
    for id in &scope.person_ids {
        let placement = tx.out_of_scope(sight).person_placement(PersonId(*id)).await?;
        if placement != ScopePlacement::OutOfScope {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_record_is_named_by_its_list() {
        let found: HashSet<i64> = [1, 3].into();
        assert_eq!(first_missing(&[1, 2, 3, 4], &found), Some(2));
        assert_eq!(first_missing(&[3, 1], &found), None);
        let fault = missing_record(ScopeList::BaseStations, 9);
        assert_eq!(fault.field, "scope.base_station_ids");
        assert_eq!(fault.invalid.code, "unknown_base_station");
        assert!(fault.invalid.message.contains("names 9"));
    }
}
