//! Machines, with their current worksite and base station.

use domain::{
    InstallationId, Machine, MachineFilter, MachineId, Name, NewMachine, Page, PageRequest, Slice, Sorting,
    Timestamp, Window, WorksiteId, Year,
};

use crate::engine::page::{self, Count, Keyed};
use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, SortColumns, Sorted};
use crate::{Error, Scope, Tx};

const COLUMNS: &str =
    "select m.id, m.name, m.name_key, m.kind, m.serial_number, m.manufacturer, m.model, m.year,
    m.number_plate, m.version, m.created_at, m.updated_at, m.archived_at,
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
};

impl Keyed for Machine {
    fn key(&self) -> (&str, i64) {
        (&self.name_key, self.id.0)
    }
}

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
                     year, number_plate, version, created_at, updated_at, archived_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, $11, $11, $12) returning id",
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
        let statement = sql!(COLUMNS)
            .push(TABLES)
            .push_with(" where m.brand_id = $? and m.id = $?", [self.1.brand().into(), id.into()])
            .and_in_projects(self.1.projects(), "w.project_id");
        self.0.optional(statement).await
    }

    /// Returns a machine that was found in this transaction, even if it is no longer visible in the scope.
    pub async fn get(&mut self, id: MachineId) -> Result<Machine, Error> {
        let statement = sql!(COLUMNS)
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
                     updated_at = $13, version = version + 1
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
                "update machines set version = version + 1, updated_at = $3 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                now
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

    /// Returns a page, by name.
    pub async fn page(&mut self, filter: &MachineFilter, page: &PageRequest) -> Result<Page<Machine>, Error> {
        let list = format!("machines {filter:?}");
        let statement = self.filtered(sql!(COLUMNS), filter);
        let order = (" and (m.name_key, m.id) > ($?, $?)", " order by m.name_key, m.id");
        let rows = self.0.all(page::order_by_key(statement, order, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    /// Returns a window of the list, in any order and from either end.
    pub async fn slice(
        &mut self,
        filter: &MachineFilter,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Slice<Machine>, Error> {
        let list = format!("machines {filter:?} {sorting:?}");
        let statement = self.filtered(sql!(COLUMNS), filter);
        let rows =
            self.0.all(window::apply_window(statement, &SORT_COLUMNS, sorting, &list, window)?).await?;
        Ok(window::into_slice(rows, sorting, &list, window))
    }

    /// Returns the active machines at these worksites now, by name.
    pub async fn at_worksites(&mut self, ids: &[WorksiteId], limit: i64) -> Result<Vec<Machine>, Error> {
        let statement = self
            .filtered(sql!(COLUMNS), &MachineFilter::default())
            .and_in("w.id", ids.iter().copied())
            .push_with(" order by m.name_key, m.id limit $?", [limit.into()]);
        self.0.all(statement.uncached()).await
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
            .push(if filter.archived {
                " and m.archived_at is not null"
            } else {
                " and m.archived_at is null"
            });
        if let Some(kind) = filter.kind {
            statement = statement.push_with(" and m.kind = $?", [kind.as_str().into()]);
        }
        if let Some(worksite) = filter.worksite {
            statement = statement.push_with(" and w.id = $?", [worksite.into()]);
        }
        if let Some(project) = filter.project {
            statement = statement.push_with(" and w.project_id = $?", [project.into()]);
        }
        match &filter.q {
            Some(q) => {
                statement.push_with(" and m.name_key like $? escape '!'", [page::like_pattern(q).into()])
            }
            None => statement,
        }
    }
}
