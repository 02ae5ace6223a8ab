//! Video clips of a brand, from the request to the upload. The videos themselves are in the object store.

use domain::row::FromRow;
use domain::{
    BaseStationId, ClipContent, ClipFilter, ClipId, ClipRange, ClipState, IncursionId, Page, PageRequest,
    ProjectId, Span, Timestamp, UserId, VideoClip,
};

use crate::engine::page::{self, Count, Keyed};
use crate::engine::row::{Id, Row};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

/// A request for a video clip.
#[derive(Clone, Debug)]
pub struct NewClip {
    pub base_station: BaseStationId,
    pub incursion: Option<IncursionId>,
    /// The project at the time of the footage.
    pub project: Option<ProjectId>,
    pub camera: String,
    /// The requested period.
    pub footage: ClipRange,
    pub requested_by: UserId,
    /// Time at which the request fails if no video has come.
    pub expires_at: Timestamp,
}

/// The fields of an incursion that a clip request needs.
#[derive(Clone, Copy, Debug, macros::FromRow)]
pub struct FilmedIncursion {
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// The project that the incursion belongs to.
    #[row(column = "project_id")]
    pub project: Option<ProjectId>,
}

const COLUMNS: &str = "select c.id, c.base_station_id, s.serial, c.incursion_id, c.project_id, c.camera, c.from_at, c.to_at,
    c.state, c.reason, c.content_type, c.size_bytes, c.sha256, c.upload, c.requested_by, u.kind as requester_kind, u.name, c.fetched_at, c.available_at,
    c.expires_at, b.keep_video_days, c.created_at, c.updated_at";

const TABLES: &str = " from video_clips c join base_stations s on s.id = c.base_station_id
    join users u on u.id = c.requested_by join brands b on b.id = c.brand_id";

impl FromRow<Row> for VideoClip {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let state = row.get("state")?;
        let available_at: Option<Timestamp> = row.get("available_at")?;
        let keep_days: Option<i64> = row.get("keep_video_days")?;
        let content = match (row.get("size_bytes")?, row.get("sha256")?, row.get("upload")?) {
            (Some(size_bytes), Some(sha256), Some(upload)) => {
                let kind = row.get("content_type")?;
                Some(ClipContent { kind, size_bytes, sha256, upload })
            }
            _ => None,
        };
        Ok(Self {
            id: row.get("id")?,
            base_station: row.get("base_station_id")?,
            station_serial: row.get("serial")?,
            incursion: row.get("incursion_id")?,
            project: row.get("project_id")?,
            camera: row.get("camera")?,
            footage: ClipRange { from: row.get("from_at")?, to: row.get("to_at")? },
            state,
            reason: row.get("reason")?,
            content,
            requested_by: row.get_columns(["requester_kind", "requested_by", "name"])?,
            fetched_at: row.get("fetched_at")?,
            available_at,
            expires_at: match state {
                ClipState::Requested | ClipState::Uploading => Some(row.get("expires_at")?),
                ClipState::Available => {
                    available_at.zip(keep_days).map(|(at, days)| at + Span::minutes(days * 24 * 60))
                }
                ClipState::Expired | ClipState::Failed => None,
            },
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
        })
    }
}

impl Keyed for VideoClip {
    fn key(&self) -> (&str, i64) {
        ("", self.id.0)
    }
}

/// The video clips of a brand that are visible in the scope: restricted users see those of their projects.
pub struct VideoClips<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn video_clips<'a>(&'a mut self, scope: &'a Scope) -> VideoClips<'a> {
        VideoClips(self, scope)
    }
}

