//! The events of live streams, as both API versions send them.

use app::{DeviceStates, LiveEvent};
use domain::{SiteChanges, StationTrouble, Timestamp, WorkProgress};
use serde::Serialize;

use crate::response::success::to_json;
use crate::shapes::alerts::{OpenAlertRecord, shape_open_alert};

#[derive(Serialize)]
struct AlertsData {
    open: Vec<OpenAlertRecord>,
    more: bool,
}

#[derive(Serialize)]
struct ProgressData {
    work: Vec<WorkData>,
}

#[derive(Serialize)]
struct WorkData {
    #[serde(rename = "type")]
    kind: &'static str,
    id: i64,
    state: String,
    percent: i64,
}

#[derive(Serialize)]
struct DevicesData {
    online: i64,
    faulty: i64,
    silent: i64,
    never_seen: i64,
    base_stations: Vec<StationData>,
    more: bool,
}

#[derive(Serialize)]
struct StationData {
    id: i64,
    serial: String,
    machine_id: Option<i64>,
    status: &'static str,
    since: Option<Timestamp>,
}

#[derive(Serialize)]
struct FactsData {
    seq: i64,
    since: i64,
    worksites: Vec<SiteData>,
}

#[derive(Serialize)]
struct SiteData {
    worksite_id: Option<i64>,
    incursions_added: i64,
    incursions_changed: i64,
    runtime_changed: i64,
}

/// Writes an event. Only facts have an id, so that whoever resumes after any event misses no facts.
pub(crate) fn write_event(out: &mut String, event: LiveEvent) {
    match event {
        LiveEvent::Alerts { open, has_more } => {
            let open = open.into_iter().map(shape_open_alert).collect();
            write(out, "alerts", None, &AlertsData { open, more: has_more });
        }
        LiveEvent::Progress(work) => {
            let work = work.into_iter().map(shape_work).collect();
            write(out, "progress", None, &ProgressData { work });
        }
        LiveEvent::Devices(states) => write(out, "devices", None, &shape_devices(states)),
        LiveEvent::Facts { seq, since, worksites } => {
            let worksites = worksites.iter().map(shape_site).collect();
            write(out, "facts", Some(seq), &FactsData { seq, since, worksites });
        }
    }
}

/// JSON has no line breaks, so the data is one line.
fn write(out: &mut String, name: &str, id: Option<i64>, data: &impl Serialize) {
    out.push_str(&format!("event: {name}\n"));
    if let Some(id) = id {
        out.push_str(&format!("id: {id}\n"));
    }
    out.push_str(&format!("data: {}\n\n", to_json(data)));
}

fn shape_work(work: WorkProgress) -> WorkData {
    WorkData { kind: work.kind.as_str(), id: work.id, state: work.state, percent: work.percent }
}

fn shape_devices(states: DeviceStates) -> DevicesData {
    let counts = states.counts;
    DevicesData {
        online: counts.online,
        faulty: counts.faulty,
        silent: counts.silent,
        never_seen: counts.never_seen,
        base_stations: states.troubled.into_iter().map(shape_station).collect(),
        more: states.has_more,
    }
}

fn shape_station(station: StationTrouble) -> StationData {
    StationData {
        id: station.id.0,
        serial: station.serial,
        machine_id: station.machine.map(|id| id.0),
        status: station.status.as_str(),
        since: station.since,
    }
}

fn shape_site(changes: &SiteChanges) -> SiteData {
    SiteData {
        worksite_id: changes.worksite.map(|id| id.0),
        incursions_added: changes.added,
        incursions_changed: changes.changed,
        runtime_changed: changes.runtime,
    }
}

#[cfg(test)]
mod tests {
    use domain::WorksiteId;

    use super::*;

    #[test]
    fn facts_have_an_id_and_states_have_none() {
        let mut text = String::new();
        write_event(&mut text, LiveEvent::Progress(Vec::new()));
        let site = SiteChanges { worksite: Some(WorksiteId(7)), added: 2, changed: 1, runtime: 0 };
        write_event(&mut text, LiveEvent::Facts { seq: 12, since: 9, worksites: vec![site] });
        assert_eq!(
            text,
            "event: progress\ndata: {\"work\":[]}\n\nevent: facts\nid: 12\ndata: {\"seq\":12,\"since\":9,\
             \"worksites\":[{\"worksite_id\":7,\"incursions_added\":2,\"incursions_changed\":1,\"runtime_changed\":0}]}\n\n"
        );
    }
}
