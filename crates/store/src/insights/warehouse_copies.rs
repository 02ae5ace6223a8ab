//! The copies of brands in a warehouse, and the processes that write them.
//!
//! A lease only keeps two processes from doing the same work. Whoever lost it may still write: rows of a copy carry their numbers, and what a
//! node says that it holds goes on from what it held.

use domain::{BrandId, Timestamp};

use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// The copy of a brand, with the number of the brand's last change.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct WarehouseCopy {
    #[row(column = "brand_id")]
    pub brand: BrandId,
    /// A part of the names of its tables.
    pub token: i64,
    /// The process that writes it.
    pub worker: Option<String>,
    pub leased_until: Timestamp,
    pub last_seq: i64,
}

#[derive(macros::FromRow)]
struct CopyToken(#[row(column = "token")] i64);

#[derive(macros::FromRow)]
struct BrandWithoutCopy(#[row(column = "brand_id")] BrandId);

/// The copies of all brands.
pub struct WarehouseCopies<'a>(&'a mut Tx);

impl Tx {
    pub fn warehouse_copies(&mut self, _: &Platform) -> WarehouseCopies<'_> {
        WarehouseCopies(self)
    }
}

#[macros::boxed]
impl WarehouseCopies<'_> {
    /// Returns all copies, ordered by brand.
    pub async fn all(&mut self) -> Result<Vec<WarehouseCopy>, Error> {
        self.0
            .all(sql!(
                "select w.brand_id, w.token, w.worker, w.leased_until, b.last_seq
                 from warehouse_copies w join brand_counters b on b.brand_id = w.brand_id order by w.brand_id"
            ))
            .await
    }

    /// Returns the token of a brand's copy; none if it has none.
    pub async fn token(&mut self, brand: BrandId) -> Result<Option<i64>, Error> {
        let text = "select token from warehouse_copies where brand_id = $1";
        Ok(self.0.optional::<CopyToken>(sql!(text, brand)).await?.map(|CopyToken(token)| token))
    }

    /// Returns the brands that have no copy.
    pub async fn missing(&mut self) -> Result<Vec<BrandId>, Error> {
        let found: Vec<BrandWithoutCopy> = self
            .0
            .all(sql!(
                "select b.brand_id from brand_counters b
                 where not exists (select 1 from warehouse_copies w where w.brand_id = b.brand_id) order by b.brand_id"
            ))
            .await?;
        Ok(found.into_iter().map(|BrandWithoutCopy(brand)| brand).collect())
    }

    /// Adds the copy of a brand, unless it has one.
    pub async fn add(&mut self, brand: BrandId, token: i64) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "insert into warehouse_copies (brand_id, token, worker, leased_until) values ($1, $2, null, 0)
                 on conflict (brand_id) do nothing",
                brand,
                token
            ))
            .await?;
        Ok(())
    }

    /// Takes the lease on a copy until a time; returns false if another process holds it.
    pub async fn take(
        &mut self,
        brand: BrandId,
        worker: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool, Error> {
        let taken = self
            .0
            .execute(sql!(
                "update warehouse_copies set worker = $2, leased_until = $4
                 where brand_id = $1 and (worker is null or worker = $2 or leased_until <= $3)",
                brand,
                worker,
                now,
                until
            ))
            .await?;
        Ok(taken > 0)
    }

    /// Renews all leases of a process, also those that have ended since, as while the database was away: whoever takes one becomes its
    /// worker.
    pub async fn renew(&mut self, worker: &str, until: Timestamp) -> Result<(), Error> {
        let text = "update warehouse_copies set leased_until = $2 where worker = $1";
        self.0.execute(sql!(text, worker, until)).await?;
        Ok(())
    }

    /// Ends all leases of a process.
    pub async fn release(&mut self, worker: &str) -> Result<(), Error> {
        let text = "update warehouse_copies set worker = null, leased_until = 0 where worker = $1";
        self.0.execute(sql!(text, worker)).await?;
        Ok(())
    }

    /// Replaces a copy by one that is made anew; returns false if that has happened already.
    pub async fn replace(&mut self, brand: BrandId, token: i64, by: i64) -> Result<bool, Error> {
        let text = "update warehouse_copies set token = $3 where brand_id = $1 and token = $2";
        Ok(self.0.execute(sql!(text, brand, token, by)).await? > 0)
    }

    /// Forgets all copies, for a restored database: those that exist belong to the one before.
    pub async fn delete_all(&mut self) -> Result<(), Error> {
        self.0.execute(sql!("delete from warehouse_copies")).await?;
        Ok(())
    }
}
