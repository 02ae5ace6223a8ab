//! Video clips: users request them from base stations and watch them.

use std::ops::Range;

use blobs::{ByteStream, Key, Upload};
use domain::access::{ReadRegistry, WriteRegistry};
use domain::{
    BaseStationId, ClipContent, ClipFilter, ClipId, ClipRange, ClipState, IncursionId, Invalid, Page,
    PageRequest, ProjectId, StoredResponse, Timestamp, VideoClip, video,
};
use serde_json::json;
use store::{NewClip, Tx};

use crate::platform::audit::AuditEntry;
use crate::registry::base_stations;
use crate::{App, Caller, Error, ErrorKind, Idempotent};

/// The footage that a clip is to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClipSubject {
    /// A period.
    Time(Timestamp, Timestamp),
    /// An incursion, with a margin before and after it.
    Incursion(IncursionId),
}

/// A clip that can be watched.
#[derive(Clone, Debug)]
pub struct PlayableClip {
    pub content: ClipContent,
    key: Key,
}

#[macros::boxed]
impl App {
    /// Lists a page of the clips that the caller sees, the newest first, with the total if requested.
    pub async fn list_video_clips(
        &self,
        caller: &Caller<ReadRegistry>,
        filter: &ClipFilter,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<VideoClip>, Option<i64>), Error> {
        let mut tx = self.store.read().await?;
        let found = tx.video_clips(caller.scope()).page(filter, page).await?;
        let total =
            if include_total { Some(tx.video_clips(caller.scope()).count(filter).await?) } else { None };
        Ok((caller.names().redact_page(found), total))
    }

    /// Finds a clip that the caller sees.
    pub async fn find_video_clip(
        &self,
        caller: &Caller<ReadRegistry>,
        id: ClipId,
    ) -> Result<VideoClip, Error> {
        let found = self.store.read().await?.video_clips(caller.scope()).find(id).await?;
        found.map(|clip| caller.names().redact_record(clip)).ok_or_else(clip_not_found)
    }

    /// Requests a clip from a station that the caller sees, from its first camera unless another is named.
    pub async fn request_video_clip(
        &self,
        caller: &Caller<WriteRegistry>,
        station: BaseStationId,
        camera: Option<&str>,
        subject: ClipSubject,
        idempotent: Idempotent<'_, VideoClip>,
    ) -> Result<StoredResponse, Error> {
        let scope = caller.scope();
        self.run_idempotent(idempotent, async |tx| {
            let found = tx.base_stations(scope).find(station).await?;
            let cameras = found.ok_or_else(base_stations::station_not_found)?.cameras;
            let camera = choose_camera(&cameras, camera)?;
            let now = self.clock.now();
            let (footage, project) = self.resolve_footage(tx, caller, station, subject, now).await?;
            let new = NewClip {
                base_station: station,
                incursion: match subject {
                    ClipSubject::Incursion(id) => Some(id),
                    ClipSubject::Time(..) => None,
                },
                project,
                camera: camera.to_owned(),
                footage,
                requested_by: caller.identity.user,
                expires_at: now + video::MAX_CLIP_AGE,
            };
            let made = tx.video_clips(scope).add(&new, now).await?;
            let entry = AuditEntry::by_caller(caller).on("video_clip.requested", "video_clip", made.id.0);
            let details = json!({
                "base_station_id": station, "camera": camera, "from": footage.from, "to": footage.to,
                "incursion_id": new.incursion,
            });
            self.record_audit(tx, entry.with_details(details)).await?;
            self.notify_devices_after_commit(tx, scope);
            Ok(made)
        })
        .await
    }

