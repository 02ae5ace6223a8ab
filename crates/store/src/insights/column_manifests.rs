//! The saved columns of brands: which objects they are made of, and which process saves them.
//!
//! Each format of their files has manifests of its own, so that hosts of two versions save beside each other. This program saves those of
//! [`ColumnsFormat::CURRENT`]; of older ones it only forgets what is over. Those of [`ColumnsFormat::ARROW`] are in a table of their own.
//!
//! Objects never change. A save writes new ones, and then replaces the manifest that it began with; if another process was faster, nothing is
//! replaced. The lease keeps two processes from doing the same work.

use domain::insights::ColumnsFormat;
use domain::{BrandId, Timestamp};

use crate::engine::statement::sql;
use crate::facts::fact_retention::COPIES_SINCE;
use crate::{Error, FactWatermark, Platform, Scope, Tx};

const _: () = assert!(ColumnsFormat::ARROW.number() == 2, "the number in the statement below");

/// The manifests of all formats.
const ALL_FORMATS: &str = "(
    select brand_id, cast(2 as bigint) as format, manifest, revision, worker, leased_until from column_manifests
    union all select brand_id, format, manifest, revision, worker, leased_until from saved_columns
) c";

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
    /// Copies that do not include this change may have facts that were deleted, without any trace ([`crate::FactState::copies_since`]).
    pub copies_since: i64,
}

/// The saved columns of a brand, in the current format.
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
        let text = "select manifest, revision from saved_columns where brand_id = $1 and format = $2";
        self.0.optional(sql!(text, self.1.brand(), ColumnsFormat::CURRENT)).await
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
                "insert into saved_columns (brand_id, format, revision, worker, leased_until)
                 values ($1, $5, 0, $2, $4)
                 on conflict (brand_id, format) do update
                 set worker = excluded.worker, leased_until = excluded.leased_until
                 where saved_columns.worker is null or saved_columns.worker = excluded.worker
                     or saved_columns.leased_until <= $3
                 returning manifest, revision",
                self.1.brand(),
                worker,
                now,
                until,
                ColumnsFormat::CURRENT
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
                "update saved_columns set manifest = $4, revision = revision + 1
                 where brand_id = $1 and format = $5 and worker = $2 and revision = $3
                 returning manifest, revision",
                self.1.brand(),
                worker,
                revision,
                manifest,
                ColumnsFormat::CURRENT
            ))
            .await
    }

    /// Forgets the manifests of all formats, if there are any. The revisions rise, so that a save that has begun does not count.
    pub async fn forget(&mut self) -> Result<(), Error> {
        for text in [
            "update column_manifests set manifest = null, revision = revision + 1
             where brand_id = $1 and manifest is not null",
            "update saved_columns set manifest = null, revision = revision + 1
             where brand_id = $1 and manifest is not null",
        ] {
            self.0.execute(sql!(text, self.1.brand())).await?;
        }
        Ok(())
    }

    /// Ends the right of a process to save.
    pub async fn release(&mut self, worker: &str) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update saved_columns set worker = null, leased_until = 0
                 where brand_id = $1 and format = $3 and worker = $2",
                self.1.brand(),
                worker,
                ColumnsFormat::CURRENT
            ))
            .await?;
        Ok(())
    }
}

#[macros::boxed]
impl AllColumnManifests<'_> {
    /// Returns the manifests of a format of those brands that have one.
    pub async fn of_brands(
        &mut self,
        format: ColumnsFormat,
        brands: &[BrandId],
    ) -> Result<Vec<ColumnManifestOfBrand>, Error> {
        if brands.is_empty() {
            return Ok(Vec::new());
        }
        let statement = sql!("select brand_id, manifest from ").push(ALL_FORMATS);
        let statement = statement.push_with(" where format = $?", [format.into()]);
        self.0.all(statement.and_in_padded("brand_id", brands.iter().copied())).await
    }

    /// Returns up to `limit` manifests of a format, of brands after this one, that no process has the right to replace, ordered by brand.
    pub async fn unleased(
        &mut self,
        format: ColumnsFormat,
        after: BrandId,
        now: Timestamp,
        limit: i64,
    ) -> Result<Vec<UnleasedColumnManifest>, Error> {
        let statement = sql!(
            "select c.brand_id, c.manifest, c.revision,
                 (select m.at from fact_marks m where m.brand_id = c.brand_id and m.mark = $1) as incursions_kept_from,
                 (select m.at from fact_marks m where m.brand_id = c.brand_id and m.mark = $2) as runtime_kept_from,
                 coalesce((select m.at from fact_marks m where m.brand_id = c.brand_id and m.mark = $3), 0) as copies_since
             from ",
            FactWatermark::IncursionsKeptFrom.as_str(),
            FactWatermark::RuntimeKeptFrom.as_str(),
            COPIES_SINCE
        );
        let statement = statement.push(ALL_FORMATS).push_with(
            " where c.format = $? and c.brand_id > $? and c.manifest is not null
                 and (c.worker is null or c.leased_until <= $?)
             order by c.brand_id limit $?",
            [format.into(), after.into(), now.into(), limit.into()],
        );
        self.0.all(statement).await
    }

    /// Replaces the manifest of that revision of a format, or forgets it, unless a process has the right to; returns whether it did. The revision
    /// rises, so that a process whose right is over cannot complete a save that it began before.
    pub async fn replace_unleased(
        &mut self,
        format: ColumnsFormat,
        brand: BrandId,
        revision: i64,
        now: Timestamp,
        manifest: Option<&str>,
    ) -> Result<bool, Error> {
        let is_in_own_table = format == ColumnsFormat::ARROW;
        let table = if is_in_own_table { "update column_manifests" } else { "update saved_columns" };
        let mut statement = sql!(table).push_with(
            " set manifest = $?, revision = revision + 1
             where brand_id = $? and revision = $? and (worker is null or leased_until <= $?)",
            [manifest.into(), brand.into(), revision.into(), now.into()],
        );
        if !is_in_own_table {
            statement = statement.push_with(" and format = $?", [format.into()]);
        }
        Ok(self.0.execute(statement).await? > 0)
    }

    /// Forgets all saved columns, for a restored database: their objects are not in a backup.
    pub async fn delete_all(&mut self) -> Result<(), Error> {
        self.0.execute(sql!("delete from column_manifests")).await?;
        self.0.execute(sql!("delete from saved_columns")).await?;
        Ok(())
    }
}
