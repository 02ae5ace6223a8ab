//! Machines, with the site they are at and the base station they carry.

use domain::{
    BaseStationId, InstallationId, MachineId, MachineKind, Name, ProjectId, Timestamp, WorksiteId, Year,
};

use crate::engine::page::{self, Count, Keyed, Page, PageRequest};
use crate::engine::row::{FromRow, Id, Row};
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, Slice, SortColumns, Sorted, Sorting, Window};
use crate::{Error, Scope, Tx};

/// A machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Its id.
    pub id: MachineId,
    /// What it is called.
    pub name: String,
    /// What sort of machine it is.
    pub kind: MachineKind,
    /// What its maker calls it; unique in the brand.
    pub serial_number: Option<String>,
    /// Who made it.
    pub manufacturer: Option<String>,
    /// Which of their models it is.
    pub model: Option<String>,
    /// When it was built.
    pub year: Option<i64>,
    /// What stands on its plate.
    pub number_plate: Option<String>,
    /// The site it is assigned to now, with its name.
    pub worksite: Option<(WorksiteId, String)>,
    /// The base station that is installed on it now, with its serial.
    pub base_station: Option<(BaseStationId, String)>,
    /// Moves with every change, of its assignments too; the `ETag`.
    pub version: i64,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was archived.
    pub archived_at: Option<Timestamp>,
    name_key: String,
}

/// What a machine is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMachine {
    /// What it is called.
    pub name: Name,
    /// What sort of machine it is.
    pub kind: MachineKind,
    /// What its maker calls it.
    pub serial_number: Option<Name>,
    /// Who made it.
    pub manufacturer: Option<Name>,
    /// Which of their models it is.
    pub model: Option<Name>,
    /// When it was built.
    pub year: Option<Year>,
    /// What stands on its plate.
    pub number_plate: Option<Name>,
    /// When it was archived.
    pub archived_at: Option<Timestamp>,
}

/// Which machines are asked for.
#[derive(Clone, Debug, Default)]
pub struct MachineFilter {
    /// The archived ones instead of the active ones.
    pub archived: bool,
    /// Only of this kind.
    pub kind: Option<MachineKind>,
    /// Only those that are at this site now.
    pub worksite: Option<WorksiteId>,
    /// Only those that are at a site of this project now.
    pub project: Option<ProjectId>,
    /// Only those whose name contains this, whatever its case and accents.
    pub q: Option<String>,
}

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

impl FromRow for Machine {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let worksite: (Option<WorksiteId>, Option<String>) =
            (row.get("worksite_id")?, row.get("worksite_name")?);
        let station: (Option<BaseStationId>, Option<String>) =
            (row.get("base_station_id")?, row.get("base_station_serial")?);
        Ok(Self {
            id: row.get("id")?,
            name: row.get("name")?,
            kind: row.parse("kind", MachineKind::parse)?,
            serial_number: row.get("serial_number")?,
            manufacturer: row.get("manufacturer")?,
            model: row.get("model")?,
            year: row.get("year")?,
            number_plate: row.get("number_plate")?,
            worksite: worksite.0.zip(worksite.1),
            base_station: station.0.zip(station.1),
            version: row.get("version")?,
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
            archived_at: row.get("archived_at")?,
            name_key: row.get("name_key")?,
        })
    }
}

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

/// The machines of a brand that the scope shows: to those who see only some projects, the ones that are at a site of these.
pub struct Machines<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// The machines of a brand that the scope shows.
    pub fn machines<'a>(&'a mut self, scope: &'a Scope) -> Machines<'a> {
        Machines(self, scope)
    }
}

impl Machines<'_> {
    /// Adds one, at no site; [`Error::Duplicate`] if the serial number is taken.
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

    /// The one of that id.
    pub async fn find(&mut self, id: MachineId) -> Result<Option<Machine>, Error> {
        let statement = sql!(COLUMNS)
            .push(TABLES)
            .push_with(" where m.brand_id = $? and m.id = $?", [self.1.brand().into(), id.into()])
            .and_in_projects(self.1.projects(), "w.project_id");
        self.0.optional(statement).await
    }

    /// The one of that id that was found in this transaction, though it may have left what the scope shows since.
    pub async fn get(&mut self, id: MachineId) -> Result<Machine, Error> {
        let statement = sql!(COLUMNS)
            .push(TABLES)
            .push_with(" where m.brand_id = $? and m.id = $?", [self.1.brand().into(), id.into()]);
        self.0.one(statement).await
    }

    /// Changes one that was found in this transaction; [`Error::Duplicate`] if the serial number is taken.
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

    /// Moves the version of one whose links changed: its site or its base station.
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

    /// Takes the base station off, not before it was put on whatever this host's clock says; tells which installation ended.
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

    /// One page, by name.
    pub async fn page(&mut self, filter: &MachineFilter, page: &PageRequest) -> Result<Page<Machine>, Error> {
        let list = format!("machines {filter:?}");
        let statement = self.filtered(sql!(COLUMNS), filter);
        let order = (" and (m.name_key, m.id) > ($?, $?)", " order by m.name_key, m.id");
        let rows = self.0.all(page::order_by_key(statement, order, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    /// A part of the list, in any order and from either side.
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

    /// The active ones that are at these sites now, by name; so many at most.
    pub async fn at_worksites(&mut self, ids: &[WorksiteId], limit: i64) -> Result<Vec<Machine>, Error> {
        let statement = self
            .filtered(sql!(COLUMNS), &MachineFilter::default())
            .and_in("w.id", ids.iter().copied())
            .push_with(" order by m.name_key, m.id limit $?", [limit.into()]);
        self.0.all(statement.uncached()).await
    }

    /// How many the filter finds.
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
