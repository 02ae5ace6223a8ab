//! POST /api/v1/base_stations/{id}/video_clips

use std::sync::Arc;

use app::{App, ClipSubject, Idempotent};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{BaseStationId, IncursionId, Invalid, PartName, Timestamp};
use utoipa::ToSchema;
use web::{
    Caller, DeferredBody, Fields, FromFields, IdempotencyKeyHeader, IdempotentBody, NoParams, PathId, Result,
    id, problem, text,
};

use crate::video_clips::{VideoClip, shape};

/// A video clip to be asked for: `from` and `to`, or `incursion_id`.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewVideoClip {
    /// One of the base station's cameras; its first, unless it is given.
    #[schema(example = "front", min_length = 1, max_length = 100)]
    camera: Option<String>,
    /// Since when. At most 7 days ago.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Option<String>,
    /// Until when, exclusive. At most 60 seconds after `from`, and not in the future.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:30Z")]
    to: Option<String>,
    /// Instead of a time: an incursion of this base station, from 10 seconds before it to 10 seconds after it, cut to 60
    /// seconds.
    incursion_id: Option<i64>,
}

/// A request that was read.
pub struct ClipFields {
    camera: Option<PartName>,
    subject: ClipSubject,
}

impl FromFields for ClipFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let camera = fields.optional("camera", text(PartName::parse));
        let from = fields.optional("from", text(Timestamp::parse));
        let to = fields.optional("to", text(Timestamp::parse));
        let incursion = fields.optional("incursion_id", id);
        let (from, to, incursion) = (from?, to?, incursion?);
        let required = || Invalid::new("required", "must be given, unless incursion_id is");
        let subject = match (from, to, incursion) {
            (None, None, Some(incursion)) => ClipSubject::Incursion(IncursionId(incursion)),
            (_, _, Some(_)) => {
                let both = Invalid::new("ambiguous", "stands instead of from and to, not beside them");
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
        Some(Self { camera: camera?, subject })
    }
}

/// Asks a base station that you see for video. It sends it when it next asks what there is to do.
#[utoipa::path(
    post, path = "/api/v1/base_stations/{id}/video_clips", tag = "base stations",
    operation_id = "request_video_clip", security(("session" = [])),
    params(("id" = i64, Path, description = "The base station's id"), IdempotencyKeyHeader),
    request_body = NewVideoClip,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 201, description = "Asked for", body = VideoClip),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::NotFound,
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
    let once = Idempotent::new(key, |made: &store::VideoClip| {
        web::created_to_store(format!("/api/v1/video_clips/{}", made.id), &shape(made.clone()))
    });
    let camera = camera.as_ref().map(PartName::as_str);
    Ok(web::render_stored(app.request_video_clip(&caller, station, camera, subject, once).await?))
}
