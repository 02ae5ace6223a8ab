//! Filters ids of records by their visibility in a scope, archived or not. A record that is not visible is treated as missing.

use std::collections::HashSet;

use domain::{BaseStationId, MachineId, PersonId, ProjectId, TagId, WorksiteId};

use crate::engine::row::{FromColumn, Id};
use crate::engine::statement::{Value, sql};
use crate::{Error, Projects, Scope, Tx};

/// The records of a brand that are visible in a scope.
pub struct Visibility<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn visibility<'a>(&'a mut self, scope: &'a Scope) -> Visibility<'a> {
        Visibility(self, scope)
    }
}

#[macros::boxed]
impl Visibility<'_> {
    pub async fn projects(&mut self, ids: &[ProjectId]) -> Result<HashSet<ProjectId>, Error> {
        self.visible_among("select id from projects where brand_id = $1", Some("id"), "id", ids).await
    }

    pub async fn worksites(&mut self, ids: &[WorksiteId]) -> Result<HashSet<WorksiteId>, Error> {
        self.visible_among("select id from worksites where brand_id = $1", Some("project_id"), "id", ids)
            .await
    }

    /// Machines that are currently at a worksite of the scope's projects.
    pub async fn machines(&mut self, ids: &[MachineId]) -> Result<HashSet<MachineId>, Error> {
        let text = "select m.id from machines m
             left join machine_assignments a on a.machine_id = m.id and a.to_at is null
             left join worksites w on w.id = a.worksite_id
             where m.brand_id = $1";
        self.visible_among(text, Some("w.project_id"), "m.id", ids).await
    }

    /// Base stations that are currently on such a machine.
    pub async fn base_stations(&mut self, ids: &[BaseStationId]) -> Result<HashSet<BaseStationId>, Error> {
        let text = "select s.id from base_stations s
             left join installations i on i.base_station_id = s.id and i.to_at is null
             left join machine_assignments a on a.machine_id = i.machine_id and a.to_at is null
             left join worksites w on w.id = a.worksite_id
             where s.brand_id = $1";
        self.visible_among(text, Some("w.project_id"), "s.id", ids).await
    }

    /// People belong to the brand and are visible whatever the project.
    pub async fn people(&mut self, ids: &[PersonId]) -> Result<HashSet<PersonId>, Error> {
        self.visible_among("select id from people where brand_id = $1", None, "id", ids).await
    }

    /// Tags belong to the brand and are visible whatever the project.
    pub async fn tags(&mut self, ids: &[TagId]) -> Result<HashSet<TagId>, Error> {
        self.visible_among("select id from tags where brand_id = $1", None, "id", ids).await
    }

    async fn visible_among<T>(
        &mut self,
        text: &'static str,
        project: Option<&'static str>,
        column: &'static str,
        ids: &[T],
    ) -> Result<HashSet<T>, Error>
    where
        T: Copy + Eq + std::hash::Hash + FromColumn + Into<Value> + Send,
    {
        if ids.is_empty() {
            return Ok(HashSet::new());
        }
        let all = Projects::All;
        let (projects, project) = project.map_or((&all, ""), |project| (self.1.projects(), project));
        let statement = sql!(text, self.1.brand())
            .and_in_projects(projects, project)
            .and_in(column, ids.iter().copied())
            .uncached();
        let found: Vec<Id<T>> = self.0.all(statement).await?;
        Ok(found.into_iter().map(|Id(id)| id).collect())
    }
}
