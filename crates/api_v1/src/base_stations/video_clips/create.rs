//! POST /api/v1/base_stations/{id}/video_clips

use std::sync::Arc;

use app::{App, ClipSubject, Idempotent};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{BaseStationId, IncursionId, Invalid, PartName, Timestamp};
use web::{Caller, DeferredBody, Fields, FromFields, IdempotentBody, NoParams, PathId, Result, problem};

use crate::video_clips::{VideoClip, shape};

/// A request for a video clip: either `from` and `to`, or `incursion_id`.
#[web::body(parts)]
pub struct NewVideoClip {
    /// Name of a camera of the base station; the default is its first camera.
    #[schema(example = "front", min_length = 1, max_length = 100)]
    camera: Option<PartName>,
    /// Start of the clip, RFC 3339 in UTC. It must be at most 7 days ago.
    #[schema(example = "2026-03-01T08:00:00Z")]
    from: Option<Timestamp>,
    /// End of the clip, RFC 3339 in UTC, exclusive. It must be at most 60 seconds after `from` and not in the future.
    #[schema(example = "2026-03-01T08:00:30Z")]
    to: Option<Timestamp>,
    /// Identifier of an incursion of this base station, instead of a time. The clip lasts from 10 seconds before the incursion to 10
    /// seconds after it, and at most 60 seconds.
    incursion_id: Option<IncursionId>,
}

pub struct ClipFields {
    camera: Option<PartName>,
    subject: ClipSubject,
}

impl FromFields for ClipFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let parts = NewVideoClip::read_parts(fields);
        let (from, to, incursion) = (parts.from?, parts.to?, parts.incursion_id?);
        let required = || Invalid::new("required", "must be given, unless incursion_id is");
        let subject = match (from, to, incursion) {
            (None, None, Some(incursion)) => ClipSubject::Incursion(incursion),
            (_, _, Some(_)) => {
                let both = Invalid::new("ambiguous", "must not be given together with from or to");
                return fields.add_fault("incursion_id", both);
            }
            (Some(from), Some(to), None) => ClipSubject::Time(from, to),
            (None, Some(_), None) => return fields.add_fault("from", required()),
            (Some(_), None, None) => return fields.add_fault("to", required()),
            (None, None, None) => {
                fields.add_fault::<()>("from", required());
                return fields.add_fault("to", required());
            }
        };
        Some(Self { camera: parts.camera?, subject })
    }
}

/// Request a video clip
///
/// The base station receives the request the next time it polls for commands, and then uploads the video.
#[web::operation(
    post, path = "/api/v1/base_stations/{id}/video_clips", tag = "base stations",
    operation_id = "request_video_clip",
    params(("id" = i64, Path, description = "Identifier of the base station")),
    request_body = NewVideoClip,
    responses(
        (status = 201, description = "The requested video clip", body = VideoClip),
        problem::BadBody, problem::NotFound,
    ),
)]
pub async fn request_clip(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let station = BaseStationId(id);
    app.check_base_station(&caller, station).await?;
    let IdempotentBody { value: ClipFields { camera, subject }, key } = body.into_idempotent().await?;
    let once = Idempotent::new(key, |made: &domain::VideoClip| {
        web::created_to_store(format!("/api/v1/video_clips/{}", made.id), &shape(made.clone()))
    });
    let camera = camera.as_ref().map(PartName::as_str);
    Ok(web::render_stored(app.request_video_clip(&caller, station, camera, subject, once).await?))
}
