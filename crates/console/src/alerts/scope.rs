//! The records that an alert can be about, by name.

use app::{App, Error};
use domain::access::ReadRegistry;
use domain::{
    AlertMetric, AlertScope, BaseStationFilter, Direction, ListOrder, ListRequest, MachineFilter,
    PageRequest, PeopleFilter, ProjectFilter, ScopeList, SortKey, Sorting, TagFilter, WorksiteFilter, Zone,
};
use texts::console::alerts as t;
use texts::{Text, values};

use crate::frame::Frame;
use crate::parts::Choice;

/// The maximum number of records that a list offers.
const MAX_CHOICES: u16 = 500;

/// The lists of a scope that a metric knows.
pub fn lists(metric: AlertMetric) -> impl Iterator<Item = ScopeList> {
    ScopeList::ALL.into_iter().filter(move |list| metric.allows(*list))
}

pub const fn label(list: ScopeList) -> Text {
    match list {
        ScopeList::Projects => t::PROJECTS,
        ScopeList::Worksites => t::SITES,
        ScopeList::Machines => t::MACHINES,
        ScopeList::People => t::PEOPLE,
        ScopeList::Tags => t::TAGS,
        ScopeList::BaseStations => t::BASE_STATIONS,
        ScopeList::Zones => t::ZONES,
    }
}

/// The values of a list as fields of a form send them.
pub fn values_of(scope: &AlertScope, list: ScopeList) -> Vec<String> {
    match list {
        ScopeList::Zones => scope.zones.clone(),
        _ => scope.ids(list).iter().map(ToString::to_string).collect(),
    }
}

/// Lists what can be chosen, by name. What is `chosen` already is among it even if it is archived, so that saving keeps it.
pub async fn choices(
    app: &App,
    frame: &Frame,
    list: ScopeList,
    chosen: &[String],
) -> Result<Vec<Choice>, Error> {
    let caller = frame.caller::<ReadRegistry>()?;
    let mut choices: Vec<Choice> = match list {
        ScopeList::Projects => {
            let found = app.list_projects(&caller, &ProjectFilter::default(), &by_name()).await?;
            found.rows.into_iter().map(|one| Choice::new(one.id.to_string(), one.name)).collect()
        }
        ScopeList::Worksites => {
            let found = app.list_worksites(&caller, WorksiteFilter::default(), None, &by_name()).await?;
            found.rows.into_iter().map(|one| Choice::new(one.id.to_string(), one.name)).collect()
        }
        ScopeList::Machines => {
            let found = app.list_machines(&caller, &MachineFilter::default(), &by_name()).await?;
            found.rows.into_iter().map(|one| Choice::new(one.id.to_string(), one.name)).collect()
        }
        ScopeList::People => {
            let found = app.list_people(&caller.reader(), &PeopleFilter::default(), &by_name()).await?;
            found.rows.into_iter().map(|one| Choice::new(one.id.to_string(), one.name)).collect()
        }
        ScopeList::Tags => {
            let found = app.list_tags(&caller.reader(), &TagFilter::default(), &by_name()).await?;
            let tags = found.rows.into_iter().map(|view| view.details.tag);
            tags.map(|tag| Choice::new(tag.id.to_string(), tag.serial)).collect()
        }
        ScopeList::BaseStations => {
            let found = app.list_base_stations(&caller, &BaseStationFilter::default(), &by_name()).await?;
            let stations = found.rows.into_iter().map(|view| view.station);
            let choice = |station: domain::BaseStation| {
                Choice::new(station.id.to_string(), station.name.unwrap_or(station.serial))
            };
            stations.map(choice).collect()
        }
        ScopeList::Zones => {
            let zone = |zone: Zone| Choice::new(zone.as_str(), values::zone(frame.language, zone.as_str()));
            Zone::ALL.map(zone).into()
        }
    };
    for value in chosen {
        if choices.iter().all(|choice| choice.value != *value) {
            choices.push(Choice::new(value.as_str(), format!("{} {value}", frame.text(label(list)))));
        }
    }
    Ok(choices)
}

/// A request for the first records by name, as many as a list offers.
fn by_name() -> ListRequest {
    let order = ListOrder::Sorted(Sorting::by(SortKey::Name, Direction::Ascending));
    ListRequest::of_page(order, &PageRequest { limit: MAX_CHOICES, after: None }, false)
}

/// Writes what an alert is about: the lists that restrict it, with names.
pub async fn describe(
    app: &App,
    frame: &Frame,
    scope: &AlertScope,
) -> Result<Vec<(&'static str, String)>, Error> {
    let mut lines = Vec::new();
    for list in ScopeList::ALL {
        let chosen = values_of(scope, list);
        if chosen.is_empty() {
            continue;
        }
        let known = choices(app, frame, list, &chosen).await?;
        let names = known.into_iter().filter(|choice| chosen.contains(&choice.value));
        lines
            .push((frame.text(label(list)), names.map(|choice| choice.label).collect::<Vec<_>>().join(", ")));
    }
    Ok(lines)
}
