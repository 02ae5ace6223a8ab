//! Tester devices: the kiosks where tags are tested and handed out.

use domain::{
    DeviceFilter, DeviceId, NewTesterDevice, Serial, Slice, Sorting, TesterDevice, Timestamp, Window,
    WorksiteId,
};

use crate::engine::page::{self, Count};
use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, COLUMNS_OF_D, SortColumns, Sorted};
use crate::registry::listing;
use crate::{Error, Scope, Tx};

// Ends within the last join, to whose condition the scope's projects are appended. A device is often named after its worksite, so its
// name is replaced by a placeholder where the worksite is not visible.
const COLUMNS: &str = "select d.id,
    case when d.worksite_id is null or w.id is not null then d.name else 'Tester device ' || d.id end as name,
    case when d.worksite_id is null or w.id is not null then d.name_key else 'tester device ' || d.id end as name_key,
    d.serial, w.id as worksite_id, w.name as worksite_name, d.version, d.created_at, d.updated_at, d.registry_version,
    t.id as token_id, t.hint, t.issued_at, t.last_used_at
    from tester_devices d
    left join device_tokens t on t.kind = 'tester' and t.device_id = d.id and t.ended_at is null
    left join worksites w on w.id = d.worksite_id";
/// Ends like [`COLUMNS`].
const COUNT: &str =
    "select count(*) as count from tester_devices d left join worksites w on w.id = d.worksite_id";

/// Lists are sorted by the name that is shown.
const SORT_COLUMNS: SortColumns = SortColumns {
    name_key: "(case when d.worksite_id is null or w.id is not null then d.name_key else 'tester device ' || d.id end)",
    ..COLUMNS_OF_D
};

impl Sorted for TesterDevice {
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

/// The tester devices of a brand.
pub struct TesterDevices<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn tester_devices<'a>(&'a mut self, scope: &'a Scope) -> TesterDevices<'a> {
        TesterDevices(self, scope)
    }
}

#[macros::boxed]
impl TesterDevices<'_> {
    /// Adds a tester device; fails with [`Error::Duplicate`] if the name is taken.
    pub async fn add(&mut self, new: &NewTesterDevice, now: Timestamp) -> Result<TesterDevice, Error> {
        let Id(id) = self
            .0
            .one(sql!(
                "insert into tester_devices (brand_id, name, name_key, serial, worksite_id, created_at, updated_at,
                     registry_version)
                 values ($1, $2, $3, $4, $5, $6, $6,
                     (select registry_version from brand_counters where brand_id = $1))
                 returning id",
                self.1.brand(),
                new.name.as_str(),
                new.name.key(),
                new.serial.as_ref().map(Serial::as_str),
                new.worksite,
                now
            ))
            .await?;
        self.find(id).await?.ok_or(Error::Engine(sqlx::Error::RowNotFound))
    }

    /// Changes a tester device that was found in this transaction; fails with [`Error::Duplicate`] if the name is taken.
    pub async fn change(
        &mut self,
        id: DeviceId,
        to: &NewTesterDevice,
        now: Timestamp,
    ) -> Result<TesterDevice, Error> {
        self.0
            .execute(sql!(
                "update tester_devices set name = $3, name_key = $4, serial = $5, worksite_id = $6, updated_at = $7,
                     version = version + 1,
                     registry_version = (select registry_version from brand_counters where brand_id = $1)
                 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                to.name.as_str(),
                to.name.key(),
                to.serial.as_ref().map(Serial::as_str),
                to.worksite,
                now
            ))
            .await?;
        self.find(id).await?.ok_or(Error::Engine(sqlx::Error::RowNotFound))
    }

    pub async fn find(&mut self, id: DeviceId) -> Result<Option<TesterDevice>, Error> {
        let statement =
            self.filtered(self.columns(), &DeviceFilter::default()).push_with(" and d.id = $?", [id.into()]);
        self.0.optional(statement).await
    }

    /// Returns the worksite where a device stands, even if it is not visible in the scope.
    pub async fn worksite_of(&mut self, id: DeviceId) -> Result<Option<WorksiteId>, Error> {
        let Id(worksite) = self
            .0
            .one(sql!(
                "select worksite_id as id from tester_devices where brand_id = $1 and id = $2",
                self.1.brand(),
                id
            ))
            .await?;
        Ok(worksite)
    }

    /// Returns a window of the list, in any order and from either end.
    pub async fn slice(
        &mut self,
        filter: &DeviceFilter,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Slice<TesterDevice>, Error> {
        let list = format!("tester_devices {filter:?} {sorting:?}");
        let statement = self.filtered(self.columns(), filter);
        let rows =
            self.0.all(window::apply_window(statement, &SORT_COLUMNS, sorting, &list, window)?).await?;
        Ok(window::into_registry_slice(rows, sorting, &list, window))
    }

    /// Counts the tester devices that match the filter.
    pub async fn count(&mut self, filter: &DeviceFilter) -> Result<i64, Error> {
        let statement = sql!(COUNT).and_in_projects(self.1.projects(), "w.project_id");
        let statement = self.filtered(statement, filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn columns(&self) -> Statement {
        sql!(COLUMNS).and_in_projects(self.1.projects(), "w.project_id")
    }

    fn filtered(&self, statement: Statement, filter: &DeviceFilter) -> Statement {
        let statement = statement.push_with(" where d.brand_id = $?", [self.1.brand().into()]);
        let statement = listing::and_rows(statement, &filter.rows, &COLUMNS_OF_D);
        match &filter.q {
            Some(q) => statement
                .push(" and ")
                .push(SORT_COLUMNS.name_key)
                .push_with(" like $? escape '!'", [page::like_pattern(q).into()]),
            None => statement,
        }
    }
}
