//! Exports of all brands that have expired or were abandoned, and the objects that hold their files.

use domain::row::FromRow;
use domain::{BrandId, ExportId, Timestamp};

use crate::engine::row::Row;
use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// The name of the object that holds the file of an export.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct ExportObject {
    #[row(column = "brand_id")]
    pub brand: BrandId,
    #[row(column = "id")]
    pub export: ExportId,
    /// Distinguishes repeated uploads of the same export.
    pub upload: String,
}

/// An export whose file is stored, with the file's size and hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredExport {
    pub object: ExportObject,
    pub size_bytes: u64,
    pub sha256: Vec<u8>,
}

impl FromRow<Row> for StoredExport {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let size_bytes: i64 = row.get("size_bytes")?;
        Ok(Self {
            object: ExportObject::from_row(row)?,
            size_bytes: u64::try_from(size_bytes).unwrap_or_default(),
            sha256: row.get("sha256")?,
        })
    }
}

/// Returns up to `limit` exports after this one whose file is stored, ordered by id.
pub(crate) async fn list_stored(
    tx: &mut Tx,
    after: ExportId,
    limit: i64,
) -> Result<Vec<StoredExport>, Error> {
    tx.all(sql!(
        "select brand_id, id, upload, size_bytes, sha256 from exports
         where id > $1 and state = 'done' and upload is not null and size_bytes is not null and sha256 is not null
         order by id limit $2",
        after,
        limit
    ))
    .await
}

/// The exports of all brands, for cleaning up.
pub struct ExpiredExports<'a>(&'a mut Tx);

impl Tx {
    pub fn expired_exports(&mut self, _: &Platform) -> ExpiredExports<'_> {
        ExpiredExports(self)
    }
}

#[macros::boxed]
impl ExpiredExports<'_> {
    /// Fails unfinished exports whose job has failed, for instance because its workers died, and returns how many.
    pub async fn fail_abandoned(&mut self, now: Timestamp) -> Result<u64, Error> {
        self.0
            .execute(sql!(
                "update exports set state = 'failed', reason = 'given_up', finished_at = $1, updated_at = $1
                 where state in ('queued', 'running')
                     and exists (select 1 from jobs j where j.id = exports.job_id and j.state = 'failed')",
                now
            ))
            .await
    }

    /// Returns up to `limit` exports whose file is past its retention.
    pub async fn past_retention(&mut self, now: Timestamp, limit: i64) -> Result<Vec<ExportObject>, Error> {
        self.0
            .all(sql!(
                "select brand_id, id, upload from exports where state = 'done' and upload is not null and expires_at <= $1
                 order by expires_at limit $2",
                now,
                limit
            ))
            .await
    }

    /// Marks exports as expired.
    pub async fn expire(&mut self, exports: &[ExportObject], now: Timestamp) -> Result<(), Error> {
        let statement = sql!(
            "update exports set state = 'expired', upload = null, updated_at = $1 where state = 'done'",
            now
        );
        self.0.execute(statement.and_in("id", exports.iter().map(|one| one.export))).await?;
        Ok(())
    }

    /// Returns up to `limit` exports after this one whose file is stored, ordered by id.
    pub async fn stored(&mut self, after: ExportId, limit: i64) -> Result<Vec<StoredExport>, Error> {
        list_stored(self.0, after, limit).await
    }

    /// Returns the current objects of exports.
    pub async fn objects(&mut self, exports: &[ExportId]) -> Result<Vec<ExportObject>, Error> {
        let statement =
            sql!("select brand_id, id, upload from exports where state = 'done' and upload is not null");
        self.0.all(statement.and_in("id", exports.iter().copied())).await
    }

    /// Deletes failed and expired exports that finished before a time.
    pub async fn delete_before(&mut self, before: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "delete from exports where state in ('failed', 'expired') and finished_at < $1",
                before
            ))
            .await?;
        Ok(())
    }
}
