//! Machines, with their current worksite and base station.

use domain::{
    Direction, InstallationId, Machine, MachineFilter, MachineId, Name, NewMachine, RegistryRows, Slice,
    SortKey, Sorting, Timestamp, VersionRange, Window, WorksiteId, Year,
};

use crate::engine::page::{self, Count};
use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, SortColumns, Sorted};
use crate::registry::listing::{self, DepartureRequest, Departures};
use crate::{Error, Scope, Tx};

const COLUMNS: &str = "m.id, m.name, m.name_key, m.kind, m.serial_number, m.manufacturer, m.model, m.year,
    m.number_plate, m.version, m.created_at, m.updated_at, m.archived_at, m.registry_version,
    w.id as worksite_id, w.name as worksite_name, b.id as base_station_id, b.serial as base_station_serial";

const TABLES: &str = " from machines m
    left join machine_assignments a on a.machine_id = m.id and a.to_at is null
    left join worksites w on w.id = a.worksite_id
    left join installations i on i.machine_id = m.id and i.to_at is null
    left join base_stations b on b.id = i.base_station_id";

const SORT_COLUMNS: SortColumns = SortColumns {
    id: "m.id",
    name_key: "m.name_key",
    created_at: "m.created_at",
    updated_at: "m.updated_at",
    started_at: "m.created_at",
    registry_version: "m.registry_version",
};

impl Sorted for Machine {
    fn id(&self) -> i64 {
        self.id.0
    }

    fn name_key(&self) -> &str {
        &self.name_key
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }
}

/// The machines of a brand that are visible in the scope: in a restricted scope, those at a worksite of its projects.
pub struct Machines<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn machines<'a>(&'a mut self, scope: &'a Scope) -> Machines<'a> {
        Machines(self, scope)
    }
}