    /// Resolves the period of a clip and its project at that time. A restricted caller cannot request a clip of another project, because
    /// they would not see it.
    async fn resolve_footage(
        &self,
        tx: &mut Tx,
        caller: &Caller<WriteRegistry>,
        station: BaseStationId,
        subject: ClipSubject,
        now: Timestamp,
    ) -> Result<(ClipRange, Option<ProjectId>), Error> {
        let scope = caller.scope();
        match subject {
            ClipSubject::Incursion(id) => {
                let fault = |invalid| Error::invalid_field("incursion_id", invalid);
                let unknown = || {
                    let message = "is not an incursion of this base station that you see";
                    Error::missing_relation("incursion_id", "unknown_incursion", message)
                };
                let found = tx.video_clips(scope).incursion(station, id).await?.ok_or_else(unknown)?;
                let footage =
                    ClipRange::around_incursion(found.started_at, found.ended_at, now).map_err(fault)?;
                Ok((footage, found.project))
            }
            ClipSubject::Time(from, to) => {
                let footage = ClipRange::requested(from, to, now)
                    .map_err(|(field, invalid)| Error::invalid_field(field, invalid))?;
                let project = tx.video_clips(scope).project_at(station, from).await?;
                let seen = tx
                    .visible_station(caller.scope(), station)
                    .await?
                    .ok_or_else(base_stations::station_not_found)?;
                if seen.visible_parts(footage.from, footage.to) != [(footage.from, footage.to)] {
                    let elsewhere = "is a time at which the base station was in none of your projects";
                    return Err(Error::invalid_field("from", Invalid::new("not_yours_then", elsewhere)));
                }
                Ok((footage, project))
            }
        }
    }

    /// Opens a clip that the caller sees for playback.
    pub async fn open_video_clip(
        &self,
        caller: &Caller<ReadRegistry>,
        id: ClipId,
    ) -> Result<PlayableClip, Error> {
        let clip = self.find_video_clip(caller, id).await?;
        match clip.state {
            ClipState::Requested | ClipState::Uploading => {
                return Err(Error::new(
                    ErrorKind::Conflict,
                    "not_ready",
                    "The video has not been uploaded yet.",
                ));
            }
            ClipState::Expired => {
                return Err(Error::new(
                    ErrorKind::NotFound,
                    "clip_expired",
                    "The video has expired and was deleted.",
                ));
            }
            ClipState::Failed => {
                return Err(Error::new(
                    ErrorKind::NotFound,
                    "clip_failed",
                    "There is no video: it was never uploaded.",
                ));
            }
            ClipState::Available => {}
        }
        let content = clip.content.ok_or_else(|| Error::internal("an available clip has no content"))?;
        let upload =
            Upload::parse(&content.upload).ok_or_else(|| Error::internal("an upload has no name"))?;
        Ok(PlayableClip { content, key: Key::Clip(caller.identity.brand(), id, upload) })
    }

    /// Reads a range of a clip's bytes.
    pub async fn read_video_clip(&self, clip: &PlayableClip, range: Range<u64>) -> Result<ByteStream, Error> {
        match self.blobs.read(&clip.key, range).await {
            Ok(stream) => Ok(stream),
            // It may have expired a moment ago. If it has not, the operator should know.
            Err(blobs::Error::NotFound(name)) => {
                tracing::error!("the object {name} of a clip is missing");
                Err(Error::new(ErrorKind::NotFound, "clip_expired", "The video was deleted."))
            }
            Err(error) => Err(error.into()),
        }
    }
}

pub(crate) fn clip_not_found() -> Error {
    Error::not_found("video clip")
}

/// Returns the named camera, or the first one if none is named.
fn choose_camera<'a>(cameras: &'a [String], named: Option<&str>) -> Result<&'a str, Error> {
    let fault = |code, text| Error::invalid_field("camera", Invalid::new(code, text));
    match named {
        Some(named) => cameras
            .iter()
            .find(|camera| *camera == named)
            .map(String::as_str)
            .ok_or_else(|| fault("unknown_camera", "is not a camera of this base station")),
        None => {
            let first = cameras.first().map(String::as_str);
            first.ok_or_else(|| fault("unknown_camera", "cannot be chosen: the base station has no cameras"))
        }
    }
}
