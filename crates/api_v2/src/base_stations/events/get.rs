//! GET /api/v2/base_stations/{id}/events/{event_id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::BaseStationId;
use domain::access::ReadInsights;
use serde::Serialize;
use utoipa::ToSchema;
use web::{
    Caller, ClipSummary, NoParams, PathIdText, PersonReference, Result, TimelineEntry, json_api_errors,
    shape_clip, shape_timeline_entry,
};

use crate::base_stations::gps_tracks::Tracks;

/// An event with everything.
#[derive(Serialize, ToSchema)]
pub struct Event {
    /// As the list shows it.
    event: TimelineEntry,
    /// Where the base station went from two minutes before it until two minutes after; of what lasts longer than an hour, its
    /// first hour.
    track: Tracks,
    /// The video of it, or of its time, at most a hundred pieces.
    clips: Vec<EventClip>,
    /// Who had to do with it.
    people: Vec<EventPerson>,
}

/// A piece of video.
#[derive(Serialize, ToSchema)]
pub struct EventClip {
    /// Its id.
    #[schema(example = 8)]
    id: i64,
    #[serde(flatten)]
    clip: ClipSummary,
}

/// Someone who had to do with an event.
#[derive(Serialize, ToSchema)]
pub struct EventPerson {
    /// `pedestrian`: on foot; `operator`: drove at that time; `wearer`: wore the tag.
    #[schema(example = "operator")]
    part: &'static str,
    /// Who.
    person: PersonReference,
}

/// One event of a base station with everything: the way around it, the video, the people.
#[utoipa::path(
    get, path = "/api/v2/base_stations/{id}/events/{event_id}", tag = "base stations",
    operation_id = "get_base_station_event", security(("jwt" = [])),
    params(
        ("id" = i64, Path, description = "The base station's id"),
        ("event_id" = String, Path, description = "The event's kind and id, such as incursion-31"),
    ),
    responses(
        (status = 200, description = "The event", body = Event),
        json_api_errors::Unauthenticated, json_api_errors::NotFound,
    ),
)]
pub async fn get_event(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathIdText(id, event): PathIdText,
    _: NoParams,
) -> Result {
    let found = app.find_station_event(&caller, BaseStationId(id), &event).await?;
    let clips = found.clips.into_iter().map(|clip| {
        let (id, clip) = shape_clip(clip);
        EventClip { id, clip }
    });
    let people = found
        .people
        .into_iter()
        .map(|(part, person)| EventPerson { part: part.as_str(), person: person.into() });
    Ok(web::json_response(&Event {
        event: shape_timeline_entry(found.entry),
        track: Tracks::from_lines(found.lines),
        clips: clips.collect(),
        people: people.collect(),
    }))
}
