//! Video clips of all brands whose time is over.

use domain::{BrandId, ClipId, Timestamp};

use crate::engine::row::{FromRow, Row};
use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// The bytes of a clip, by what their object is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClipObject {
    /// The tenant.
    pub brand: BrandId,
    /// The clip.
    pub clip: ClipId,
    /// The upload that brought them.
    pub upload: String,
}

impl FromRow for ClipObject {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self { brand: row.get("brand_id")?, clip: row.get("id")?, upload: row.get("upload")? })
    }
}

/// A clip whose video is there, and what is known of its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredClip {
    /// What their object is called.
    pub object: ClipObject,
    /// How many.
    pub size_bytes: u64,
    /// SHA-256 of them.
    pub sha256: Vec<u8>,
}

impl FromRow for StoredClip {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let size_bytes: i64 = row.get("size_bytes")?;
        Ok(Self {
            object: ClipObject::from_row(row)?,
            size_bytes: u64::try_from(size_bytes).unwrap_or_default(),
            sha256: row.get("sha256")?,
        })
    }
}

/// Up to `most` clips after this one whose video is there, in the order of their ids.
pub(crate) async fn list_stored(tx: &mut Tx, after: ClipId, most: i64) -> Result<Vec<StoredClip>, Error> {
    tx.all(sql!(
        "select brand_id, id, upload, size_bytes, sha256 from video_clips
         where id > $1 and state = 'available' and upload is not null and size_bytes is not null and sha256 is not null
         order by id limit $2",
        after,
        most
    ))
    .await
}

/// The video clips of all brands.
pub struct ExpiredClips<'a>(&'a mut Tx);

impl Tx {
    /// The video clips of all brands, for those who clear up.
    pub fn expired_clips(&mut self, _: &Platform) -> ExpiredClips<'_> {
        ExpiredClips(self)
    }
}

impl ExpiredClips<'_> {
    /// Gives up those whose video never came, and lets those wait again whose upload was begun before `stale` and has not
    /// been heard of since; tells how many were given up.
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

    /// Up to `most` that were kept for as long as their brand keeps video.
    pub async fn past_retention(&mut self, now: Timestamp, most: i64) -> Result<Vec<ClipObject>, Error> {
        self.0
            .all(sql!(
                "select c.brand_id, c.id, c.upload from brands b join video_clips c on c.brand_id = b.id
                 where c.state = 'available' and b.keep_video_days is not null
                     and c.available_at <= $1 - b.keep_video_days * 86400000000
                 order by c.brand_id, c.available_at limit $2",
                now,
                most
            ))
            .await
    }

    /// Marks them as gone.
    pub async fn expire(&mut self, clips: &[ClipObject], now: Timestamp) -> Result<(), Error> {
        let statement = sql!(
            "update video_clips set state = 'expired', upload = null, updated_at = $1, version = version + 1
             where state = 'available'",
            now
        );
        self.0.execute(statement.and_in("id", clips.iter().map(|clip| clip.clip))).await?;
        Ok(())
    }

    /// Up to `most` after this one whose video is there, in the order of their ids.
    pub async fn stored(&mut self, after: ClipId, limit: i64) -> Result<Vec<StoredClip>, Error> {
        list_stored(self.0, after, limit).await
    }

    /// The bytes that these clips have now.
    pub async fn objects(&mut self, clips: &[ClipId]) -> Result<Vec<ClipObject>, Error> {
        let statement = sql!(
            "select brand_id, id, upload from video_clips where state = 'available' and upload is not null"
        );
        self.0.all(statement.and_in("id", clips.iter().copied())).await
    }
}
