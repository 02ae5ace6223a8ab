//! Brands and their counters: the sequence number of facts and the registry version.

use domain::{BrandId, Name, Timestamp};

use crate::engine::statement::sql;
use crate::{Error, Platform, Scope, Tx};

/// A tenant.
#[derive(Clone, Debug, macros::FromRow)]
pub struct Brand {
    pub id: BrandId,
    pub name: String,
}

/// The counters of a brand, by which every process knows what it has missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, macros::FromRow)]
pub struct Counters {
    /// Sequence number of the last change of a fact. Numbers become visible in commit order.
    pub last_seq: i64,
    /// Rises with every write to the registry, its links, roles or restrictions.
    pub registry_version: i64,
}

/// All brands of the installation.
pub struct Brands<'a>(&'a mut Tx);

#[macros::boxed]
impl Tx {
    pub fn brands(&mut self, _: &Platform) -> Brands<'_> {
        Brands(self)
    }

    /// Locks the brand and allocates `count` sequence numbers for changes of facts. Must be the first write of a transaction: the
    /// row lock orders the commits of a brand, so that numbers become visible in order.
    pub async fn lock_and_allocate_seq(&mut self, scope: &Scope, count: i64) -> Result<Counters, Error> {
        self.acquire_brand_permit(scope).await?;
        self.one(sql!(
            "update brand_counters set last_seq = last_seq + $2 where brand_id = $1
             returning last_seq, registry_version",
            scope.brand(),
            count
        ))
        .await
    }

    /// Locks the brand and raises its registry version, which invalidates the cached registry in every process.
    pub async fn lock_and_bump_registry(&mut self, scope: &Scope) -> Result<Counters, Error> {
        self.acquire_brand_permit(scope).await?;
        self.one(sql!(
            "update brand_counters set registry_version = registry_version + 1 where brand_id = $1
             returning last_seq, registry_version",
            scope.brand()
        ))
        .await
    }

    /// Reads the counters without locking.
    pub async fn counters(&mut self, scope: &Scope) -> Result<Counters, Error> {
        self.one(sql!(
            "select last_seq, registry_version from brand_counters where brand_id = $1",
            scope.brand()
        ))
        .await
    }
}

#[macros::boxed]
impl Brands<'_> {
    /// Adds a brand. Names may repeat.
    pub async fn add(&mut self, name: &Name, now: Timestamp) -> Result<Brand, Error> {
        let brand: Brand = self
            .0
            .one(sql!(
                "insert into brands (name, name_key, created_at, updated_at) values ($1, $2, $3, $3)
                 returning id, name",
                name.as_str(),
                unique_key(name, None),
                now
            ))
            .await?;
        let key = unique_key(name, Some(brand.id));
        self.0.execute(sql!("update brands set name_key = $2 where id = $1", brand.id, key)).await?;
        self.0
            .execute(sql!(
                "insert into brand_counters (brand_id, last_seq, registry_version) values ($1, 0, 1)",
                brand.id
            ))
            .await?;
        Ok(brand)
    }

    /// Finds brands by name, ignoring case and accents, ordered by id.
    pub async fn by_name(&mut self, name: &Name) -> Result<Vec<Brand>, Error> {
        let key = name.key();
        let (first, last) = (format!("{key}{SEPARATOR}"), format!("{key}{AFTER_SEPARATOR}"));
        self.0
            .all(sql!(
                "select id, name from brands where name_key = $1 or (name_key >= $2 and name_key < $3) order by id",
                key,
                first,
                last
            ))
            .await
    }

    pub async fn by_id(&mut self, id: BrandId) -> Result<Option<Brand>, Error> {
        self.0.optional(sql!("select id, name from brands where id = $1", id)).await
    }

    /// Returns all brands, ordered by name.
    pub async fn all(&mut self) -> Result<Vec<Brand>, Error> {
        self.0.all(sql!("select id, name from brands order by name_key")).await
    }
}

/// Separates the name's key from the id; `AFTER_SEPARATOR` is the next character in order. Names contain no control characters
/// and have no spaces at their ends, so a key never continues with either by itself.
const SEPARATOR: char = '\u{1f}';
const AFTER_SEPARATOR: char = ' ';

/// The stored key of a brand's name. The table requires unique keys but names may repeat, so the id is appended. Until the id is
/// known, a placeholder takes its place, which only one transaction at a time can hold.
pub(crate) fn unique_key(name: &Name, id: Option<BrandId>) -> String {
    match id {
        Some(id) => format!("{}{SEPARATOR}{id}", name.key()),
        None => format!("{}{SEPARATOR}?", name.key()),
    }
}
