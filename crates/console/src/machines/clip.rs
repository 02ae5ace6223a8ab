//! One video clip: it is waited for, watched and saved.

use std::sync::Arc;

use app::App;
use askama::Template;
use axum::body::Body;
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{ClipId, MachineId, encode_hex};
use http::{HeaderMap, HeaderValue, Method};
use texts::console::machines as t;
use web::{
    Caller, Disposition, NoParams, Params, PathIds, RangeOutcome, Representation, Result,
    evaluate_range_request,
};

use super::clips::{self, Player};
use super::{MachineAtSite, PickerParams};
use crate::entities::parts::actor_name;
use crate::frame::Frame;
use crate::parts::{Cell, Details};
use crate::response;

/// Seconds after which a page that waits for a clip is loaded again. A header does it, so that no script is needed.
const REFRESH_S: HeaderValue = HeaderValue::from_static("5");

#[derive(Template)]
#[template(path = "machines/clip.html")]
struct ClipPage<'a> {
    frame: &'a Frame,
    title: String,
    is_waiting: bool,
    player: Option<Player>,
    details: Details,
    incursion: Option<String>,
    again: String,
    machine: String,
    back: String,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    frame: Frame,
    PathIds(machine, id): PathIds,
    Params(PickerParams(_)): Params<PickerParams>,
) -> Result {
    let at = MachineAtSite::find(&app, &frame, MachineId(machine)).await?;
    let clip = app.find_video_clip(&caller, ClipId(id)).await?;
    let formats = frame.formats();
    let row = |text: texts::Text, cell: Cell| (frame.text(text).to_owned(), cell);
    let mut rows = vec![
        row(t::STATION_STATUS, Cell::badge(clips::state_badge(&frame, &clip))),
        row(t::CAMERA, Cell::text(clip.camera.as_str())),
        row(t::FROM, Cell::text(formats.instant(clip.footage.from, &at.zone))),
        row(t::TO, Cell::text(formats.instant(clip.footage.to, &at.zone))),
        row(t::STATION, Cell::text(clip.station_serial.as_str())),
        row(t::ASKED_BY, Cell::text(actor_name(&frame, &clip.requested_by))),
        row(t::ASKED_AT, Cell::text(formats.instant(clip.created_at, &at.zone))),
    ];
    if let Some(until) = clip.expires_at {
        rows.push(row(t::KEPT_UNTIL, Cell::text(formats.instant(until, &at.zone))));
    }
    let is_available = clip.state == domain::ClipState::Available;
    let is_waiting = clips::is_waiting(&clip);
    let page = ClipPage {
        title: clips::title(&frame, &clip, &at.zone),
        is_waiting,
        player: is_available.then(|| clips::player(&frame, &clip, at.machine.id, &at.zone)),
        details: Details { rows },
        incursion: clip.incursion.map(|id| frame.link(&format!("/incursions/{id}"))),
        again: frame.link(&format!("/machines/{machine}/clips/{id}")),
        machine: frame.fill(t::BACK_TO, &[("name", &at.machine.name)]),
        back: format!("{}#clips", at.address(&frame)),
        frame: &frame,
    };
    let mut answer = response::page(&frame, &page)?;
    if is_waiting {
        answer.headers_mut().insert("refresh", REFRESH_S);
    }
    Ok(answer)
}

/// The bytes of a clip. Players seek by ranges.
pub async fn video(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathIds(machine, id): PathIds,
    _: NoParams,
    method: Method,
    headers: HeaderMap,
) -> Result {
    app.find_machine(&caller, MachineId(machine)).await?;
    let clip = app.open_video_clip(&caller, ClipId(id)).await?;
    let stored = Representation {
        size_bytes: clip.content.size_bytes.unsigned_abs(),
        media_type: clip.content.kind.media_type(),
        etag: encode_hex(&clip.content.sha256),
        file_name: format!("clip-{id}.{}", clip.content.kind.extension()),
        disposition: Disposition::Inline,
    };
    match evaluate_range_request(&method, &headers, &stored)? {
        RangeOutcome::WithoutBody(answer) => Ok(answer),
        RangeOutcome::WithBody(range, answer) => {
            let bytes = app.read_video_clip(&clip, range).await?;
            Ok(answer.map(|_| Body::from_stream(bytes)))
        }
    }
}