#[macros::boxed]
impl VideoClips<'_> {
    /// Adds a clip that waits for its base station.
    pub async fn add(&mut self, new: &NewClip, now: Timestamp) -> Result<VideoClip, Error> {
        let Id(id) = self
            .0
            .one::<Id<ClipId>>(sql!(
                "insert into video_clips (brand_id, base_station_id, incursion_id, project_id, camera, from_at, to_at, state,
                     requested_by, expires_at, version, created_at, updated_at)
                 values ($1, $2, $3, $4, $5, $6, $7, 'requested', $8, $9, 1, $10, $10) returning id",
                self.1.brand(),
                new.base_station,
                new.incursion,
                new.project,
                new.camera.as_str(),
                new.footage.from,
                new.footage.to,
                new.requested_by,
                new.expires_at,
                now
            ))
            .await?;
        self.find(id).await?.ok_or(Error::Engine(sqlx::Error::RowNotFound))
    }

    pub async fn find(&mut self, id: ClipId) -> Result<Option<VideoClip>, Error> {
        let statement = self.visible(sql!(COLUMNS)).push_with(" and c.id = $?", [id.into()]);
        self.0.optional(statement).await
    }

    /// Returns one page, newest first.
    pub async fn page(&mut self, filter: &ClipFilter, page: &PageRequest) -> Result<Page<VideoClip>, Error> {
        let list = format!("video_clips {filter:?}");
        let statement = self.filtered(sql!(COLUMNS), filter);
        let order = (" and c.id < $?", " order by c.id desc");
        let rows = self.0.all(page::order_by_id(statement, order, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    /// Counts the clips that match the filter.
    pub async fn count(&mut self, filter: &ClipFilter) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count"), filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn visible(&self, statement: Statement) -> Statement {
        statement
            .push(TABLES)
            .push_with(" where c.brand_id = $?", [self.1.brand().into()])
            .and_in_projects(self.1.projects(), "c.project_id")
    }

    fn filtered(&self, statement: Statement, filter: &ClipFilter) -> Statement {
        let mut statement = self.visible(statement);
        if let Some(station) = filter.base_station {
            statement = statement.push_with(" and c.base_station_id = $?", [station.into()]);
        }
        if let Some(incursion) = filter.incursion {
            statement = statement.push_with(" and c.incursion_id = $?", [incursion.into()]);
        }
        match filter.state {
            Some(state) => statement.push_with(" and c.state = $?", [state.as_str().into()]),
            None => statement,
        }
    }

    /// Finds an incursion of a base station, if it is visible in the scope.
    pub async fn incursion(
        &mut self,
        station: BaseStationId,
        id: IncursionId,
    ) -> Result<Option<FilmedIncursion>, Error> {
        let statement = sql!(
            "select i.started_at, i.ended_at, i.project_id from incursions i
             where i.brand_id = $1 and i.base_station_id = $2 and i.id = $3",
            self.1.brand(),
            station,
            id
        );
        self.0.optional(statement.and_in_projects(self.1.projects(), "i.project_id")).await
    }

    /// Returns the project of a base station at a time: that of the worksite its machine was assigned to. Before its first term, a
    /// worksite has the values of that term.
    pub async fn project_at(
        &mut self,
        station: BaseStationId,
        at: Timestamp,
    ) -> Result<Option<ProjectId>, Error> {
        #[derive(macros::FromRow)]
        struct Found(#[row(column = "project_id")] Option<ProjectId>);
        let found: Option<Found> = self
            .0
            .optional(sql!(
                "select (select t.project_id from worksite_terms t where t.worksite_id = a.worksite_id
                     order by case when t.from_at <= $3 then 0 else 1 end,
                         case when t.from_at <= $3 then -t.from_at else t.from_at end limit 1) as project_id
                 from installations i join machine_assignments a on a.machine_id = i.machine_id
                     and a.from_at <= $3 and (a.to_at is null or a.to_at > $3)
                 where i.brand_id = $1 and i.base_station_id = $2
                     and i.from_at <= $3 and (i.to_at is null or i.to_at > $3)",
                self.1.brand(),
                station,
                at
            ))
            .await?;
        Ok(found.and_then(|Found(project)| project))
    }

    /// Lists the pending clips of a base station, or of all stations of the brand, oldest first.
    pub async fn pending(
        &mut self,
        station: Option<BaseStationId>,
        now: Timestamp,
        limit: i64,
    ) -> Result<Vec<VideoClip>, Error> {
        let mut statement = self
            .visible(sql!(COLUMNS))
            .push_with(" and c.state = 'requested' and c.expires_at > $?", [now.into()]);
        if let Some(station) = station {
            statement = statement.push_with(" and c.base_station_id = $?", [station.into()]);
        }
        self.0.all(statement.push_with(" order by c.id limit $?", [limit.into()])).await
    }

    /// Records when the base station first fetched these requests.
    pub async fn mark_fetched(&mut self, ids: &[ClipId], now: Timestamp) -> Result<(), Error> {
        let statement = sql!(
            "update video_clips set fetched_at = $2 where brand_id = $1 and fetched_at is null",
            self.1.brand(),
            now
        )
        .and_in("id", ids.iter().copied());
        self.0.execute(statement).await?;
        Ok(())
    }

    /// Marks a pending clip as being uploaded.
    pub async fn begin_upload(&mut self, id: ClipId, now: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update video_clips set state = 'uploading', updated_at = $3, version = version + 1
                 where brand_id = $1 and id = $2 and state in ('requested', 'uploading')",
                self.1.brand(),
                id,
                now
            ))
            .await?;
        Ok(())
    }

    /// Marks a clip whose upload failed as pending again.
    pub async fn undo_upload(&mut self, id: ClipId, now: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update video_clips set state = 'requested', updated_at = $3, version = version + 1
                 where brand_id = $1 and id = $2 and state = 'uploading'",
                self.1.brand(),
                id,
                now
            ))
            .await?;
        Ok(())
    }

    /// Stores the content of a clip that still waits for it. Returns false if it does not.
    pub async fn finish_upload(
        &mut self,
        id: ClipId,
        content: &ClipContent,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let touched = self
            .0
            .execute(sql!(
                "update video_clips set state = 'available', content_type = $3, size_bytes = $4, sha256 = $5, upload = $6,
                     available_at = $7, updated_at = $7, version = version + 1
                 where brand_id = $1 and id = $2 and state in ('requested', 'uploading')",
                self.1.brand(),
                id,
                content.kind.media_type(),
                content.size_bytes,
                content.sha256.as_slice(),
                content.upload.as_str(),
                now
            ))
            .await?;
        Ok(touched > 0)
    }

    /// Marks a clip as failed that still waits for its video. Returns false if it does not.
    pub async fn fail(&mut self, id: ClipId, reason: &str, now: Timestamp) -> Result<bool, Error> {
        let touched = self
            .0
            .execute(sql!(
                "update video_clips set state = 'failed', reason = $3, updated_at = $4, version = version + 1
                 where brand_id = $1 and id = $2 and state in ('requested', 'uploading')",
                self.1.brand(),
                id,
                reason,
                now
            ))
            .await?;
        Ok(touched > 0)
    }
}
