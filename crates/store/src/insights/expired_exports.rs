//! Exports of all brands whose time is over, and the objects that rows name.

use domain::{BrandId, ExportId, Timestamp};

use crate::engine::row::{FromRow, Row};
use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// The file of an export, by what its object is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportObject {
    /// The tenant.
    pub brand: BrandId,
    /// The export.
    pub export: ExportId,
    /// Which writing of it.
    pub upload: String,
}

impl FromRow for ExportObject {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self { brand: row.get("brand_id")?, export: row.get("id")?, upload: row.get("upload")? })
    }
}

/// An export whose file is there, and what is known of its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredExport {
    /// What their object is called.
    pub object: ExportObject,
    /// How many.
    pub size_bytes: u64,
    /// SHA-256 of them.
    pub sha256: Vec<u8>,
}

impl FromRow for StoredExport {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let size_bytes: i64 = row.get("size_bytes")?;
        Ok(Self {
            object: ExportObject::from_row(row)?,
            size_bytes: u64::try_from(size_bytes).unwrap_or_default(),
            sha256: row.get("sha256")?,
        })
    }
}

/// Up to `most` exports after this one whose file is there, in the order of their ids.
pub(crate) async fn list_stored(tx: &mut Tx, after: ExportId, most: i64) -> Result<Vec<StoredExport>, Error> {
    tx.all(sql!(
        "select brand_id, id, upload, size_bytes, sha256 from exports
         where id > $1 and state = 'done' and upload is not null and size_bytes is not null and sha256 is not null
         order by id limit $2",
        after,
        most
    ))
    .await
}

/// The exports of all brands.
pub struct ExpiredExports<'a>(&'a mut Tx);

impl Tx {
    /// The exports of all brands, for those who clear up.
    pub fn expired_exports(&mut self, _: &Platform) -> ExpiredExports<'_> {
        ExpiredExports(self)
    }
}

impl ExpiredExports<'_> {
    /// Gives up those whose job was given up: each of its workers ended without a word. Tells how many.
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

    /// Up to `most` whose file was kept long enough.
    pub async fn past_retention(&mut self, now: Timestamp, most: i64) -> Result<Vec<ExportObject>, Error> {
        self.0
            .all(sql!(
                "select brand_id, id, upload from exports where state = 'done' and upload is not null and expires_at <= $1
                 order by expires_at limit $2",
                now,
                most
            ))
            .await
    }

    /// Marks them as gone.
    pub async fn expire(&mut self, exports: &[ExportObject], now: Timestamp) -> Result<(), Error> {
        let statement = sql!(
            "update exports set state = 'expired', upload = null, updated_at = $1 where state = 'done'",
            now
        );
        self.0.execute(statement.and_in("id", exports.iter().map(|one| one.export))).await?;
        Ok(())
    }

    /// Up to `most` after this one whose file is there, in the order of their ids.
    pub async fn stored(&mut self, after: ExportId, limit: i64) -> Result<Vec<StoredExport>, Error> {
        list_stored(self.0, after, limit).await
    }

    /// The files that these exports have now.
    pub async fn objects(&mut self, exports: &[ExportId]) -> Result<Vec<ExportObject>, Error> {
        let statement =
            sql!("select brand_id, id, upload from exports where state = 'done' and upload is not null");
        self.0.all(statement.and_in("id", exports.iter().copied())).await
    }

    /// Forgets those that ended before.
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
