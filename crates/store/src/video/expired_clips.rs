//! Retention of the video clips of all brands.

use domain::row::FromRow;
use domain::{BrandId, ClipId, Timestamp};

use crate::engine::row::Row;
use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// The fields that make up the object name of a clip's video.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct ClipObject {
    #[row(column = "brand_id")]
    pub brand: BrandId,
    #[row(column = "id")]
    pub clip: ClipId,
    /// Id of the upload that stored the video.
    pub upload: String,
}

/// An available clip with the size and checksum of its video.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredClip {
    pub object: ClipObject,
    pub size_bytes: u64,
    pub sha256: Vec<u8>,
}

impl FromRow<Row> for StoredClip {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let size_bytes: i64 = row.get("size_bytes")?;
        Ok(Self {
            object: ClipObject::from_row(row)?,
            size_bytes: u64::try_from(size_bytes).unwrap_or_default(),
            sha256: row.get("sha256")?,
        })
    }
}

/// Lists up to `limit` available clips after this id, in order of their ids.
pub(crate) async fn list_stored(tx: &mut Tx, after: ClipId, limit: i64) -> Result<Vec<StoredClip>, Error> {
    tx.all(sql!(
        "select brand_id, id, upload, size_bytes, sha256 from video_clips
         where id > $1 and state = 'available' and upload is not null and size_bytes is not null and sha256 is not null
         order by id limit $2",
        after,
        limit
    ))
    .await
}

/// The video clips of all brands, for clean-up.
pub struct ExpiredClips<'a>(&'a mut Tx);

impl Tx {
    pub fn expired_clips(&mut self, _: &Platform) -> ExpiredClips<'_> {
        ExpiredClips(self)
    }
}

#[macros::boxed]
impl ExpiredClips<'_> {
    /// Marks clips as failed whose video never came, and as requested again whose upload has made no progress since `stale`. Returns
    /// the number of failed ones.
    pub async fn fail_abandoned(&mut self, now: Timestamp, stale: Timestamp) -> Result<u64, Error> {
        self.0
            .execute(sql!(
                "update video_clips set state = 'requested', updated_at = $1, version = version + 1
                 where state = 'uploading' and updated_at < $2",
                now,
                stale
            ))
            .await?;
        self.0
            .execute(sql!(
                "update video_clips set state = 'failed', reason = 'never_uploaded', updated_at = $1, version = version + 1
                 where state = 'requested' and expires_at <= $1",
                now
            ))
            .await
    }

    /// Lists up to `limit` clips that are older than their brand's retention of video.
    pub async fn past_retention(&mut self, now: Timestamp, limit: i64) -> Result<Vec<ClipObject>, Error> {
        self.0
            .all(sql!(
                "select c.brand_id, c.id, c.upload from brands b join video_clips c on c.brand_id = b.id
                 where c.state = 'available' and b.keep_video_days is not null
                     and c.available_at <= $1 - b.keep_video_days * 86400000000
                 order by c.brand_id, c.available_at limit $2",
                now,
                limit
            ))
            .await
    }

    /// Marks clips as expired.
    pub async fn expire(&mut self, clips: &[ClipObject], now: Timestamp) -> Result<(), Error> {
        let statement = sql!(
            "update video_clips set state = 'expired', upload = null, updated_at = $1, version = version + 1
             where state = 'available'",
            now
        );
        self.0.execute(statement.and_in("id", clips.iter().map(|clip| clip.clip))).await?;
        Ok(())
    }

    /// Lists up to `limit` available clips after this id, in order of their ids.
    pub async fn stored(&mut self, after: ClipId, limit: i64) -> Result<Vec<StoredClip>, Error> {
        list_stored(self.0, after, limit).await
    }

    /// Returns the current objects of these clips.
    pub async fn objects(&mut self, clips: &[ClipId]) -> Result<Vec<ClipObject>, Error> {
        let statement = sql!(
            "select brand_id, id, upload from video_clips where state = 'available' and upload is not null"
        );
        self.0.all(statement.and_in("id", clips.iter().copied())).await
    }
}