#[macros::boxed]
impl Machines<'_> {
    /// Adds a machine without a worksite; fails with [`Error::Duplicate`] if the serial number is taken.
    pub async fn add(&mut self, new: &NewMachine, now: Timestamp) -> Result<MachineId, Error> {
        let Id(id) = self
            .0
            .one(sql!(
                "insert into machines (brand_id, name, name_key, kind, serial_number, serial_key, manufacturer, model,
                     year, number_plate, version, created_at, updated_at, archived_at, registry_version)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, $11, $11, $12,
                     (select registry_version from brand_counters where brand_id = $1))
                 returning id",
                self.1.brand(),
                new.name.as_str(),
                new.name.key(),
                new.kind.as_str(),
                new.serial_number.as_ref().map(Name::as_str),
                new.serial_number.as_ref().map(Name::key),
                new.manufacturer.as_ref().map(Name::as_str),
                new.model.as_ref().map(Name::as_str),
                new.year.map(Year::get),
                new.number_plate.as_ref().map(Name::as_str),
                now,
                new.archived_at
            ))
            .await?;
        Ok(id)
    }

    pub async fn find(&mut self, id: MachineId) -> Result<Option<Machine>, Error> {
        let statement = self
            .0
            .select(&[COLUMNS])
            .push(TABLES)
            .push_with(" where m.brand_id = $? and m.id = $?", [self.1.brand().into(), id.into()])
            .and_in_projects(self.1.projects(), "w.project_id");
        self.0.optional(statement).await
    }

    /// Returns a machine that was found in this transaction, even if it is no longer visible in the scope.
    pub async fn get(&mut self, id: MachineId) -> Result<Machine, Error> {
        let statement = self
            .0
            .select(&[COLUMNS])
            .push(TABLES)
            .push_with(" where m.brand_id = $? and m.id = $?", [self.1.brand().into(), id.into()]);
        self.0.one(statement).await
    }

    /// Changes a machine that was found in this transaction; fails with [`Error::Duplicate`] if the serial number is taken.
    pub async fn change(&mut self, id: MachineId, to: &NewMachine, now: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update machines set name = $3, name_key = $4, kind = $5, serial_number = $6, serial_key = $7,
                     manufacturer = $8, model = $9, year = $10, number_plate = $11, archived_at = $12,
                     updated_at = $13, version = version + 1,
                     registry_version = (select registry_version from brand_counters where brand_id = $1)
                 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                to.name.as_str(),
                to.name.key(),
                to.kind.as_str(),
                to.serial_number.as_ref().map(Name::as_str),
                to.serial_number.as_ref().map(Name::key),
                to.manufacturer.as_ref().map(Name::as_str),
                to.model.as_ref().map(Name::as_str),
                to.year.map(Year::get),
                to.number_plate.as_ref().map(Name::as_str),
                to.archived_at,
                now
            ))
            .await?;
        Ok(())
    }

    /// Raises the version after a change of the worksite or the base station.
    pub async fn touch(&mut self, id: MachineId, now: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update machines set version = version + 1, updated_at = $3,
                     registry_version = (select registry_version from brand_counters where brand_id = $1)
                 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                now
            ))
            .await?;
        Ok(())
    }

    /// Records that a machine is about to leave its worksite, and with it its base station. The station's own fields do not change, so
    /// its version stays, but it is a change for those who see the station only at one of the worksites.
    pub async fn record_move(&mut self, id: MachineId) -> Result<(), Error> {
        let departures = sql!(
            "insert into registry_departures (brand_id, kind, row_id, project_id, deleted, registry_version)
             select a.brand_id, 'machines', a.machine_id, w.project_id, false, c.registry_version
             from machine_assignments a join worksites w on w.id = a.worksite_id
             join brand_counters c on c.brand_id = a.brand_id
             where a.brand_id = $1 and a.machine_id = $2 and a.to_at is null and w.project_id is not null
             union all
             select a.brand_id, 'base_stations', i.base_station_id, w.project_id, false, c.registry_version
             from machine_assignments a join worksites w on w.id = a.worksite_id
             join installations i on i.machine_id = a.machine_id and i.to_at is null
             join brand_counters c on c.brand_id = a.brand_id
             where a.brand_id = $1 and a.machine_id = $2 and a.to_at is null and w.project_id is not null",
            self.1.brand(),
            id
        );
        self.0.execute(departures.push(listing::LATEST_DEPARTURE)).await?;
        self.mark_station(id).await
    }

    /// Marks the base station on a machine as changed in the current version of the registry. It shows the name of the machine.
    pub async fn mark_station(&mut self, id: MachineId) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update base_stations set registry_version = (select registry_version from brand_counters where brand_id = $1)
                 where brand_id = $1 and id in (select base_station_id from installations
                     where brand_id = $1 and machine_id = $2 and to_at is null)",
                self.1.brand(),
                id
            ))
            .await?;
        Ok(())
    }

    /// Ends the open installation on the machine and returns it. The end is always after the start, even if this host's clock is
    /// behind.
    pub async fn end_installation(
        &mut self,
        id: MachineId,
        now: Timestamp,
    ) -> Result<Option<InstallationId>, Error> {
        self.mark_station(id).await?;
        let ended: Option<Id<InstallationId>> = self
            .0
            .optional(sql!(
                "update installations set to_at = case when $3 > from_at then $3 else from_at + 1 end, updated_at = $3
                 where brand_id = $1 and machine_id = $2 and to_at is null returning id",
                self.1.brand(),
                id,
                now
            ))
            .await?;
        Ok(ended.map(|Id(id)| id))
    }

    /// Returns a window of the list, in any order and from either end.
    pub async fn slice(
        &mut self,
        filter: &MachineFilter,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Slice<Machine>, Error> {
        let list = format!("machines {filter:?} {sorting:?}");
        let statement = self.filtered(self.0.select(&[COLUMNS]), filter);
        let rows =
            self.0.all(window::apply_window(statement, &SORT_COLUMNS, sorting, &list, window)?).await?;
        Ok(window::into_registry_slice(rows, sorting, &list, window))
    }

    /// Finds machines by id, archived or not, sorted by id.
    pub async fn among(&mut self, ids: &[MachineId]) -> Result<Vec<Machine>, Error> {
        let statement = self
            .0
            .select(&[COLUMNS])
            .push(TABLES)
            .push_with(" where m.brand_id = $?", [self.1.brand().into()])
            .and_in_projects(self.1.projects(), "w.project_id")
            .and_in_padded("m.id", ids.iter().copied())
            .push(" order by m.id");
        self.0.all(statement).await
    }

    /// Returns the active machines at these worksites now, by name.
    pub async fn at_worksites(&mut self, ids: &[WorksiteId], limit: i64) -> Result<Vec<Machine>, Error> {
        let statement = self
            .filtered(self.0.select(&[COLUMNS]), &MachineFilter::default())
            .and_in("w.id", ids.iter().copied())
            .push_with(" order by m.name_key, m.id limit $?", [limit.into()]);
        self.0.all(statement.uncached()).await
    }

    /// Returns a page of the machines that were deleted or left the scope.
    pub async fn departures(&mut self, request: &DepartureRequest) -> Result<Departures, Error> {
        let departures = listing::departed(self.0, self.1, "machines", request).await?;
        if departures.ids.is_empty() {
            return Ok(departures);
        }
        let rows = listing::rows_of_ids(&departures.ids);
        let filter = MachineFilter { rows, ..MachineFilter::default() };
        let statement = self.filtered(sql!("select m.id"), &filter);
        let visible: Vec<Id<i64>> = self.0.all(statement).await?;
        Ok(departures.without(&visible))
    }

    /// Returns the query plan of a page of changes, for tests of indexes.
    pub async fn explain_changes(&mut self, window: &Window) -> Result<Vec<String>, Error> {
        let range = VersionRange { after: 1, up_to: i64::MAX };
        let rows = RegistryRows { ids: None, changed: Some(range) };
        let filter = MachineFilter { rows, ..MachineFilter::default() };
        let statement = self.filtered(self.0.select(&[COLUMNS]), &filter);
        let sorting = Sorting::by(SortKey::RegistryVersion, Direction::Ascending);
        self.0.explain(window::apply_window(statement, &SORT_COLUMNS, sorting, "", window)?).await
    }

    /// Counts the machines that match the filter.
    pub async fn count(&mut self, filter: &MachineFilter) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count"), filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(&self, statement: Statement, filter: &MachineFilter) -> Statement {
        let mut statement = statement
            .push(TABLES)
            .push_with(" where m.brand_id = $?", [self.1.brand().into()])
            .and_in_projects(self.1.projects(), "w.project_id")
            .push(match (filter.rows.changed, filter.archived) {
                (Some(_), _) => "",
                (None, true) => " and m.archived_at is not null",
                (None, false) => " and m.archived_at is null",
            });
        statement = listing::and_rows(statement, &filter.rows, &SORT_COLUMNS);
        if !filter.kinds.is_empty() {
            statement = statement.and_in("m.kind", filter.kinds.iter().map(|kind| kind.as_str()));
        }
        if !filter.worksites.is_empty() {
            statement = statement.and_in("w.id", filter.worksites.iter().copied());
        }
        if !filter.projects.is_empty() {
            statement = statement.and_in("w.project_id", filter.projects.iter().copied());
        }
        match &filter.q {
            Some(q) => {
                statement.push_with(" and m.name_key like $? escape '!'", [page::like_pattern(q).into()])
            }
            None => statement,
        }
    }
}
