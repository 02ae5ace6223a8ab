//! The base stations of a brand by their status, for live streams.

use domain::{BaseStationId, Heartbeat, MachineId, ProjectId, StatusCounts, Timestamp};

use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

/// How many base stations of a project have each status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, macros::FromRow)]
pub struct ProjectStatusCounts {
    /// The project of the worksite at which their machines are.
    #[row(column = "project_id")]
    pub project: Option<ProjectId>,
    #[row(flatten)]
    pub counts: StatusCounts,
}

/// A base station that is faulty or silent.
#[derive(Clone, Debug, macros::FromRow)]
pub struct TroubledStation {
    pub id: BaseStationId,
    pub serial: String,
    /// The machine that it is installed on.
    #[row(column = "machine_id")]
    pub machine: Option<MachineId>,
    /// The project of the worksite at which that machine is.
    #[row(column = "project_id")]
    pub project: Option<ProjectId>,
    #[row(flatten)]
    pub heartbeat: Heartbeat,
}

const TABLES: &str = " from base_stations s
    left join installations i on i.base_station_id = s.id and i.to_at is null
    left join machine_assignments a on a.machine_id = i.machine_id and a.to_at is null
    left join worksites w on w.id = a.worksite_id";

/// The base stations of a brand that are visible in the scope. A station whose last contact is at or before `silent_from` is silent; the
/// rules are those of [`Heartbeat::health`].
pub struct StationStates<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn station_states<'a>(&'a mut self, scope: &'a Scope) -> StationStates<'a> {
        StationStates(self, scope)
    }
}

#[macros::boxed]
impl StationStates<'_> {
    /// Counts the stations by project and status.
    pub async fn counts(&mut self, silent_from: Timestamp) -> Result<Vec<ProjectStatusCounts>, Error> {
        let statement = sql!(
            "select w.project_id, count(*) filter (where s.last_seen_at is null) as never_seen,
                 count(*) filter (where s.last_seen_at is not null and s.faults <> '[]') as faulty,
                 count(*) filter (where s.faults = '[]' and s.last_seen_at <= $1) as silent,
                 count(*) filter (where s.faults = '[]' and s.last_seen_at > $1) as online",
            silent_from
        );
        let statement = self.of_brand(statement).push(" group by w.project_id order by w.project_id");
        self.0.all(statement).await
    }

    /// Returns stations that are faulty or silent, in the order of their ids.
    pub async fn troubled(
        &mut self,
        silent_from: Timestamp,
        limit: i64,
    ) -> Result<Vec<TroubledStation>, Error> {
        let statement = sql!(
            "select s.id, s.serial, i.machine_id, w.project_id, s.created_at, s.last_seen_at, s.told_at,
                 s.online_since, s.faulty_since, s.faults"
        );
        let statement = self
            .of_brand(statement)
            .push_with(
                " and s.last_seen_at is not null and (s.faults <> '[]' or s.last_seen_at <= $?)",
                [silent_from.into()],
            )
            .push_with(" order by s.id limit $?", [limit.into()]);
        self.0.all(statement).await
    }

    fn of_brand(&self, statement: Statement) -> Statement {
        statement
            .push(TABLES)
            .push_with(" where s.brand_id = $?", [self.1.brand().into()])
            .and_in_projects(self.1.projects(), "w.project_id")
    }
}
