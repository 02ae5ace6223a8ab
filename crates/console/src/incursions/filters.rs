//! The form of the filters of the list. What is chosen by its name is in `search`, and what was chosen so or set by links in `chips`.

use app::{App, Error};
use domain::insights::IncursionFilter;
use domain::{MachineKind, Name, Review, Span, WorksiteKind, Zone};
use texts::console::incursions as t;
use texts::values;

use super::query::kept_pairs;
use super::search::{FIELDS, OpenSearch, SearchField, Searches};
use crate::address::Address;
use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{Choice, Field, Input};
use crate::settings;

/// The longest length in seconds that can be asked for.
const MAX_LENGTH_S: i64 = 366 * 24 * 60 * 60;
/// The parameters of the fields that every form has.
pub const FILTERS: [&str; 7] =
    ["zone", "acknowledged", "review", "machine_kind", "worksite_kind", "min_duration_s", "max_duration_s"];
/// The id of the text that says how people, tags and base stations are chosen.
const SEARCH_HINT_ID: &str = "search-hint";
/// The parameter of the field that only the list has.
const MACHINE: &str = "machine_id";

/// The form of the filters, which is open while one of them is used.
pub struct FilterForm {
    pub fields: Vec<Field>,
    /// What the form keeps of this address.
    pub kept: Vec<(String, String)>,
    pub is_open: bool,
    pub without: String,
    /// How people, tags and base stations are chosen.
    pub hint: &'static str,
    pub hint_id: &'static str,
}

impl FilterForm {
    /// `machines` are those to choose from, if one can be chosen; `open` is what must be asked about what was written.
    pub fn new(
        frame: &Frame,
        filter: &IncursionFilter,
        machines: Option<Vec<Choice>>,
        searches: &Searches,
        open: &[OpenSearch],
    ) -> Self {
        let has_machines = machines.is_some();
        let is_ours = |name: &str| FILTERS.contains(&name) || (has_machines && name == MACHINE);
        let kept = kept_pairs(frame).filter(|(name, _)| !is_ours(name));
        let kept: Vec<(String, String)> =
            kept.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let without =
            kept.iter().fold(Address::new("/incursions"), |address, (name, value)| address.and(name, value));
        let given: Vec<(&'static str, String)> =
            filter.machines.iter().map(|id| (MACHINE, id.to_string())).collect();
        let machines = machines.map(|machines| {
            Field::new(frame, &FormView::new(given), MACHINE, t::MACHINE, Input::Select(machines))
        });
        let searched = search_fields(frame, searches, open);
        Self {
            fields: machines.into_iter().chain(searched).chain(filter_fields(frame, filter)).collect(),
            kept,
            is_open: !open.is_empty() || kept_pairs(frame).any(|(name, _)| FILTERS.contains(&name)),
            without: without.to_string(),
            hint: frame.text(if frame.sees_names() { t::SEARCH_HINT } else { t::SEARCH_HINT_WITHOUT_NAMES }),
            hint_id: SEARCH_HINT_ID,
        }
    }
}

/// Returns the machines to choose from; none if a choice would lose those that a link set: several, or one that is not offered.
pub async fn machine_choices(
    app: &App,
    frame: &Frame,
    filter: &IncursionFilter,
) -> Result<Option<Vec<Choice>>, Error> {
    if filter.machines.len() > 1 {
        return Ok(None);
    }
    let machines = settings::machine_choices(app, frame).await?;
    let chosen = filter.machines.first().map(ToString::to_string);
    if chosen.is_some_and(|id| machines.iter().all(|choice| choice.value != id)) {
        return Ok(None);
    }
    let all = Choice::blank(frame.text(t::ALL_MACHINES));
    // In place of the blank choice of other forms.
    Ok(Some(std::iter::once(all).chain(machines.into_iter().skip(1)).collect()))
}

/// The fields in which people, tags and base stations are written. Names must not stay in the history of the browser, where the next reader
/// would see them.
fn search_fields(frame: &Frame, searches: &Searches, open: &[OpenSearch]) -> Vec<Field> {
    let view = FormView::new(searches.values());
    let field = |search: &'static SearchField| {
        let names = Address::new("/incursions/suggestions").and("field", search.name);
        let field = Field::new(frame, &view, search.name, search.label, Input::Text)
            .suggesting(&names)
            .autocomplete("off")
            .at_most(Name::MAX_CHARS)
            .explained_by(SEARCH_HINT_ID);
        match open.iter().enumerate().find(|(_, asked)| asked.field == search.name) {
            Some((index, asked)) => field.faulty(asked.fault(frame)).focused(index == 0),
            None => field,
        }
    };
    FIELDS.iter().map(field).collect()
}

/// The fields of the filters that people choose, for every page that has them.
pub fn filter_fields(frame: &Frame, filter: &IncursionFilter) -> Vec<Field> {
    let mut given: Vec<(&'static str, String)> = Vec::new();
    given.extend(filter.zones.iter().map(|zone| ("zone", zone.as_str().to_owned())));
    given.extend(filter.acknowledged.map(|is_it| ("acknowledged", is_it.to_string())));
    given.extend(filter.reviews.iter().map(|review| ("review", review.as_str().to_owned())));
    given.extend(filter.machine_kinds.iter().map(|kind| ("machine_kind", kind.as_str().to_owned())));
    given.extend(filter.worksite_kinds.iter().map(|kind| ("worksite_kind", kind.as_str().to_owned())));
    given.extend(filter.min_duration.map(|length| ("min_duration_s", in_seconds(length))));
    given.extend(filter.max_duration.map(|length| ("max_duration_s", in_seconds(length))));
    let view = FormView::new(given);
    let field = |name, label, input| Field::new(frame, &view, name, label, input);
    let language = frame.language;
    let zones = Zone::ALL.map(|zone| Choice::new(zone.as_str(), values::zone(language, zone.as_str())));
    let reviews =
        Review::ALL.map(|review| Choice::new(review.as_str(), values::review(language, review.as_str())));
    let kinds = MachineKind::ALL.iter().map(|kind| kind.as_str());
    let kinds = kinds.map(|kind| Choice::new(kind, values::machine_kind(language, kind))).collect();
    let site_kinds = WorksiteKind::ALL.iter().map(|kind| kind.as_str());
    let site_kinds =
        site_kinds.map(|kind| Choice::new(kind, values::worksite_kind(language, kind))).collect();
    let acknowledged = vec![
        Choice::blank(frame.text(t::EITHER)),
        Choice::new("true", values::acknowledged(language, true)),
        Choice::new("false", values::acknowledged(language, false)),
    ];
    let seconds = || Input::Number { min: 0, max: MAX_LENGTH_S };
    vec![
        field("zone", t::ZONE, Input::Checks(zones.into())),
        field("acknowledged", t::ACKNOWLEDGED, Input::Select(acknowledged)),
        field("review", t::REVIEW, Input::Checks(reviews.into())),
        field("machine_kind", t::MACHINE_KIND, Input::Checks(kinds)),
        field("worksite_kind", values::WORKSITE_KIND, Input::Checks(site_kinds)),
        field("min_duration_s", t::MIN_LENGTH, seconds()),
        field("max_duration_s", t::MAX_LENGTH, seconds()),
    ]
}

fn in_seconds(length: Span) -> String {
    (length.micros() / 1_000_000).to_string()
}
