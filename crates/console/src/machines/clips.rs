//! Video clips as a table, with the newest one that can be watched.

use app::App;
use askama::Template;
use domain::access::{ReadInsights, ReadRegistry};
use domain::{ClipState, MachineId, TimeZone, VideoClip};
use texts::console::machines as t;

use super::zone_of_site;
use crate::entities::parts::actor_name;
use crate::frame::Frame;
use crate::parts::{Action, Badge, Cell, Column, Empty, Row, Table, Tone};

/// The clips of a machine or of an incursion.
#[derive(Template)]
#[template(path = "machines/clips.html")]
pub struct ClipPanel {
    pub table: Table,
    /// The newest clip that can be watched.
    pub player: Option<Player>,
    /// Asks for a clip, for those who may.
    pub ask: Option<Action>,
    /// Whether a video is still to come.
    pub is_waiting: bool,
}

impl askama::filters::HtmlSafe for ClipPanel {}

/// A clip that can be watched.
#[derive(Template)]
#[template(path = "machines/player.html")]
pub struct Player {
    pub src: String,
    pub label: String,
}

impl askama::filters::HtmlSafe for Player {}

/// The machine under whose address a station's clips are shown, and the time zone of its site.
struct Place {
    machine: Option<MachineId>,
    zone: TimeZone,
}

/// Lists clips of one base station.
pub async fn clip_panel(app: &App, frame: &Frame, clips: &[VideoClip], ask: Option<Action>) -> ClipPanel {
    let place = match clips.first() {
        Some(clip) => place_of(app, frame, clip).await,
        None => Place { machine: None, zone: frame.preferences.time_zone.clone() },
    };
    panel(frame, clips, &place, ask)
}

/// The same for a machine that is known.
pub fn clip_panel_of_machine(
    frame: &Frame,
    clips: &[VideoClip],
    (machine, zone): (MachineId, &TimeZone),
    ask: Option<Action>,
) -> ClipPanel {
    panel(frame, clips, &Place { machine: Some(machine), zone: zone.clone() }, ask)
}

fn panel(frame: &Frame, clips: &[VideoClip], place: &Place, ask: Option<Action>) -> ClipPanel {
    let columns = vec![
        Column::text(frame.text(t::RECORDED)),
        Column::text(frame.text(t::CAMERA)),
        Column::text(frame.text(t::STATION_STATUS)),
        Column::text(frame.text(t::ASKED_BY)),
    ];
    let rows = clips.iter().map(|clip| row(frame, clip, place)).collect();
    let empty = Empty {
        title: frame.text(t::NO_CLIPS).to_owned(),
        reason: frame.text(t::NO_CLIPS_REASON).to_owned(),
        action: None,
    };
    let newest = clips.iter().find(|clip| clip.state == ClipState::Available);
    ClipPanel {
        table: Table::new(frame.text(t::CLIPS), columns, rows, empty),
        player: newest.zip(place.machine).map(|(clip, machine)| player(frame, clip, machine, &place.zone)),
        ask,
        is_waiting: clips.iter().any(is_waiting),
    }
}

/// Whether the video of a clip is still to come.
pub fn is_waiting(clip: &VideoClip) -> bool {
    matches!(clip.state, ClipState::Requested | ClipState::Uploading)
}

pub fn player(frame: &Frame, clip: &VideoClip, machine: MachineId, zone: &TimeZone) -> Player {
    Player { src: format!("/machines/{machine}/clips/{}/video", clip.id), label: title(frame, clip, zone) }
}

/// The camera and the time of a clip.
pub fn title(frame: &Frame, clip: &VideoClip, zone: &TimeZone) -> String {
    let at = frame.formats().instant(clip.footage.from, zone);
    frame.fill(t::CLIP, &[("camera", &clip.camera), ("at", &at)])
}

fn row(frame: &Frame, clip: &VideoClip, place: &Place) -> Row {
    let recorded = frame.formats().instant(clip.footage.from, &place.zone);
    let recorded = match place.machine {
        Some(machine) => Cell::head(recorded, frame.link(&format!("/machines/{machine}/clips/{}", clip.id))),
        None => Cell::text(recorded),
    };
    Row::new(vec![
        recorded,
        Cell::text(clip.camera.as_str()),
        Cell::badge(state_badge(frame, clip)),
        Cell::text(actor_name(frame, &clip.requested_by)),
    ])
    .muted(matches!(clip.state, ClipState::Expired | ClipState::Failed))
}

pub fn state_badge(frame: &Frame, clip: &VideoClip) -> Badge {
    let (sign, tone) = match clip.state {
        ClipState::Requested => ("…", Tone::Neutral),
        ClipState::Uploading => ("↑", Tone::Neutral),
        ClipState::Available => ("▶", Tone::Good),
        ClipState::Expired => ("■", Tone::Neutral),
        ClipState::Failed => ("✕", Tone::Warning),
    };
    let word = match (&clip.reason, clip.state) {
        (Some(reason), ClipState::Failed) => {
            // Base stations may give a reason of their own, which is shown as it is.
            let known = t::clip_failure(frame.language, reason);
            frame.fill(t::FAILED_BECAUSE, &[("reason", known.unwrap_or(reason))])
        }
        _ => t::clip_state(frame.language, clip.state.as_str()).to_owned(),
    };
    Badge { word, sign, tone }
}

/// Finds the machine on which the station of a clip is now, or on which it was in the incursion of the clip. What the reader does not
/// see, or cannot be read now, is left out: the clips are still listed.
async fn place_of(app: &App, frame: &Frame, clip: &VideoClip) -> Place {
    let own = || Place { machine: None, zone: frame.preferences.time_zone.clone() };
    find_place(app, frame, clip).await.unwrap_or_else(|_| own())
}

async fn find_place(app: &App, frame: &Frame, clip: &VideoClip) -> Result<Place, app::Error> {
    let registry = frame.caller::<ReadRegistry>()?;
    let station = app.find_base_station(&registry, clip.base_station).await?;
    let mut machine = station.station.machine.map(|(id, ..)| id);
    let mut site = None;
    if let Some(incursion) = clip.incursion {
        let found = app.find_incursion(&frame.caller::<ReadInsights>()?, incursion).await?;
        machine = machine.or(found.view.details.machine.map(|(id, _)| id));
        site = found.view.details.worksite.map(|(id, _)| id);
    }
    if let (None, Some(machine)) = (site, machine) {
        site = app.find_machine(&registry, machine).await?.worksite.map(|(id, _)| id);
    }
    Ok(Place { machine, zone: zone_of_site(app, frame, site).await? })
}
