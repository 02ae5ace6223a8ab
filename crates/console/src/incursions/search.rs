//! The people, tags and base stations of the filters, by part of their name. A brand may have tens of thousands, so the form has fields to
//! write in; what was written is looked up when the form is sent, and the page asks back if it can mean several records.

use app::{App, Error};
use domain::Name;
use texts::Text;
use texts::console::incursions as t;
use web::{FromParams, Query};

use super::lookup::{Hit, Hits, Registry, look};
use super::query::with_query;
use crate::address::Address;
use crate::frame::Frame;

/// The maximum number of records that the page asks back about.
const MAX_CHOICES: u16 = 30;

/// A field in which part of a name is written.
pub struct SearchField {
    /// The parameter that it sends.
    pub name: &'static str,
    /// The parameter of the filter that it stands for.
    filter: &'static str,
    pub label: Text,
    pub registry: Registry,
}

pub const FIELDS: &[SearchField] = &[
    SearchField { name: "find_person", filter: "person_id", label: t::PERSON, registry: Registry::People },
    SearchField {
        name: "find_pedestrian",
        filter: "pedestrian_id",
        label: t::PEDESTRIAN,
        registry: Registry::People,
    },
    SearchField {
        name: "find_operator",
        filter: "operator_id",
        label: t::OPERATOR,
        registry: Registry::People,
    },
    SearchField { name: "find_tag", filter: "tag_id", label: t::TAG, registry: Registry::Tags },
    SearchField {
        name: "find_base_station",
        filter: "base_station_id",
        label: t::BASE_STATION,
        registry: Registry::BaseStations,
    },
];

/// What was written into the fields, without those that were left empty.
pub struct Searches(Vec<(&'static SearchField, String)>);

/// What the fields lead to.
pub enum Resolution {
    /// Nothing was written.
    Nothing,
    /// The list with the filters that are meant.
    Found(Address),
    /// At least one text can mean several records, or none.
    Open(Vec<OpenSearch>),
}

/// A text that can mean several records, or none.
pub struct OpenSearch {
    pub field: &'static str,
    /// The question, with what was written.
    pub question: String,
    /// The records, each with the address of the list that it leads to.
    pub choices: Vec<(String, String)>,
    /// Whether there are more records than these.
    pub has_more: bool,
}

impl FromParams for Searches {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let mut written = Vec::new();
        for field in FIELDS {
            let text = query.one(field.name, |text| {
                domain::text::check(text, Name::MAX_CHARS)?;
                Ok(text.trim().to_owned())
            })?;
            written.extend(text.filter(|text| !domain::text::is_blank(text)).map(|text| (field, text)));
        }
        Ok(Self(written))
    }
}

impl Searches {
    /// Returns what was written, by the names of the fields.
    pub fn values(&self) -> Vec<(&'static str, String)> {
        self.0.iter().map(|(field, text)| (field.name, text.clone())).collect()
    }

    /// Looks up what was written.
    pub async fn resolve(&self, app: &App, frame: &Frame) -> Result<Resolution, Error> {
        if self.0.is_empty() {
            return Ok(Resolution::Nothing);
        }
        let mut address = Address::new(&with_query(frame, "/incursions"));
        let mut open = Vec::new();
        for (field, text) in &self.0 {
            let hits = look(app, frame, field.registry, text, MAX_CHOICES).await?;
            match hits.certain() {
                Some(record) => address = with_filter(address, field.filter, &record.id),
                None => open.push((*field, text.as_str(), hits)),
            }
        }
        if open.is_empty() {
            return Ok(Resolution::Found(address));
        }
        let ask = |(field, text, hits): &(&'static SearchField, &str, Hits)| {
            // A choice leads to a list that still asks about the others.
            let others = open.iter().filter(|(other, ..)| other.name != field.name);
            let to = others.fold(address.clone(), |to, (other, text, _)| to.and(other.name, text));
            OpenSearch::new(frame, (*field, *text), hits, &to)
        };
        Ok(Resolution::Open(open.iter().map(ask).collect()))
    }
}

impl OpenSearch {
    fn new(frame: &Frame, (field, text): (&SearchField, &str), hits: &Hits, to: &Address) -> Self {
        let choice =
            |record: &Hit| (record.label(), with_filter(to.clone(), field.filter, &record.id).to_string());
        Self {
            field: field.name,
            question: frame.fill(t::WHICH_ONE, &[("field", frame.text(field.label)), ("text", text)]),
            choices: hits.records.iter().map(choice).collect(),
            has_more: hits.has_more,
        }
    }

    /// Says beside the field what to do.
    pub fn fault(&self, frame: &Frame) -> &'static str {
        frame.text(if self.choices.is_empty() { t::NOTHING_MATCHES } else { t::SEVERAL_MATCH })
    }
}

/// Adds a record to a filter, unless it is there already.
fn with_filter(address: Address, filter: &str, id: &str) -> Address {
    let is_there = address.pairs().iter().any(|(name, value)| name == filter && value == id);
    if is_there { address } else { address.and(filter, id) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incursions::query::SEARCH_PREFIX;

    #[test]
    fn links_do_not_keep_what_was_written() {
        assert!(FIELDS.iter().all(|field| field.name.starts_with(SEARCH_PREFIX)));
    }
}
