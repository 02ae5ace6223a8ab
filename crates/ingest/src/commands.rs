//! GET /ingest/v1/commands

use std::sync::Arc;
use std::time::Duration;

use app::{App, Error};
use axum::extract::State;
use domain::{Invalid, Serial, Timestamp, video};
use web::{EdgeState, FromParams, OperationRouter, Params, Query, Reporter, Result, problem, routes};

/// The longest time that a call is held open.
const MAX_WAIT_S: u64 = 30;

pub fn routes() -> OperationRouter {
    OperationRouter::new().routes(routes!(fetch_commands))
}

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

/// The commands that are pending for a base station, or for all base stations of a gateway's brand.
#[web::answer]
pub struct Commands {
    /// Short text that changes whenever the pending commands change. Send it back as `known`.
    #[schema(example = "5f70bf18a0860070")]
    version: String,
    /// Messages to show, the oldest first. Each is listed until the base station has sent a receipt for it.
    messages: Vec<PendingMessage>,
    /// Requested video clips, the oldest request first. Each is listed until its upload has begun.
    video_clips: Vec<PendingClip>,
}

/// A message to show in the cab.
#[web::answer]
pub struct PendingMessage {
    /// Id of the message, which its receipts refer to.
    #[schema(example = 9)]
    id: i64,
    /// Serial of the base station that the message is for.
    #[schema(example = "BS-0042")]
    base_station: String,
    /// Text of the message.
    #[schema(example = "Please stop at gate 4.")]
    body: String,
    /// Time at which the message was sent, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    queued_at: Timestamp,
    /// Time from which the message should no longer be shown, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-02T08:00:00Z")]
    expires_at: Timestamp,
}

/// A video clip to upload.
#[web::answer]
pub struct PendingClip {
    /// Id of the video clip.
    #[schema(example = 11)]
    id: i64,
    /// Serial of the base station that has the recording.
    #[schema(example = "BS-0042")]
    base_station: String,
    /// Name of the camera.
    #[schema(example = "front")]
    camera: String,
    /// Start of the requested footage, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
    /// End of the requested footage, exclusive, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:30Z")]
    to: Timestamp,
    /// Path to send the video to with PUT.
    #[schema(example = "/ingest/v1/video_clips/11/content")]
    upload: String,
    /// Maximum size of the video in bytes.
    #[schema(example = 268_435_456)]
    max_bytes: u64,
}

/// Fetch pending commands
///
/// Returns the messages and video requests that are pending for this base station, or for all base stations of a gateway's brand. With
/// `wait` the call is held open until something is pending (long polling).
#[web::operation(
    get, path = "/ingest/v1/commands", tag = "devices", operation_id = "fetch_commands",
    params(
        ("wait" = Option<u64>, Query, description = "Maximum time to hold the call open, in seconds.", minimum = 0, maximum = 30),
        ("base_station" = Option<String>, Query, description = "Serial of a base station. A gateway gives it to fetch the commands of that base station only."),
        ("known" = Option<String>, Query, description = "The `version` of the previous response. With `wait`, the call is held open until the pending commands differ from it."),
    ),
    responses(
        (status = 200, description = "The pending commands. The lists are empty if there are none.", body = Commands),
        problem::BadParams,
        (status = 503, description = "Too many calls of this token or brand are held open. Try again after the time in `Retry-After`.", body = web::Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn fetch_commands(
    State(app): State<Arc<App>>,
    State(EdgeState(edge)): State<EdgeState>,
    Reporter(reporter): Reporter,
    Params(CommandParams { wait, base_station, known_version }): Params<CommandParams>,
) -> Result {
    // Only calls that are held open need a permit.
    let _permit = (!wait.is_zero()).then(|| edge.long_polls.acquire(&reporter)).transpose()?;
    let stop = edge.stopping();
    let found =
        app.fetch_commands(&reporter, base_station.as_ref(), known_version.as_deref(), wait, stop).await?;
    let version = found.version();
    let messages = found.messages.into_iter().map(|message| PendingMessage {
        id: message.id.0,
        base_station: message.station_serial,
        body: message.text.unwrap_or_default(),
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
