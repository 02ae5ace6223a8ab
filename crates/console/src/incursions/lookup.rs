//! Finding records of the registry by part of their name, as the reader sees it.

use app::{App, Error};
use domain::access::ReadRegistry;
use domain::text::fold;
use domain::{Found, FoundBaseStation, FoundPerson, FoundTag};

use crate::frame::Frame;

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

/// How much of a name a text is. The records come in this order.
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
    fn person(person: FoundPerson, text: &str) -> Self {
        let detail =
            [person.company, person.employee_id].into_iter().flatten().collect::<Vec<_>>().join(", ");
        Self {
            id: person.id.to_string(),
            fit: Fit::of(&person.name, text),
            name: person.name,
            detail: Some(detail).filter(|detail| !detail.is_empty()),
        }
    }

    fn tag(tag: FoundTag, text: &str) -> Self {
        let detail = tag.person.map(|wearer| wearer.name);
        Self { id: tag.id.to_string(), fit: Fit::of(&tag.serial, text), name: tag.serial, detail }
    }

    fn base_station(station: FoundBaseStation, text: &str) -> Self {
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
    fn new<T>(found: Found<T>, hit: impl Fn(T) -> Hit) -> Self {
        Self { records: found.records.into_iter().map(hit).collect(), has_more: found.has_more }
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

/// Finds up to `max` records whose names contain a text, archived people and retired tags included. Who does not see names looks among what
/// is shown in their place.
pub async fn look(app: &App, frame: &Frame, registry: Registry, text: &str, max: u16) -> Result<Hits, Error> {
    let caller = frame.caller::<ReadRegistry>()?;
    Ok(match registry {
        Registry::People => {
            let found = app.search_people(&caller, text, max).await?;
            Hits::new(found, |person| Hit::person(person, text))
        }
        Registry::Tags => Hits::new(app.search_tags(&caller, text, max).await?, |tag| Hit::tag(tag, text)),
        Registry::BaseStations => {
            let found = app.search_base_stations(&caller, text, max).await?;
            Hits::new(found, |station| Hit::base_station(station, text))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(names: &[&str], text: &str) -> Hits {
        let hit = |name: &str| Hit {
            id: name.to_owned(),
            name: name.to_owned(),
            detail: None,
            fit: Fit::of(name, text),
        };
        Hits::new(Found { records: names.to_vec(), has_more: false }, hit)
    }

    #[test]
    fn only_what_is_meant_without_doubt_is_certain() {
        let certain = |names: &[&str]| hits(names, "ada").certain().map(|record| record.id.clone());
        assert_eq!(certain(&["Ada", "Adam"]).as_deref(), Some("Ada"));
        assert_eq!(certain(&["Adam"]).as_deref(), Some("Adam"));
        assert_eq!(certain(&["Adair", "Adam"]), None);
        assert_eq!(certain(&["Ada", "ADA"]), None);
        assert_eq!(certain(&[]), None);
        let more = Hits { has_more: true, ..hits(&["Adam"], "ada") };
        assert_eq!(more.certain(), None);
        let whole = Hits { has_more: true, ..hits(&["Ada"], "ada") };
        assert_eq!(whole.certain().map(|record| record.id.as_str()), Some("Ada"));
    }

    #[test]
    fn a_name_is_compared_as_in_lists() {
        for (name, fit) in [("LÍ", Fit::Whole), ("Lía", Fit::Beginning), ("Elias", Fit::Part)] {
            assert_eq!(Fit::of(name, "li"), fit, "{name}");
        }
    }
}
