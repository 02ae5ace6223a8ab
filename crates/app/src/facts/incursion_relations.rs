//! The records that incursions refer to, as they are now.

use domain::access::ReadRegistry;
use domain::{Attribution, Machine, MachineId, Person, Project, Worksite, WorksiteId};
use store::{Projects, Scope, Tx};

use crate::facts::related_cache::RegistryState;
use crate::{App, Caller, Error};

/// The relationships of incursions whose records are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IncursionRelations {
    pub machine: bool,
    pub pedestrian: bool,
    pub operator: bool,
    pub worksite: bool,
    pub project: bool,
}

/// The records that incursions refer to, each once. Those that the caller cannot see now are left out: a machine, for example, may have
/// moved to another project since.
#[derive(Clone, Debug, Default)]
pub struct RelatedRecords {
    pub machines: Vec<Machine>,
    pub people: Vec<Person>,
    /// Without their boundaries.
    pub worksites: Vec<Worksite>,
    pub projects: Vec<Project>,
}

#[macros::boxed]
impl App {
    /// Returns the records that incursions with these links refer to.
    pub async fn find_related_records(
        &self,
        caller: &Caller<ReadRegistry>,
        links: &[Attribution],
        relations: IncursionRelations,
    ) -> Result<RelatedRecords, Error> {
        if relations == IncursionRelations::default() {
            return Ok(RelatedRecords::default());
        }
        let timeline = self.store.server_timeline();
        let mut tx = self.store.read().await?;
        let version = tx.counters(caller.scope()).await?.registry_version;
        let state = RegistryState { timeline, version };
        self.read_related_records(&mut tx, caller, links, relations, state).await
    }

    /// The same in a transaction that has read the version of the registry, with one statement at most for each kind of record. The
    /// timeline is the one from before its connection was acquired.
    pub(super) async fn read_related_records(
        &self,
        tx: &mut Tx,
        caller: &Caller<ReadRegistry>,
        links: &[Attribution],
        relations: IncursionRelations,
        state: RegistryState,
    ) -> Result<RelatedRecords, Error> {
        let (scope, names) = (caller.scope(), caller.names());
        // If another connection has found another timeline meanwhile, it is not certain to which of them this one leads.
        let state = (state.timeline == self.store.server_timeline()).then_some(state);
        let mut related = RelatedRecords::default();
        let machines = each_once(links, |of| [of.machine.filter(|_| relations.machine)]);
        if !machines.is_empty() {
            related.machines = self.related_machines(tx, scope, state, &machines).await?;
        }
        let people = each_once(links, |of| {
            [of.pedestrian.filter(|_| relations.pedestrian), of.operator.filter(|_| relations.operator)]
        });
        if !people.is_empty() {
            let found = tx.people(scope).among(&people).await?;
            related.people = found.into_iter().map(|person| names.redact_record(person)).collect();
        }
        let worksites = each_once(links, |of| [of.worksite.filter(|_| relations.worksite)]);
        if !worksites.is_empty() {
            related.worksites = self.related_worksites(tx, scope, state, &worksites).await?;
        }
        let projects = each_once(links, |of| [of.project.filter(|_| relations.project)]);
        if !projects.is_empty() {
            related.projects = tx.projects(scope).among(&projects).await?;
        }
        Ok(related)
    }

    async fn related_machines(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        state: Option<RegistryState>,
        ids: &[MachineId],
    ) -> Result<Vec<Machine>, Error> {
        let Some(state) = state.filter(|_| *scope.projects() == Projects::All) else {
            return Ok(tx.machines(scope).among(ids).await?);
        };
        if let Some(known) = self.related_cache.machines(scope.brand(), state, ids) {
            return Ok(known);
        }
        let found = tx.machines(scope).among(ids).await?;
        self.related_cache.add_machines(scope.brand(), state, &found);
        Ok(found)
    }

    async fn related_worksites(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        state: Option<RegistryState>,
        ids: &[WorksiteId],
    ) -> Result<Vec<Worksite>, Error> {
        let Some(state) = state.filter(|_| *scope.projects() == Projects::All) else {
            return Ok(tx.worksites(scope).among(ids).await?);
        };
        if let Some(known) = self.related_cache.worksites(scope.brand(), state, ids) {
            return Ok(known);
        }
        let found = tx.worksites(scope).among(ids).await?;
        self.related_cache.add_worksites(scope.brand(), state, &found);
        Ok(found)
    }
}

/// Returns the ids that links contain, in order and each once.
fn each_once<T: Ord, const N: usize>(
    links: &[Attribution],
    ids: impl Fn(&Attribution) -> [Option<T>; N],
) -> Vec<T> {
    let mut found: Vec<T> = links.iter().flat_map(|of| ids(of).into_iter().flatten()).collect();
    found.sort_unstable();
    found.dedup();
    found
}
