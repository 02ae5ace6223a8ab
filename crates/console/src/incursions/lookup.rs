//! Finding records of the registry by part of their name, as the reader sees it.

use app::{App, Error};
use domain::access::ReadRegistry;
use domain::text::fold;
use domain::{
    BaseStation, BaseStationFilter, Direction, ListOrder, ListRequest, PageRequest, PeopleFilter, Person,
    SortKey, Sorting, TagDetails, TagFilter,
};
use futures_util::future;

use crate::frame::Frame;

/// The people among whom those whose name begins with a text are looked for.
const MAX_PEOPLE: u16 = 500;
/// The same for tags and base stations, which are read with all that lists show of them.
const MAX_DEVICES: u16 = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registry {
    People,
    Tags,
    BaseStations,
}

/// A record whose name contains a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Hit {
    pub id: String,
    pub name: String,
    /// What tells it from others of the same name.
    pub detail: Option<String>,
    fit: Fit,
}

/// How much of a name a text is. The best comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Whole,
    Beginning,
    Part,
}

/// The records whose names contain a text, those that fit best first.
pub struct Hits {
    pub records: Vec<Hit>,
    /// Whether there are more.
    pub has_more: bool,
}

impl Fit {
    /// Compares a text with a name. Accents, case and runs of blanks are ignored, as in all lists.
    fn of(name: &str, text: &str) -> Self {
        let (name, text) = (fold(name), fold(text));
        if name == text {
            Self::Whole
        } else if name.starts_with(&text) {
            Self::Beginning
        } else {
            Self::Part
        }
    }
}

impl Hit {
    fn person(person: Person, text: &str) -> Self {
        let detail =
            [person.company, person.employee_id].into_iter().flatten().collect::<Vec<_>>().join(", ");
        Self {
            id: person.id.to_string(),
            fit: Fit::of(&person.name, text),
            name: person.name,
            detail: Some(detail).filter(|detail| !detail.is_empty()),
        }
    }

    fn tag(details: TagDetails, text: &str) -> Self {
        let tag = details.tag;
        let detail = details.person.map(|wearer| wearer.name);
        Self { id: tag.id.to_string(), fit: Fit::of(&tag.serial, text), name: tag.serial, detail }
    }

    fn base_station(station: BaseStation, text: &str) -> Self {
        let fit = Fit::of(&station.serial, text);
        let fit = station.name.as_deref().map_or(fit, |name| fit.min(Fit::of(name, text)));
        Self { id: station.id.to_string(), name: station.serial, detail: station.name, fit }
    }

    /// Returns the name with what tells it from others.
    pub fn label(&self) -> String {
        match &self.detail {
            Some(detail) => format!("{} ({detail})", self.name),
            None => self.name.clone(),
        }
    }
}

impl Hits {
    fn new(mut records: Vec<Hit>, has_more: bool) -> Self {
        records.sort_by_key(|record| record.fit);
        Self { records, has_more }
    }

    /// Returns the record that is meant without doubt: the only one of exactly this name, or else the only one at all.
    pub fn certain(&self) -> Option<&Hit> {
        let mut whole = self.records.iter().filter(|record| record.fit == Fit::Whole);
        match (whole.next(), whole.next(), self.records.as_slice()) {
            (Some(only), None, _) => Some(only),
            (None, _, [only]) if !self.has_more => Some(only),
            _ => None,
        }
    }
}

/// Finds the records whose names contain a text, archived people and retired tags included. Who does not see names looks among what is
/// shown in their place.
pub async fn look(app: &App, frame: &Frame, registry: Registry, text: &str) -> Result<Hits, Error> {
    let caller = frame.caller::<ReadRegistry>()?;
    let q = Some(text.to_owned());
    match registry {
        Registry::People => {
            let present = PeopleFilter { q, ..PeopleFilter::default() };
            let archived = PeopleFilter { archived: true, ..present.clone() };
            let (reader, request) = (caller.reader(), first(MAX_PEOPLE));
            let (present, archived) = future::try_join(
                app.list_people(&reader, &present, &request),
                app.list_people(&reader, &archived, &request),
            )
            .await?;
            let has_more = present.next.is_some() || archived.next.is_some();
            let people = present.rows.into_iter().chain(archived.rows);
            Ok(Hits::new(people.map(|person| Hit::person(person, text)).collect(), has_more))
        }
        Registry::Tags => {
            let filter = TagFilter { q, ..TagFilter::default() };
            let found = app.list_tags(&caller.reader(), &filter, &first(MAX_DEVICES)).await?;
            let tags = found.rows.into_iter().map(|view| Hit::tag(view.details, text));
            Ok(Hits::new(tags.collect(), found.next.is_some()))
        }
        Registry::BaseStations => {
            let filter = BaseStationFilter { q, ..BaseStationFilter::default() };
            let found = app.list_base_stations(&caller, &filter, &first(MAX_DEVICES)).await?;
            let stations = found.rows.into_iter().map(|view| Hit::base_station(view.station, text));
            Ok(Hits::new(stations.collect(), found.next.is_some()))
        }
    }
}

/// A request for the first records by name.
fn first(limit: u16) -> ListRequest {
    let order = ListOrder::Sorted(Sorting::by(SortKey::Name, Direction::Ascending));
    ListRequest::of_page(order, &PageRequest { limit, after: None }, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(names: &[&str], text: &str) -> Hits {
        let hit = |name: &&str| Hit {
            id: (*name).to_owned(),
            name: (*name).to_owned(),
            detail: None,
            fit: Fit::of(name, text),
        };
        Hits::new(names.iter().map(hit).collect(), false)
    }

    #[test]
    fn those_that_fit_best_come_first() {
        let found = hits(&["Elias", "Lia", "LÍ"], "li");
        assert_eq!(found.records.iter().map(Hit::label).collect::<Vec<_>>(), ["LÍ", "Lia", "Elias"]);
    }

    #[test]
    fn only_what_is_meant_without_doubt_is_certain() {
        let certain = |names: &[&str]| hits(names, "ada").certain().map(|record| record.id.clone());
        assert_eq!(certain(&["Adam", "Ada"]).as_deref(), Some("Ada"));
        assert_eq!(certain(&["Adam"]).as_deref(), Some("Adam"));
        assert_eq!(certain(&["Adam", "Adair"]), None);
        assert_eq!(certain(&["Ada", "ADA"]), None);
        assert_eq!(certain(&[]), None);
        let more = Hits { has_more: true, ..hits(&["Adam"], "ada") };
        assert_eq!(more.certain(), None);
    }
}
