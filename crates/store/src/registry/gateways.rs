//! Gateways, which send events on behalf of many base stations.

use domain::{DeviceId, Gateway, Name, Page, PageRequest, Timestamp};

use crate::engine::page::{self, Count, Keyed};
use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

const COLUMNS: &str =
    "select d.id, d.name, d.name_key, d.version, d.created_at, d.updated_at, t.id as token_id, t.hint,
    t.issued_at, t.last_used_at
    from gateways d
    left join device_tokens t on t.kind = 'gateway' and t.device_id = d.id and t.ended_at is null";

impl Keyed for Gateway {
    fn key(&self) -> (&str, i64) {
        (&self.name_key, self.id.0)
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
                "insert into gateways (brand_id, name, name_key, created_at, updated_at)
                 values ($1, $2, $3, $4, $4) returning id",
                self.1.brand(),
                name.as_str(),
                name.key(),
                now
            ))
            .await?;
        self.find(id).await?.ok_or(Error::Engine(sqlx::Error::RowNotFound))
    }

    pub async fn find(&mut self, id: DeviceId) -> Result<Option<Gateway>, Error> {
        let statement = self.filtered(sql!(COLUMNS), None).push_with(" and d.id = $?", [id.into()]);
        self.0.optional(statement).await
    }

    /// Renames a gateway that was found in this transaction; fails with [`Error::Duplicate`] if the name is taken.
    pub async fn rename(&mut self, id: DeviceId, name: &Name, now: Timestamp) -> Result<Gateway, Error> {
        self.0
            .execute(sql!(
                "update gateways set name = $3, name_key = $4, updated_at = $5, version = version + 1
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

    /// Returns a page, by name.
    pub async fn page(&mut self, q: Option<&str>, page: &PageRequest) -> Result<Page<Gateway>, Error> {
        let list = format!("gateways {q:?}");
        let statement = self.filtered(sql!(COLUMNS), q);
        let rows = self.0.all(page::order_by_name_of_d(statement, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    /// Counts the gateways that match the search.
    pub async fn count(&mut self, q: Option<&str>) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from gateways d"), q);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(&self, statement: Statement, q: Option<&str>) -> Statement {
        let statement = statement.push_with(" where d.brand_id = $?", [self.1.brand().into()]);
        match q {
            Some(q) => {
                statement.push_with(" and d.name_key like $? escape '!'", [page::like_pattern(q).into()])
            }
            None => statement,
        }
    }
}
