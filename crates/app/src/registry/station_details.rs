//! The page of a base station: its machine, its links and its figures, and a single event with all details.

use domain::access::ReadInsights;
use domain::{
    BaseStationId, IncursionId, Machine, PersonName, ProjectId, Span, StationClip, StationFigures,
    TimelineId, TimelineKind, Timestamp, WorksiteId,
};

use crate::facts::timeline::{self, TimelineEntry};
use crate::registry::base_stations::{BaseStationView, RECENT_PERIOD, station_not_found};
use crate::registry::station_tracks::{TrackLine, TrackPart};
use crate::{App, Caller, Error, ErrorKind};

/// The track is shown for this long before and after an event.
const TRACK_MARGIN: Span = Span::minutes(2);
/// Maximum part of a long event for which the track is shown.
const MAX_TRACK_SPAN: Span = Span::minutes(60);

/// A base station with its machine, its links and its figures.
#[derive(Clone, Debug)]
pub struct StationDetails {
    pub view: BaseStationView,
    /// The machine on which the station is installed now.
    pub machine: Option<Machine>,
    /// The worksite that the machine is assigned to now, with its name and the start of the assignment.
    pub worksite: Option<(WorksiteId, String, Timestamp)>,
    /// The project of that worksite.
    pub project: Option<(ProjectId, String)>,
    /// Start of the period of the figures.
    pub from: Timestamp,
    /// End of the period of the figures, exclusive.
    pub to: Timestamp,
    pub figures: StationFigures,
}

/// A person's part in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Involvement {
    /// The person was on foot.
    Pedestrian,
    /// The person drove the machine.
    Operator,
    /// The person wore the tag.
    Wearer,
}

impl Involvement {
    pub const ALL: [Self; 3] = [Self::Pedestrian, Self::Operator, Self::Wearer];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pedestrian => "pedestrian",
            Self::Operator => "operator",
            Self::Wearer => "wearer",
        }
    }
}

/// An event with all details.
#[derive(Clone, Debug)]
pub struct StationEvent {
    /// The event as the timeline shows it.
    pub entry: TimelineEntry,
    /// The station's track around the event.
    pub lines: Vec<TrackLine>,
    /// Video of the event, or of its time.
    pub clips: Vec<StationClip>,
    pub people: Vec<(Involvement, PersonName)>,
}

#[macros::boxed]
impl App {
    /// Returns the page of a station that the caller sees.
    pub async fn find_station_details(
        &self,
        caller: &Caller<ReadInsights>,
        id: BaseStationId,
    ) -> Result<StationDetails, Error> {
        let (scope, to) = (caller.scope(), self.clock.now());
        let from = to - RECENT_PERIOD;
        let mut tx = self.store.read().await?;
        let found = tx.base_stations(scope).find(id).await?.ok_or_else(station_not_found)?;
        let view = self.build_station_view(&mut tx, caller, found).await?;
        let machine = match &view.station.machine {
            Some((machine, ..)) => Some(tx.machines(scope).get(*machine).await?),
            None => None,
        };
        let (mut worksite, mut project) = (None, None);
        if let Some((site, name)) = machine.as_ref().and_then(|machine| machine.worksite.clone())
            && let Some(machine) = &machine
        {
            let assigned = tx.machine_assignments(scope).last_at(machine.id, site).await?;
            worksite = assigned.map(|assigned| (site, name, assigned.from));
            let of = tx.worksites(scope).find_without_boundary(site).await?.and_then(|site| site.project);
            if let Some(of) = of {
                project = tx.projects(scope).find(of).await?.map(|project| (project.id, project.name));
            }
        }
        let figures = tx.station_figures(scope, id, from, to).await?;
        Ok(StationDetails { view, machine, worksite, project, from, to, figures })
    }

    /// Returns an event of a station that the caller sees, with all details.
    pub async fn find_station_event(
        &self,
        caller: &Caller<ReadInsights>,
        station: BaseStationId,
        id: &str,
    ) -> Result<StationEvent, Error> {
        let (scope, names) = (caller.scope(), caller.names());
        let absent = || Error::not_found("event");
        let mut tx = self.store.read().await?;
        let station = &tx.visible_station(scope, station).await?.ok_or_else(station_not_found)?;
        let id = TimelineId::parse(id).ok_or_else(absent)?;
        let entry = timeline::find_entry(&mut tx, scope, names, station, id).await?.ok_or_else(absent)?;
        let (begins, ends) = time_range(&entry);
        let track_range = (begins - TRACK_MARGIN, ends.min(begins + MAX_TRACK_SPAN) + TRACK_MARGIN);
        let incursion = (id.kind == TimelineKind::Incursion).then_some(IncursionId(id.id));
        let clips = tx.timeline(scope, station).clips_of(begins, ends, incursion).await?;
        let mut people = Vec::new();
        let mut operator = None;
        match &entry {
            TimelineEntry::Incursion(row) => {
                people.extend(row.pedestrian.clone().map(|person| (Involvement::Pedestrian, person)));
                operator = row.operator.clone();
            }
            TimelineEntry::Runtime(row) => operator = row.operator.clone(),
            TimelineEntry::DeviceEvent(_, event) => {
                if let Some((tag, _)) = event.tag {
                    let worn = tx.tag_assignments(scope).of_tag_at(tag, event.at).await?;
                    people.extend(worn.map(|worn| (Involvement::Wearer, names.redact_record(worn.person))));
                }
            }
            TimelineEntry::Message(_) | TimelineEntry::Clip(_) => {}
        }
        if operator.is_none() {
            let drove = tx.timeline(scope, station).runtime_at(begins).await?;
            operator = drove.and_then(|piece| names.redact_record(piece).operator);
        }
        people.extend(operator.map(|person| (Involvement::Operator, person)));
        drop(tx);
        let parts = TrackPart::list_visible(station, track_range);
        let lines = match self.read_track_lines(scope, &parts, 0.0).await {
            // With too many fixes, a slightly simplified line shows as much.
            Err(error) if error.kind == ErrorKind::BadRequest => {
                self.read_track_lines(scope, &parts, 5.0).await?
            }
            lines => lines?,
        };
        let clips = clips.into_iter().map(|clip| names.redact_record(clip)).collect();
        Ok(StationEvent { entry, lines, clips, people })
    }
}

/// Returns the start and end of an event: for video the recorded period, for events without a duration one second.
fn time_range(entry: &TimelineEntry) -> (Timestamp, Timestamp) {
    let second = |at: Timestamp| at + Span::seconds(1);
    match entry {
        TimelineEntry::Incursion(row) => {
            let begins = row.stored.row.started_at;
            (begins, row.stored.row.ended_at.unwrap_or(begins).max(second(begins)))
        }
        TimelineEntry::Runtime(row) => (row.started_at, row.ended_at),
        TimelineEntry::Clip(row) => (row.from, row.to),
        TimelineEntry::DeviceEvent(..) | TimelineEntry::Message(_) => (entry.at(), second(entry.at())),
    }
}
