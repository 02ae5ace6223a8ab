//! The saved columns of brands: which objects they are made of, and which process saves them.
//!
//! Objects never change. A save writes new ones, and then replaces the manifest that it began with; if another process was faster, nothing is
//! replaced. The lease keeps two processes from doing the same work.

use domain::{BrandId, Timestamp};

use crate::engine::statement::sql;
use crate::{Error, FactWatermark, Platform, Scope, Tx};

/// The manifest of a brand's saved columns.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct ColumnManifest {
    /// None before the first save.
    pub manifest: Option<String>,
    /// Rises with every save, and whenever the manifest is shortened or forgotten.
    pub revision: i64,
}

/// The same with its brand.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct ColumnManifestOfBrand {
    #[row(column = "brand_id")]
    pub brand: BrandId,
    pub manifest: Option<String>,
}

/// A manifest that no process has the right to replace, with the times from which the brand's facts are kept.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct UnleasedColumnManifest {
    #[row(column = "brand_id")]
    pub brand: BrandId,
    pub manifest: String,
    pub revision: i64,
    /// Incursions that started before this were deleted by retention.
    pub incursions_kept_from: Option<Timestamp>,
    /// Runtime that started before this was deleted by retention.
    pub runtime_kept_from: Option<Timestamp>,
}

/// The saved columns of a brand.
pub struct ColumnManifests<'a>(&'a mut Tx, &'a Scope);

/// The saved columns of all brands.
pub struct AllColumnManifests<'a>(&'a mut Tx);

impl Tx {
    pub fn column_manifests<'a>(&'a mut self, scope: &'a Scope) -> ColumnManifests<'a> {
        ColumnManifests(self, scope)
    }

    pub fn all_column_manifests(&mut self, _: &Platform) -> AllColumnManifests<'_> {
        AllColumnManifests(self)
    }
}

#[macros::boxed]
impl ColumnManifests<'_> {
    /// Returns the manifest; none if no process has saved columns, or begun to.
    pub async fn find(&mut self) -> Result<Option<ColumnManifest>, Error> {
        let text = "select manifest, revision from column_manifests where brand_id = $1";
        self.0.optional(sql!(text, self.1.brand())).await
    }

    /// Takes or renews the right to save until a time, and returns the manifest; none if another process has it.
    pub async fn take(
        &mut self,
        worker: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<ColumnManifest>, Error> {
        self.0
            .optional(sql!(
                "insert into column_manifests (brand_id, revision, worker, leased_until) values ($1, 0, $2, $4)
                 on conflict (brand_id) do update set worker = excluded.worker, leased_until = excluded.leased_until
                 where column_manifests.worker is null or column_manifests.worker = excluded.worker
                     or column_manifests.leased_until <= $3
                 returning manifest, revision",
                self.1.brand(),
                worker,
                now,
                until
            ))
            .await
    }

    /// Replaces the manifest of that revision, and returns the next one; none if another process has replaced it, or may have.
    pub async fn replace(
        &mut self,
        worker: &str,
        revision: i64,
        manifest: &str,
    ) -> Result<Option<ColumnManifest>, Error> {
        self.0
            .optional(sql!(
                "update column_manifests set manifest = $4, revision = revision + 1
                 where brand_id = $1 and worker = $2 and revision = $3 returning manifest, revision",
                self.1.brand(),
                worker,
                revision,
                manifest
            ))
            .await
    }

    /// Forgets the manifest, if there is one. The revision rises, so that a save that has begun does not count.
    pub async fn forget(&mut self) -> Result<(), Error> {
        let text = "update column_manifests set manifest = null, revision = revision + 1
             where brand_id = $1 and manifest is not null";
        self.0.execute(sql!(text, self.1.brand())).await?;
        Ok(())
    }

    /// Ends the right of a process to save.
    pub async fn release(&mut self, worker: &str) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update column_manifests set worker = null, leased_until = 0 where brand_id = $1 and worker = $2",
                self.1.brand(),
                worker
            ))
            .await?;
        Ok(())
    }
}

#[macros::boxed]
impl AllColumnManifests<'_> {
    /// Returns the manifests of those brands that have one.
    pub async fn of_brands(&mut self, brands: &[BrandId]) -> Result<Vec<ColumnManifestOfBrand>, Error> {
        if brands.is_empty() {
            return Ok(Vec::new());
        }
        let statement = sql!("select brand_id, manifest from column_manifests where 1 = 1");
        self.0.all(statement.and_in_padded("brand_id", brands.iter().copied())).await
    }

    /// Returns up to `limit` manifests of brands after this one that no process has the right to replace, ordered by brand.
    pub async fn unleased(
        &mut self,
        after: BrandId,
        now: Timestamp,
        limit: i64,
    ) -> Result<Vec<UnleasedColumnManifest>, Error> {
        self.0
            .all(sql!(
                "select c.brand_id, c.manifest, c.revision,
                     (select m.at from fact_marks m where m.brand_id = c.brand_id and m.mark = $4) as incursions_kept_from,
                     (select m.at from fact_marks m where m.brand_id = c.brand_id and m.mark = $5) as runtime_kept_from
                 from column_manifests c
                 where c.brand_id > $1 and c.manifest is not null and (c.worker is null or c.leased_until <= $2)
                 order by c.brand_id limit $3",
                after,
                now,
                limit,
                FactWatermark::IncursionsKeptFrom.as_str(),
                FactWatermark::RuntimeKeptFrom.as_str()
            ))
            .await
    }

    /// Replaces the manifest of that revision, or forgets it, unless a process has the right to; returns whether it did. The revision
    /// rises, so that a process whose right is over cannot complete a save that it began before.
    pub async fn replace_unleased(
        &mut self,
        brand: BrandId,
        revision: i64,
        now: Timestamp,
        manifest: Option<&str>,
    ) -> Result<bool, Error> {
        let replaced = self
            .0
            .execute(sql!(
                "update column_manifests set manifest = $4, revision = revision + 1
                 where brand_id = $1 and revision = $2 and (worker is null or leased_until <= $3)",
                brand,
                revision,
                now,
                manifest
            ))
            .await?;
        Ok(replaced > 0)
    }

    /// Forgets all saved columns, for a restored database: their objects are not in a backup.
    pub async fn delete_all(&mut self) -> Result<(), Error> {
        self.0.execute(sql!("delete from column_manifests")).await?;
        Ok(())
    }
}
