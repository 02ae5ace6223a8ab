//! The people and machines that are or were at a worksite, as base stations reported them.

use domain::row::FromRow;
use domain::{
    Coordinates, LastSeenAt, MachineId, MachinePosition, PersonName, Review, Timestamp, WorksiteId,
};

use crate::engine::row::Row;
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

impl FromRow<Row> for MachinePosition {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let place: Option<Coordinates> = row.get_columns(["lat_e7", "lon_e7"])?;
        Ok(Self {
            machine: row.get("machine_id")?,
            machine_name: row.get("machine_name")?,
            machine_kind: row.get("machine_kind")?,
            base_station: row.get_columns(["base_station_id", "serial"])?,
            worksite: row.get("worksite_id")?,
            at: row.get("at")?,
            position: place.ok_or_else(|| Error::Unusable("a position is out of range".to_owned()))?,
        })
    }
}

fn last_seen<T>(row: &Row, subject: T) -> Result<LastSeenAt<T>, Error> {
    Ok(LastSeenAt { subject, incursions: row.get("incursions")?, last_seen_at: row.get("last_seen_at")? })
}

impl FromRow<Row> for LastSeenAt<PersonName> {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let person: Option<PersonName> = row.get_columns(["person_id", "name", "kind"])?;
        last_seen(row, person.ok_or_else(|| Error::Unusable("a person has no name".to_owned()))?)
    }
}

impl FromRow<Row> for LastSeenAt<(MachineId, String)> {
    fn from_row(row: &Row) -> Result<Self, Error> {
        last_seen(row, (row.get("machine_id")?, row.get("name")?))
    }
}

/// A position from before the station came to its machine belongs to another machine, or to none.
const POSITIONS: &str =
    "select m.id as machine_id, m.name as machine_name, m.kind as machine_kind, x.base_station_id,
        s.serial, a.worksite_id, x.at, x.lat_e7, x.lon_e7
    from station_positions x join base_stations s on s.id = x.base_station_id
    join installations i on i.base_station_id = x.base_station_id and i.to_at is null and i.from_at <= x.at
    join machines m on m.id = i.machine_id
    left join machine_assignments a on a.machine_id = m.id and a.to_at is null
    left join worksites w on w.id = a.worksite_id";

#[macros::boxed]
impl Tx {
    /// Returns the last positions of the machines that are visible in the scope, sorted by machine. The times at which their stations
    /// were visible are for the caller to check.
    pub async fn machine_positions(&mut self, scope: &Scope) -> Result<Vec<MachinePosition>, Error> {
        let statement = sql!(POSITIONS)
            .push_with(" where x.brand_id = $?", [scope.brand().into()])
            .and_in_projects(scope.projects(), "w.project_id")
            .push(" order by m.id");
        self.all(statement).await
    }
}

/// The people and machines at a worksite that was found in this scope.
pub struct WorksitePresence<'a>(&'a mut Tx, &'a Scope, WorksiteId);

impl Tx {
    pub fn worksite_presence<'a>(&'a mut self, scope: &'a Scope, site: WorksiteId) -> WorksitePresence<'a> {
        WorksitePresence(self, scope, site)
    }
}

#[macros::boxed]
impl WorksitePresence<'_> {
    /// Returns the last positions of the machines that are assigned to the worksite, wherever they are, and of visible machines
    /// between these latitudes, sorted by machine.
    pub async fn positions(&mut self, between: Option<(i32, i32)>) -> Result<Vec<MachinePosition>, Error> {
        let statement = sql!(POSITIONS).push_with(
            " where x.brand_id = $? and (a.worksite_id = $?",
            [self.1.brand().into(), self.2.into()],
        );
        let statement = match between {
            Some((south, north)) => statement
                .push_with(
                    " or (x.lat_e7 between $? and $?",
                    [i64::from(south).into(), i64::from(north).into()],
                )
                .and_in_projects(self.1.projects(), "w.project_id")
                .push(")"),
            None => statement,
        };
        self.0.all(statement.push(") order by m.id")).await
    }

    /// Lists the people seen there since a time, on foot or as operators, last seen first.
    pub async fn people_seen(
        &mut self,
        since: Timestamp,
        limit: i64,
    ) -> Result<Vec<LastSeenAt<PersonName>>, Error> {
        let statement = sql!(
            "select p.id as person_id, p.name, p.kind, g.incursions, g.last_seen_at
             from (select f.person_id, count(*) as incursions, max(f.started_at) as last_seen_at
                   from (select i.pedestrian_id as person_id, i.started_at from incursions i"
        );
        let statement = self.incursion_conditions(statement, since).push(
            " and i.pedestrian_id is not null union all select i.operator_id, i.started_at from incursions i",
        );
        let statement = self
            .incursion_conditions(statement, since)
            .push(
                " and i.operator_id is not null and i.operator_id is distinct from i.pedestrian_id) f
                  group by f.person_id order by last_seen_at desc, f.person_id",
            )
            .push_with(" limit $?) g join people p on p.id = g.person_id", [limit.into()])
            .push(" order by g.last_seen_at desc, p.id");
        self.0.all(statement).await
    }

    /// Lists the machines seen there since a time, last seen first.
    pub async fn machines_seen(
        &mut self,
        since: Timestamp,
        limit: i64,
    ) -> Result<Vec<LastSeenAt<(MachineId, String)>>, Error> {
        let statement = sql!(
            "select m.id as machine_id, m.name, g.incursions, g.last_seen_at
             from (select i.machine_id, count(*) as incursions, max(i.started_at) as last_seen_at from incursions i"
        );
        let statement = self
            .incursion_conditions(statement, since)
            .push(" and i.machine_id is not null group by i.machine_id order by last_seen_at desc, i.machine_id")
            .push_with(" limit $?) g join machines m on m.id = g.machine_id", [limit.into()])
            .push(" order by g.last_seen_at desc, m.id");
        self.0.all(statement).await
    }

    /// Appends the conditions on the incursions `i` of the worksite. They use the time index, since there is none by worksite.
    fn incursion_conditions(&self, statement: Statement, since: Timestamp) -> Statement {
        statement
            .push_with(
                " where i.brand_id = $? and i.started_at >= $? and i.worksite_id = $?",
                [self.1.brand().into(), since.into(), self.2.into()],
            )
            .and_in_projects(self.1.projects(), "i.project_id")
            .and_in("i.review", Review::COUNTED.map(Review::code))
    }
}
