//! Gateways, which send events on behalf of many base stations.

use domain::{DeviceFilter, DeviceId, Gateway, Name, Slice, Sorting, Timestamp, Window};

use crate::engine::page::{self, Count};
use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, COLUMNS_OF_D, Sorted};
use crate::registry::listing;
use crate::{Error, Scope, Tx};

const COLUMNS: &str =
    "select d.id, d.name, d.name_key, d.version, d.created_at, d.updated_at, d.registry_version, t.id as token_id, t.hint,
    t.issued_at, t.last_used_at
    from gateways d
    left join device_tokens t on t.kind = 'gateway' and t.device_id = d.id and t.ended_at is null";

impl Sorted for Gateway {
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

/// The gateways of a brand.
pub struct Gateways<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn gateways<'a>(&'a mut self, scope: &'a Scope) -> Gateways<'a> {
        Gateways(self, scope)
    }
}

#[macros::boxed]
impl Gateways<'_> {
    /// Adds a gateway; fails with [`Error::Duplicate`] if the name is taken.
    pub async fn add(&mut self, name: &Name, now: Timestamp) -> Result<Gateway, Error> {
        let Id(id) = self
            .0
            .one(sql!(
                "insert into gateways (brand_id, name, name_key, created_at, updated_at, registry_version)
                 values ($1, $2, $3, $4, $4, (select registry_version from brand_counters where brand_id = $1))
                 returning id",
                self.1.brand(),
                name.as_str(),
                name.key(),
                now
            ))
            .await?;
        self.find(id).await?.ok_or(Error::Engine(sqlx::Error::RowNotFound))
    }

    pub async fn find(&mut self, id: DeviceId) -> Result<Option<Gateway>, Error> {
        let statement =
            self.filtered(sql!(COLUMNS), &DeviceFilter::default()).push_with(" and d.id = $?", [id.into()]);
        self.0.optional(statement).await
    }

    /// Renames a gateway that was found in this transaction; fails with [`Error::Duplicate`] if the name is taken.
    pub async fn rename(&mut self, id: DeviceId, name: &Name, now: Timestamp) -> Result<Gateway, Error> {
        self.0
            .execute(sql!(
                "update gateways set name = $3, name_key = $4, updated_at = $5, version = version + 1,
                     registry_version = (select registry_version from brand_counters where brand_id = $1)
                 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                name.as_str(),
                name.key(),
                now
            ))
            .await?;
        self.find(id).await?.ok_or(Error::Engine(sqlx::Error::RowNotFound))
    }

    /// Returns a window of the list, in any order and from either end.
    pub async fn slice(
        &mut self,
        filter: &DeviceFilter,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Slice<Gateway>, Error> {
        let list = format!("gateways {filter:?} {sorting:?}");
        let statement = self.filtered(sql!(COLUMNS), filter);
        let rows =
            self.0.all(window::apply_window(statement, &COLUMNS_OF_D, sorting, &list, window)?).await?;
        Ok(window::into_registry_slice(rows, sorting, &list, window))
    }

    /// Counts the gateways that match the filter.
    pub async fn count(&mut self, filter: &DeviceFilter) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from gateways d"), filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(&self, statement: Statement, filter: &DeviceFilter) -> Statement {
        let statement = statement.push_with(" where d.brand_id = $?", [self.1.brand().into()]);
        let statement = listing::and_rows(statement, &filter.rows, &COLUMNS_OF_D);
        match &filter.q {
            Some(q) => {
                statement.push_with(" and d.name_key like $? escape '!'", [page::like_pattern(q).into()])
            }
            None => statement,
        }
    }
}
