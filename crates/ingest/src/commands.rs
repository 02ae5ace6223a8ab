//! GET /ingest/v1/commands

use std::sync::Arc;
use std::time::Duration;

use app::{App, Error};
use axum::extract::State;
use domain::{Invalid, Serial, Timestamp, video};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, FromParams, Params, Query, Reporter, Result, problem};

/// The longest that a call is held open, in seconds.
const MAX_WAIT_S: u64 = 30;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new().routes(routes!(fetch_commands))
}

/// What is asked for.
pub struct CommandParams {
    wait: Duration,
    base_station: Option<Serial>,
    known_version: Option<String>,
}

impl FromParams for CommandParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let wait = query.one("wait", |text| match text.parse() {
            Ok(seconds @ 0..=MAX_WAIT_S) => Ok(Duration::from_secs(seconds)),
            _ => Err(Invalid::new("out_of_range", format!("must be a whole number from 0 to {MAX_WAIT_S}"))),
        })?;
        Ok(Self {
            wait: wait.unwrap_or_default(),
            base_station: query.one("base_station", Serial::parse)?,
            known_version: query.short_text("known")?,
        })
    }
}

/// What waits.
#[derive(Serialize, ToSchema)]
pub struct Commands {
    /// A short text that differs when what waits differs; give it back as `known`.
    #[schema(example = "5f70bf18a0860070")]
    version: String,
    /// Texts to show, the oldest first. Each stays until a receipt for it has come.
    messages: Vec<PendingMessage>,
    /// Video to send, the oldest request first. Each stays until its upload has begun.
    video_clips: Vec<PendingClip>,
}

/// A text to show in the cab.
#[derive(Serialize, ToSchema)]
pub struct PendingMessage {
    /// Its id, for receipts.
    #[schema(example = 9)]
    id: i64,
    /// The serial of the base station.
    #[schema(example = "BS-0042")]
    base_station: String,
    /// What it says.
    #[schema(example = "Please stop at gate 4.")]
    text: String,
    /// When it was sent.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    queued_at: Timestamp,
    /// From when on it should not be shown any more.
    #[schema(value_type = String, format = DateTime, example = "2026-03-02T08:00:00Z")]
    expires_at: Timestamp,
}

/// Video to send.
#[derive(Serialize, ToSchema)]
pub struct PendingClip {
    /// Its id.
    #[schema(example = 11)]
    id: i64,
    /// The serial of the base station.
    #[schema(example = "BS-0042")]
    base_station: String,
    /// Which camera.
    #[schema(example = "front")]
    camera: String,
    /// Since when.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
    /// Until when, exclusive.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:30Z")]
    to: Timestamp,
    /// Where to PUT it.
    #[schema(example = "/ingest/v1/video_clips/11/content")]
    upload: String,
    /// The most bytes it may have.
    #[schema(example = 268_435_456)]
    max_bytes: u64,
}

/// What waits for this base station, or for those of a gateway's brand. With `wait` the call is held open until something
/// does.
#[utoipa::path(
    get, path = "/ingest/v1/commands", tag = "devices", operation_id = "fetch_commands", security(("device_token" = [])),
    params(
        ("wait" = Option<u64>, Query, description = "For how many seconds to hold the call open at most", minimum = 0, maximum = 30),
        ("base_station" = Option<String>, Query, description = "For a gateway: only what waits for the base station of this serial"),
        ("known" = Option<String>, Query, description = "The `version` of the answer before: with `wait`, the call is held open until something else waits"),
    ),
    responses(
        (status = 200, description = "What waits; empty lists if nothing does", body = Commands),
        problem::BadParams, problem::Unauthenticated,
        (status = 503, description = "Too many calls of this token or brand are held open; come again after `Retry-After`", body = web::Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn fetch_commands(
    State(app): State<Arc<App>>,
    State(EdgeState(edge)): State<EdgeState>,
    Reporter(reporter): Reporter,
    Params(CommandParams { wait, base_station, known_version }): Params<CommandParams>,
) -> Result {
    // Only what is held open takes a place.
    let _permit = (!wait.is_zero()).then(|| edge.long_polls.acquire(&reporter)).transpose()?;
    let stop = edge.stopping();
    let found =
        app.fetch_commands(&reporter, base_station.as_ref(), known_version.as_deref(), wait, stop).await?;
    let version = found.version();
    let messages = found.messages.into_iter().map(|message| PendingMessage {
        id: message.id.0,
        base_station: message.station_serial,
        text: message.text.unwrap_or_default(),
        queued_at: message.queued_at,
        expires_at: message.progress.expires_at,
    });
    let video_clips = found.clips.into_iter().map(|clip| PendingClip {
        id: clip.id.0,
        base_station: clip.station_serial,
        camera: clip.camera,
        from: clip.footage.from,
        to: clip.footage.to,
        upload: format!("/ingest/v1/video_clips/{}/content", clip.id),
        max_bytes: video::MAX_CLIP_BYTES,
    });
    Ok(web::json_response(&Commands {
        version,
        messages: messages.collect(),
        video_clips: video_clips.collect(),
    }))
}
