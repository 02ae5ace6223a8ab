//! The records that incursions refer to, as they are now.

use domain::access::ReadRegistry;
use domain::{Attribution, Machine, Person, Project, Worksite};
use store::Tx;

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
        read_related_records(&mut self.store.read().await?, caller, links, relations).await
    }
}

/// The same in a transaction, with one statement for each kind of record.
pub(super) async fn read_related_records(
    tx: &mut Tx,
    caller: &Caller<ReadRegistry>,
    links: &[Attribution],
    relations: IncursionRelations,
) -> Result<RelatedRecords, Error> {
    let (scope, names) = (caller.scope(), caller.names());
    let mut related = RelatedRecords::default();
    let machines = each_once(links, |of| [of.machine.filter(|_| relations.machine)]);
    if !machines.is_empty() {
        related.machines = tx.machines(scope).among(&machines).await?;
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
        related.worksites = tx.worksites(scope).among(&worksites).await?;
    }
    let projects = each_once(links, |of| [of.project.filter(|_| relations.project)]);
    if !projects.is_empty() {
        related.projects = tx.projects(scope).among(&projects).await?;
    }
    Ok(related)
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
