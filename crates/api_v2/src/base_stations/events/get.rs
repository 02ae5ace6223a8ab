//! GET /api/v2/base_stations/{id}/events/{event_id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::BaseStationId;
use domain::access::ReadInsights;
use web::{
    Caller, ClipSummary, NoParams, PathIdText, PersonReference, Result, TimelineEntry, enum_schemas,
    json_api_errors, shape_clip, shape_timeline_entry,
};

use crate::base_stations::gps_tracks::Tracks;

/// An event with its track, video clips and people.
#[web::answer]
pub struct StationEvent {
    /// The event, as in the list of events.
    event: TimelineEntry,
    /// GPS track of the base station from two minutes before the event until two minutes after it; for an event longer than an hour, of
    /// its first hour.
    track: Tracks,
    /// Video clips of the event or of its time; at most a hundred.
    clips: Vec<EventClip>,
    /// People involved in the event.
    people: Vec<EventPerson>,
}

/// A video clip.
#[web::answer]
pub struct EventClip {
    /// Id of the video clip.
    #[schema(example = 8)]
    id: i64,
    #[serde(flatten)]
    clip: ClipSummary,
}

/// A person involved in an event.
#[web::answer]
pub struct EventPerson {
    /// Role of the person: `pedestrian` was on foot, `operator` drove at the time, `wearer` wore the tag.
    #[schema(value_type = enum_schemas::Involvement, example = "operator")]
    part: &'static str,
    /// The person.
    person: PersonReference,
}

/// Get an event of a base station
///
/// Returns the event with the GPS track around it, its video clips and the people involved.
#[web::operation(
    get, path = "/api/v2/base_stations/{id}/events/{event_id}", tag = "base stations",
    operation_id = "get_base_station_event",
    params(
        ("id" = i64, Path, description = "Id of the base station."),
        ("event_id" = String, Path, description = "Kind and id of the event, such as incursion-31."),
    ),
    responses(
        (status = 200, description = "The event.", body = StationEvent),
        json_api_errors::NotFound,
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
    Ok(web::json_response(&StationEvent {
        event: shape_timeline_entry(found.entry),
        track: Tracks::from_lines(found.lines),
        clips: clips.collect(),
        people: people.collect(),
    }))
}
