//! Open firings beside the records that they are about.

use std::cmp::Reverse;
use std::collections::HashMap;

use domain::row::FromRow;
use domain::{AlertFiringId, BaseStationId, MachineId, OpenAlert, PersonId, ProjectId, WorksiteId};

use crate::alerts::visible_firings::visible;
use crate::engine::row::Row;
use crate::engine::statement::{Statement, Value};
use crate::{Error, Scope, Tx};

#[derive(macros::FromRow)]
struct AlertOf<T> {
    subject_id: T,
    #[row(flatten)]
    alert: OpenAlert,
}

/// An open firing, and whether all projects of the brand went into it.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct OpenAlertOfBrand {
    #[row(flatten)]
    pub alert: OpenAlert,
    pub all_projects: bool,
}

#[derive(macros::FromRow)]
struct FiringProject {
    #[row(column = "firing_id")]
    firing: AlertFiringId,
    #[row(column = "project_id")]
    project: ProjectId,
}

/// The open firings of a brand whose projects are all visible in the scope.
pub struct OpenAlerts<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn open_alerts<'a>(&'a mut self, scope: &'a Scope) -> OpenAlerts<'a> {
        OpenAlerts(self, scope)
    }
}

#[macros::boxed]
impl OpenAlerts<'_> {
    /// Returns the open firings about these machines, newest first, each with its machine.
    pub async fn of_machines(&mut self, ids: &[MachineId]) -> Result<Vec<(MachineId, OpenAlert)>, Error> {
        self.of("f.machine_id", ids).await
    }

    /// Returns the open firings about these people, newest first, each with its person.
    pub async fn of_people(&mut self, ids: &[PersonId]) -> Result<Vec<(PersonId, OpenAlert)>, Error> {
        self.of("f.person_id", ids).await
    }

    /// Returns the open firings about these worksites, newest first, each with its worksite.
    pub async fn of_worksites(&mut self, ids: &[WorksiteId]) -> Result<Vec<(WorksiteId, OpenAlert)>, Error> {
        self.of("f.worksite_id", ids).await
    }

    /// Returns the open firings about these base stations, newest first, each with its station.
    pub async fn of_base_stations(
        &mut self,
        ids: &[BaseStationId],
    ) -> Result<Vec<(BaseStationId, OpenAlert)>, Error> {
        self.of("f.base_station_id", ids).await
    }

    /// Returns the open firings, newest first. If there are more than the limit, those of the first rules.
    pub async fn of_brand(&mut self, limit: i64) -> Result<Vec<OpenAlertOfBrand>, Error> {
        let statement = Statement::new(
            "select f.id, f.rule_id, f.metric, f.severity, f.fired_at, f.all_projects,
                 (select r.name from alert_rules r where r.brand_id = f.brand_id and r.id = f.rule_id) as rule_name
             from alert_firings f",
        );
        // In the order of the index, as below.
        let statement = visible(statement, self.1)
            .push(" and f.cleared_at is null order by f.rule_id, f.split_key")
            .push_with(" limit $?", [limit.into()]);
        let mut found: Vec<OpenAlertOfBrand> = self.0.all(statement).await?;
        found.sort_unstable_by_key(|one| Reverse(one.alert.id));
        Ok(found)
    }

    /// Returns the projects of the open firings. Those into which all projects went are absent.
    pub async fn projects(&mut self) -> Result<HashMap<AlertFiringId, Vec<ProjectId>>, Error> {
        let statement = Statement::new(
            "select p.firing_id, p.project_id from alert_firings f
             join alert_firing_projects p on p.brand_id = f.brand_id and p.firing_id = f.id",
        );
        let statement = visible(statement, self.1).push(" and f.cleared_at is null");
        let rows: Vec<FiringProject> = self.0.all(statement).await?;
        let mut projects: HashMap<AlertFiringId, Vec<ProjectId>> = HashMap::new();
        for row in rows {
            projects.entry(row.firing).or_default().push(row.project);
        }
        Ok(projects)
    }

    async fn of<T>(&mut self, column: &'static str, ids: &[T]) -> Result<Vec<(T, OpenAlert)>, Error>
    where
        T: Copy + Into<Value>,
        AlertOf<T>: FromRow<Row> + Send,
    {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let statement = Statement::new("select ").push(column).push(
            " as subject_id, f.id, f.rule_id, f.metric, f.severity, f.fired_at,
                 (select r.name from alert_rules r where r.brand_id = f.brand_id and r.id = f.rule_id) as rule_name
             from alert_firings f",
        );
        let statement = visible(statement, self.1)
            .push(" and f.cleared_at is null")
            .and_in_padded(column, ids.iter().copied())
            // As the index of open firings has them: by id, SQLite would read all that ever fired.
            .push(" order by f.rule_id, f.split_key");
        let mut found: Vec<AlertOf<T>> = self.0.all(statement).await?;
        found.sort_unstable_by_key(|one| Reverse(one.alert.id));
        Ok(found.into_iter().map(|one| (one.subject_id, one.alert)).collect())
    }
}
