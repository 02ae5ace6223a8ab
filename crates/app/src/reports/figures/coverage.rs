//! The projects whose facts went into a report: whoever does not see all of them does not see the report.

use domain::{MachineId, ProjectId, SortedSet, WorksiteId};
use store::{Projects, ReportCoverage, Scope, Tx};

use super::Draft;
use crate::accounts::authors::Author;
use crate::reports::request::ReportRequest;
use crate::{App, Error};

impl App {
    /// Determines what a report covers: the projects of its facts and of the records that it names or, if it is not narrowed to
    /// projects or worksites, everything that its author sees.
    pub(super) async fn coverage_of_figures(
        &self,
        author: &Author,
        request: &ReportRequest,
        draft: &Draft,
    ) -> Result<ReportCoverage, Error> {
        let whole = || match author.scope.projects() {
            Projects::All => ReportCoverage::AllProjects,
            Projects::Only(projects) => ReportCoverage::Projects(projects.clone()),
        };
        let filter = &request.filter;
        let mut projects: Vec<ProjectId> = match &draft.figures.written {
            Some(written) => match &written.projects {
                None => return Ok(whole()),
                Some(projects) => projects.iter().copied().map(ProjectId).collect(),
            },
            None => {
                let is_narrowed = !(filter.projects.is_empty() && filter.worksites.is_empty());
                if draft.uses_whole_scope || !is_narrowed || !filter.base_stations.is_empty() {
                    return Ok(whole());
                }
                filter.projects.to_vec()
            }
        };
        // What the report is about counts even if there are no facts about it, because the report names it.
        let mut tx = self.store.read().await?;
        let mut found: Vec<Option<ProjectId>> = projects_of_facts(draft);
        for site in &filter.worksites {
            found.push(project_of_worksite(&mut tx, &author.scope, *site).await?);
        }
        for machine in &filter.machines {
            found.push(project_of_machine(&mut tx, &author.scope, *machine).await?);
        }
        // Facts or records without a project are visible only to those who see everything that the author sees.
        for project in found {
            match project {
                Some(project) => projects.push(project),
                None => return Ok(whole()),
            };
        }
        Ok(ReportCoverage::Projects(projects.into_iter().collect::<SortedSet<_>>().into()))
    }
}

fn projects_of_facts(draft: &Draft) -> Vec<Option<ProjectId>> {
    let answers = draft.figures.answers.iter();
    let groupings = answers.flat_map(|answer| &answer.groupings).filter(|found| found.name == "by_project");
    let groups = groupings.flat_map(|grouping| &grouping.groups);
    groups.map(|group| group.k.first().copied().flatten().map(ProjectId)).collect()
}

async fn project_of_worksite(
    tx: &mut Tx,
    scope: &Scope,
    site: WorksiteId,
) -> Result<Option<ProjectId>, Error> {
    Ok(tx.worksites(scope).find_without_boundary(site).await?.and_then(|site| site.project))
}

async fn project_of_machine(
    tx: &mut Tx,
    scope: &Scope,
    machine: MachineId,
) -> Result<Option<ProjectId>, Error> {
    match tx.machines(scope).find(machine).await?.and_then(|machine| machine.worksite) {
        Some((site, _)) => project_of_worksite(tx, scope, site).await,
        None => Ok(None),
    }
}
