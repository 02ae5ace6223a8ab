//! The timeline of a machine: what its base stations saw while they were installed on it.

use domain::access::ReadInsights;
use domain::{
    BaseStationId, MachineId, MessageId, Page, PageRequest, StationInstallation, StationMessage, Timestamp,
};
use store::{Scope, Tx, VisibleStation};

use super::timeline::{
    DEFAULT_DAYS, MAX_DAYS, Reading, TimelineEntry, TimelineFilter, TimelinePart, resolve_window,
};
use crate::platform::local_bounds::resolve_for_machine;
use crate::{App, Caller, Error};

const ALWAYS: (Timestamp, Timestamp) = (Timestamp::from_micros(i64::MIN), Timestamp::from_micros(i64::MAX));

/// A page of the timeline of a machine.
#[derive(Clone, Debug)]
pub struct MachineTimeline {
    pub entries: Page<TimelineEntry>,
    pub total: Option<i64>,
    /// The installations whose stations saw the entries, the newest first. Without entries, it is the last one of the window of which
    /// the caller would see some.
    pub installations: Vec<StationInstallation>,
    /// The messages among the entries that waited while their station came to the machine or left it.
    pub moved_messages: Vec<MovedMessage>,
}

/// A message that waited while its station moved, and went with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedMessage {
    pub id: MessageId,
    pub serial: String,
    /// Whether it was sent before the station came to the machine.
    pub came: bool,
    /// Whether it still waited when the station left the machine.
    pub left: bool,
}

#[macros::boxed]
impl App {
    /// Returns a page of the timeline of a machine that the caller may see, the newest first: what each of its stations saw while it was
    /// installed on the machine. Video belongs to the machine on which it was recorded, and a message also to one to which it came with
    /// its station.
    pub async fn list_machine_timeline(
        &self,
        caller: &Caller<ReadInsights>,
        machine: MachineId,
        filter: &TimelineFilter,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<MachineTimeline, Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let (from, to) = resolve_for_machine(&mut tx, scope, machine, (filter.from, filter.to)).await?;
        let window = resolve_window(from, to, self.clock.now(), (DEFAULT_DAYS, MAX_DAYS))?;
        tx.machines(scope).find(machine).await?.ok_or_else(|| Error::not_found("machine"))?;
        let mut installed = tx.station_installations(scope).on_machine(machine, ALWAYS.0, ALWAYS.1).await?;
        installed.reverse();
        let parts = list_parts(&mut tx, scope, &installed).await?;
        let list = format!("timeline of machine {machine} {filter:?}");
        let reading = Reading { scope, names: caller.names(), parts: &parts, kinds: filter.kinds(), window };
        let Page { rows, next } = reading.page(&mut tx, &list, page).await?;
        let total = match include_total {
            true => Some(reading.total(&mut tx).await?),
            false => None,
        };
        let moved_messages = find_moved(&mut tx, scope, machine, (&rows, &installed)).await?;
        let installations = list_shown(installed, (&rows, &parts), window);
        let rows = rows.into_iter().map(|(_, entry)| entry).collect();
        Ok(MachineTimeline { entries: Page { rows, next }, total, installations, moved_messages })
    }
}

/// Returns a part of the timeline for each station that was ever on the machine, the last one first. The store limits each to what the
/// caller sees, which is not only what the station saw where the machine was assigned: incursions have a project of their own.
async fn list_parts(
    tx: &mut Tx,
    scope: &Scope,
    installed: &[StationInstallation],
) -> Result<Vec<TimelinePart>, Error> {
    let mut ids: Vec<BaseStationId> = Vec::new();
    for one in installed {
        if !ids.contains(&one.base_station) {
            ids.push(one.base_station);
        }
    }
    let stations = tx.visible_stations(scope, &ids).await?;
    let times = |id: BaseStationId| {
        let of_station = installed.iter().rev().filter(|one| one.base_station == id);
        of_station.map(|one| (one.from, one.to)).collect()
    };
    let part = |station: VisibleStation| TimelinePart { times: Some(times(station.id)), station };
    Ok(stations.into_iter().map(part).collect())
}

/// Keeps the installations whose stations saw the entries. Without entries, the last one of the window is kept whose station the caller
/// sees in it.
fn list_shown(
    installed: Vec<StationInstallation>,
    (rows, parts): (&[(BaseStationId, TimelineEntry)], &[TimelinePart]),
    (from, to): (Timestamp, Timestamp),
) -> Vec<StationInstallation> {
    if rows.is_empty() {
        let is_seen = |one: &StationInstallation| {
            let (from, to) = (from.max(one.from), one.to.map_or(to, |end| to.min(end)));
            let part = parts.iter().find(|part| part.station.id == one.base_station);
            from < to && part.is_some_and(|part| !part.station.visible_parts(from, to).is_empty())
        };
        return installed.into_iter().find(is_seen).into_iter().collect();
    }
    let shown: Vec<_> = rows
        .iter()
        .filter_map(|(station, entry)| Some(installation_of(&installed, *station, entry)?.id))
        .collect();
    installed.into_iter().filter(|one| shown.contains(&one.id)).collect()
}

/// Returns the installation to which an entry belongs. `installed` has the newest first.
fn installation_of<'a>(
    installed: &'a [StationInstallation],
    station: BaseStationId,
    entry: &TimelineEntry,
) -> Option<&'a StationInstallation> {
    let at = match entry {
        TimelineEntry::Clip(clip) => clip.from,
        _ => entry.at(),
    };
    let mut of_station = installed.iter().rev().filter(|one| one.base_station == station);
    let during = of_station.clone().find(|one| one.contains(at));
    during.or_else(|| match entry {
        TimelineEntry::Message(message) => {
            of_station.find(|one| one.from > at && message.progress().is_waiting_at(one.from))
        }
        _ => None,
    })
}

/// Finds the messages that waited while their station came to the machine or left it.
async fn find_moved(
    tx: &mut Tx,
    scope: &Scope,
    machine: MachineId,
    (rows, installed): (&[(BaseStationId, TimelineEntry)], &[StationInstallation]),
) -> Result<Vec<MovedMessage>, Error> {
    let mut moved = Vec::new();
    for (station, entry) in rows {
        let TimelineEntry::Message(message) = entry else { continue };
        let Some(first) = installation_of(installed, *station, entry) else { continue };
        let came = message.queued_at < first.from;
        let left = match first.to.filter(|end| message.progress().is_waiting_at(*end)) {
            Some(end) => {
                let later = tx.station_installations(scope).since(*station, None, end).await?;
                has_left(machine, message, &later)
            }
            None => false,
        };
        if came || left {
            moved.push(MovedMessage { id: message.id, serial: first.serial.clone(), came, left });
        }
    }
    Ok(moved)
}

/// Returns whether a message that waited when its station was taken off a machine has left the machine with it: it has not if the station
/// was put back on the machine before it was anywhere else. `later` are the installations of the station since then, the oldest first.
fn has_left(machine: MachineId, message: &StationMessage, later: &[StationInstallation]) -> bool {
    for one in later {
        if one.machine != machine {
            return true;
        }
        if one.to.is_none_or(|end| !message.progress().is_waiting_at(end)) {
            return false;
        }
    }
    true
}
