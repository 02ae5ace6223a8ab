//! The filters of the list: a form for those that people choose, and those that a link set, which can be taken away.

use app::{App, Error};
use domain::access::ReadRegistry;
use domain::insights::IncursionFilter;
use domain::{MachineKind, Review, Span, Zone};
use texts::console::incursions as t;
use texts::values;

use super::query::kept_pairs;
use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{Choice, Field, Input};

/// The longest length in seconds that can be asked for.
const MAX_LENGTH_S: i64 = 366 * 24 * 60 * 60;
/// The parameters of the form.
pub const FILTERS: [&str; 6] =
    ["zone", "acknowledged", "review", "machine_kind", "min_duration_s", "max_duration_s"];
/// The filters for records and kinds, which links set.
const RECORDS: [(&str, &str); 7] = [
    ("worksite_kind", "worksite_kind"),
    ("machine_id", "machine"),
    ("base_station_id", "base_station"),
    ("person_id", "person"),
    ("pedestrian_id", "pedestrian"),
    ("operator_id", "operator"),
    ("tag_id", "tag"),
];

/// The form of the filters, which is open while one of them is used.
pub struct FilterForm {
    pub fields: Vec<Field>,
    /// What the form keeps of this address.
    pub kept: Vec<(String, String)>,
    pub is_open: bool,
    pub without: String,
}

/// A filter that a link set, with the address without it.
pub struct Chip {
    pub text: String,
    pub href: String,
}

impl FilterForm {
    pub fn new(frame: &Frame, filter: &IncursionFilter) -> Self {
        let is_used = kept_pairs(frame).any(|(name, _)| FILTERS.contains(&name));
        let kept = kept_pairs(frame).filter(|(name, _)| !FILTERS.contains(name));
        let address = crate::address::Address::new("/incursions");
        let plain = kept_pairs(frame).filter(|(name, _)| !FILTERS.contains(name));
        let plain = plain.fold(address, |address, (name, value)| address.and(name, value));
        Self {
            fields: filter_fields(frame, filter),
            kept: kept.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            is_open: is_used,
            without: plain.to_string(),
        }
    }
}

/// The fields of the filters that people choose, for every page that has them.
pub fn filter_fields(frame: &Frame, filter: &IncursionFilter) -> Vec<Field> {
    let mut given: Vec<(&'static str, String)> = Vec::new();
    given.extend(filter.zones.iter().map(|zone| ("zone", zone.as_str().to_owned())));
    given.extend(filter.acknowledged.map(|is_it| ("acknowledged", is_it.to_string())));
    given.extend(filter.reviews.iter().map(|review| ("review", review.as_str().to_owned())));
    given.extend(filter.machine_kinds.iter().map(|kind| ("machine_kind", kind.as_str().to_owned())));
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
        field("min_duration_s", t::MIN_LENGTH, seconds()),
        field("max_duration_s", t::MAX_LENGTH, seconds()),
    ]
}

fn in_seconds(length: Span) -> String {
    (length.micros() / 1_000_000).to_string()
}

/// Lists the filters for records, machines by their name.
pub async fn chips(app: &App, frame: &Frame, filter: &IncursionFilter) -> Result<Vec<Chip>, Error> {
    let machines = match filter.machines.as_slice() {
        [] => Vec::new(),
        ids => app.find_machines_by_id(&frame.caller::<ReadRegistry>()?, ids).await?,
    };
    let mut chips = Vec::new();
    for (name, dimension) in RECORDS {
        let given = kept_pairs(frame).filter(|(known, _)| *known == name);
        let given: Vec<&str> = given.map(|(_, id)| id).collect();
        if given.is_empty() {
            continue;
        }
        let named = |id: &&str| {
            if name == "worksite_kind" {
                return values::worksite_kind(frame.language, id).to_owned();
            }
            let mut known = machines.iter().filter(|_| name == "machine_id");
            let machine = known.find(|machine| machine.id.to_string() == **id);
            machine.map_or_else(|| (*id).to_owned(), |machine| machine.name.clone())
        };
        let names = given.iter().map(named).collect::<Vec<_>>().join(", ");
        chips.push(Chip {
            text: format!("{}: {names}", values::dimension(frame.language, dimension)),
            href: frame.here(name, None),
        });
    }
    Ok(chips)
}
