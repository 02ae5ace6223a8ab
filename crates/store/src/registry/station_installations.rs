//! Installations: the dated links between base stations and machines.

use domain::{BaseStationId, InstallationId, MachineId, Page, PageRequest, StationInstallation, Timestamp};

use crate::engine::page::{self, Count, Keyed};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

const COLUMNS: &str =
    "select i.id, i.base_station_id, s.serial, i.machine_id, m.name as machine_name, i.from_at, i.to_at,
    i.created_at, i.updated_at";

const TABLES: &str = " from installations i
    join base_stations s on s.id = i.base_station_id
    join machines m on m.id = i.machine_id
    left join machine_assignments a on a.machine_id = m.id and a.to_at is null
    left join worksites w on w.id = a.worksite_id";

impl Keyed for StationInstallation {
    // The installations of a station never overlap, so no two have the same start.
    fn key(&self) -> (&str, i64) {
        ("", self.from.micros())
    }
}

/// The installations of a brand's base stations. Writers must hold the brand's lock, so that installations do not overlap.
pub struct StationInstallations<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn station_installations<'a>(&'a mut self, scope: &'a Scope) -> StationInstallations<'a> {
        StationInstallations(self, scope)
    }
}

#[macros::boxed]
impl StationInstallations<'_> {
    pub async fn open(
        &mut self,
        station: BaseStationId,
        machine: MachineId,
        from: Timestamp,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "insert into installations (brand_id, base_station_id, machine_id, from_at, created_at, updated_at)
                 values ($1, $2, $3, $4, $5, $5)",
                self.1.brand(),
                station,
                machine,
                from,
                now
            ))
            .await?;
        Ok(())
    }

    /// Sets the end, which must be after the start, or reopens the installation.
    pub async fn end(
        &mut self,
        id: InstallationId,
        to: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update installations set to_at = $3, updated_at = $4 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                to,
                now
            ))
            .await?;
        Ok(())
    }

    /// Deletes an installation that is superseded as a whole.
    pub async fn remove(&mut self, id: InstallationId) -> Result<(), Error> {
        self.0
            .execute(sql!("delete from installations where brand_id = $1 and id = $2", self.1.brand(), id))
            .await?;
        Ok(())
    }

    /// Returns the installations of a station, and of a machine if one is given, at a time and later, oldest first.
    pub async fn since(
        &mut self,
        station: BaseStationId,
        machine: Option<MachineId>,
        at: Timestamp,
    ) -> Result<Vec<StationInstallation>, Error> {
        self.0
            .all(
                self.of_either(station, machine).push_with(
                    " and (i.to_at is null or i.to_at > $?) order by i.from_at, i.id",
                    [at.into()],
                ),
            )
            .await
    }

    /// Returns the installations on a machine that overlap a period, oldest first.
    pub async fn on_machine(
        &mut self,
        machine: MachineId,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<StationInstallation>, Error> {
        let statement = sql!(COLUMNS).push(TABLES).push_with(
            " where i.brand_id = $? and i.machine_id = $? and i.from_at < $? and (i.to_at is null or i.to_at > $?)
              order by i.from_at, i.id",
            [self.1.brand().into(), machine.into(), to.into(), from.into()],
        );
        self.0.all(statement).await
    }

    /// Returns the last installation of a station or, if one is given, of a machine.
    pub async fn last(
        &mut self,
        station: BaseStationId,
        machine: Option<MachineId>,
    ) -> Result<Option<StationInstallation>, Error> {
        let statement = self.of_either(station, machine).push(" order by i.from_at desc, i.id desc limit 1");
        self.0.optional(statement).await
    }

    fn of_either(&self, station: BaseStationId, machine: Option<MachineId>) -> Statement {
        sql!(COLUMNS).push(TABLES).push_with(
            " where i.brand_id = $? and (i.base_station_id = $? or i.machine_id = $?)",
            [self.1.brand().into(), station.into(), machine.into()],
        )
    }

    /// Returns a page of a station's installations on machines that are visible in the scope, newest first.
    pub async fn page(
        &mut self,
        station: BaseStationId,
        page: &PageRequest,
    ) -> Result<Page<StationInstallation>, Error> {
        let list = format!("installations {station}");
        let statement = self.of_station(sql!(COLUMNS), station);
        let order = (" and i.from_at < $?", " order by i.from_at desc");
        let rows = self.0.all(page::order_by_id(statement, order, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    /// Counts a station's installations on machines that are visible in the scope.
    pub async fn count(&mut self, station: BaseStationId) -> Result<i64, Error> {
        let Count(count) = self.0.one(self.of_station(sql!("select count(*) as count"), station)).await?;
        Ok(count)
    }

    fn of_station(&self, statement: Statement, station: BaseStationId) -> Statement {
        statement
            .push(TABLES)
            .push_with(
                " where i.brand_id = $? and i.base_station_id = $?",
                [self.1.brand().into(), station.into()],
            )
            .and_in_projects(self.1.projects(), "w.project_id")
    }
}
