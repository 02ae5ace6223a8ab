//! The filters for records, which links and the search of the form set and readers can take away.

use std::collections::HashMap;

use app::{App, Error};
use domain::access::ReadRegistry;
use domain::insights::IncursionFilter;
use domain::{BaseStation, PersonId};
use texts::values;

use super::query::kept_pairs;
use crate::frame::Frame;

const MACHINE: &str = "machine";
const BASE_STATION: &str = "base_station";
const PERSON: &str = "person";
const TAG: &str = "tag";

/// The parameters, with the dimension by whose name each is called, and the kind of its records.
const RECORDS: [(&str, &str, &str); 6] = [
    ("machine_id", "machine", MACHINE),
    ("base_station_id", "base_station", BASE_STATION),
    ("person_id", "person", PERSON),
    ("pedestrian_id", "pedestrian", PERSON),
    ("operator_id", "operator", PERSON),
    ("tag_id", "tag", TAG),
];

/// A filter that a link set, with the address without it.
pub struct Chip {
    pub text: String,
    pub href: String,
}

/// Lists the filters for records, by the names that the reader sees. A record that is gone is called by its id.
pub async fn chips(app: &App, frame: &Frame, filter: &IncursionFilter) -> Result<Vec<Chip>, Error> {
    let names = names_of(app, frame, filter).await?;
    let mut chips = Vec::new();
    for (parameter, dimension, kind) in RECORDS {
        let given = kept_pairs(frame).filter(|(name, _)| *name == parameter);
        let given: Vec<&str> =
            given.map(|(_, id)| names.get(&(kind, id.to_owned())).map_or(id, String::as_str)).collect();
        if !given.is_empty() {
            let text = format!("{}: {}", values::dimension(frame.language, dimension), given.join(", "));
            chips.push(Chip { text, href: frame.here(parameter, None) });
        }
    }
    Ok(chips)
}

/// Returns the names of the records of a filter, by their kind and id.
async fn names_of(
    app: &App,
    frame: &Frame,
    filter: &IncursionFilter,
) -> Result<HashMap<(&'static str, String), String>, Error> {
    let caller = frame.caller::<ReadRegistry>()?;
    let mut names = HashMap::new();
    if !filter.machines.is_empty() {
        let found = app.find_machines_by_id(&caller, &filter.machines).await?;
        names.extend(found.into_iter().map(|machine| ((MACHINE, machine.id.to_string()), machine.name)));
    }
    if !filter.base_stations.is_empty() {
        let found = app.find_base_stations_by_id(&caller, &filter.base_stations).await?;
        let name = |station: BaseStation| station.name.unwrap_or(station.serial);
        let entry = |station: BaseStation| ((BASE_STATION, station.id.to_string()), name(station));
        names.extend(found.into_iter().map(|view| entry(view.station)));
    }
    let people = [&filter.people, &filter.pedestrians, &filter.operators];
    let people: Vec<PersonId> = people.into_iter().flatten().copied().collect();
    if !people.is_empty() {
        let found = app.find_people_by_id(&caller.reader(), &people).await?;
        names.extend(found.into_iter().map(|person| ((PERSON, person.id.to_string()), person.name)));
    }
    if !filter.tags.is_empty() {
        let found = app.find_tag_serials(&caller.reader(), &filter.tags).await?;
        names.extend(found.into_iter().map(|(id, serial)| ((TAG, id.to_string()), serial)));
    }
    Ok(names)
}
