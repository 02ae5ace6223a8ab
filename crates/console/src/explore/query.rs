//! The parameters of the pivot: what the address says, what a saved view stores, and the way between the two.

use app::insights::{PivotRequest, Subtotals};
use app::{Error, ViewQuery};
use domain::insights::{Dimension, GroupOrder, IncursionFilter, Measure};
use domain::{Period, Review, SavedViewId, Span};
use serde_json::{Map, Value, json};
use web::{FromParams, Query, Sorting};

use crate::address::Address;
use crate::frame::Frame;
use crate::parts::read_csv_format;
use crate::pickers::Pickers;

pub const ROWS: [&str; PivotRequest::MAX_ROW_DIMENSIONS] = ["row1", "row2", "row3", "row4"];
pub const COLUMNS: [&str; PivotRequest::MAX_COLUMN_DIMENSIONS] = ["column1", "column2"];

/// The number of rows under each heading, if the address names none.
const USUAL_LIMIT: usize = 100;
/// What is measured if nothing was chosen.
const USUAL_MEASURES: [Measure; 3] =
    [Measure::Incursions, Measure::AcknowledgementRate, Measure::IncursionsPerRuntimeHour];

/// A pivot as its address describes it.
#[derive(Clone)]
pub struct ExploreQuery {
    pub pickers: Pickers,
    /// The pickers and all other filters.
    pub filter: IncursionFilter,
    pub request: PivotRequest,
    /// The saved view that the table began with.
    pub view: Option<SavedViewId>,
    /// Whether the table is taken along as CSV.
    pub csv: bool,
    /// Whether the address describes a table; otherwise it is the usual one.
    pub is_given: bool,
}

impl FromParams for ExploreQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let pickers = Pickers::read(query)?;
        let filter = pickers.with(IncursionFilter::read(query)?);
        let mut used = Vec::new();
        let mut rows = dimensions(query, &ROWS, &mut used)?;
        let columns = dimensions(query, &COLUMNS, &mut used)?;
        let mut measures = query.many("measure", Measure::ALL.len(), Measure::parse)?;
        let is_given = !(rows.is_empty() && columns.is_empty() && measures.is_empty());
        if measures.is_empty() {
            measures = USUAL_MEASURES.to_vec();
        }
        if !is_given {
            rows = vec![Dimension::Worksite];
        }
        let order = match query.one("sort", Sorting::parse)? {
            // A measure that is no longer shown orders nothing.
            Some(sort) => match measures.iter().position(|measure| *measure == sort.measure) {
                Some(place) => sort.order_at(place),
                None => GroupOrder::ByKeys,
            },
            None if is_given => GroupOrder::ByKeys,
            None => GroupOrder::Descending(0),
        };
        let limit = query.integer("limit", 1..=i64::try_from(PivotRequest::MAX_LIMIT).unwrap_or(i64::MAX))?;
        let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(USUAL_LIMIT);
        let subtotals = match query.optional_flag("totals")? {
            Some(false) if !rows.is_empty() => Subtotals::Hidden,
            _ => Subtotals::Shown,
        };
        let view = query.id("view")?.map(SavedViewId);
        let csv = read_csv_format(query)?;
        let request = PivotRequest { rows, columns, measures, order, limit, subtotals };
        Ok(Self { pickers, filter, request, view, csv, is_given })
    }
}

/// Reads dimensions. One that is chosen for a second time has no effect.
fn dimensions(query: &mut Query, names: &[&str], used: &mut Vec<Dimension>) -> Result<Vec<Dimension>, Error> {
    let mut found = Vec::new();
    for name in names {
        if let Some(dimension) = query.one(name, Dimension::parse)?
            && !used.contains(&dimension)
        {
            used.push(dimension);
            found.push(dimension);
        }
    }
    Ok(found)
}

impl ExploreQuery {
    /// Returns the same with a preset as the days that it means now.
    pub fn resolved(mut self, frame: &Frame) -> Self {
        self.pickers = self.pickers.resolved(frame);
        self.filter = self.pickers.with(self.filter);
        self
    }

    /// Returns the definition of a saved view of this table. Only days of the reader's own are kept: a preset moves with time.
    pub fn definition(&self, frame: &Frame) -> Value {
        let own_days = own_days(frame).then(|| self.filter.period.unwrap_or_default());
        let words = |dimensions: &[Dimension]| -> Vec<&str> {
            dimensions.iter().map(|dimension| dimension.as_str()).collect()
        };
        let measures: Vec<&str> = self.request.measures.iter().map(|measure| measure.as_str()).collect();
        let filters: Map<String, Value> = filter_values(&self.filter, own_days).into_iter().collect();
        let mut definition = json!({
            "rows": words(&self.request.rows),
            "columns": words(&self.request.columns),
            "measures": measures,
            "filters": filters,
            "limit": self.request.limit,
            "totals": self.request.subtotals == Subtotals::Shown,
        });
        if let Some(sort) = sort_word(&self.request) {
            definition["sort"] = Value::String(sort);
        }
        definition
    }

    /// Whether a saved view shows the same as this table.
    pub fn is_same(&self, frame: &Frame, saved: &ViewQuery) -> bool {
        let ViewQuery::Pivot(filter, request) = saved else { return false };
        let has_days = filter.period.is_some_and(|period| period.from.is_some() || period.to.is_some());
        let own_days = own_days(frame).then(|| self.filter.period.unwrap_or_default());
        let saved_days = has_days.then(|| filter.period.unwrap_or_default());
        // What the view leaves to the pickers may be picked without changing the view.
        let left_open = |name: &str| match name {
            "project_id" => filter.projects.is_empty(),
            "worksite_id" => filter.worksites.is_empty(),
            "from" | "to" => !has_days,
            _ => false,
        };
        let mut own = filter_values(&self.filter, own_days);
        own.retain(|(name, _)| !left_open(name));
        table_pairs(&self.request) == table_pairs(request) && own == filter_values(filter, saved_days)
    }
}

/// Whether the address has days of the reader's own, not a preset.
fn own_days(frame: &Frame) -> bool {
    let is_preset = frame.address.first("period").is_some_and(|period| period != "custom");
    !is_preset && (frame.address.first("from").is_some() || frame.address.first("to").is_some())
}

fn sort_word(request: &PivotRequest) -> Option<String> {
    let measure = |place: usize| request.measures.get(place).map(|measure| measure.as_str());
    match request.order {
        GroupOrder::ByKeys => None,
        GroupOrder::Ascending(place) => measure(place).map(str::to_owned),
        GroupOrder::Descending(place) => measure(place).map(|measure| format!("-{measure}")),
    }
}

/// Returns the parameters that describe a table without its filters.
pub fn table_pairs(request: &PivotRequest) -> Vec<(&'static str, String)> {
    let mut pairs: Vec<(&'static str, String)> = Vec::new();
    let places = ROWS.iter().zip(&request.rows).chain(COLUMNS.iter().zip(&request.columns));
    pairs.extend(places.map(|(name, dimension)| (*name, dimension.as_str().to_owned())));
    pairs.extend(request.measures.iter().map(|measure| ("measure", measure.as_str().to_owned())));
    pairs.extend(sort_word(request).map(|sort| ("sort", sort)));
    if request.limit != USUAL_LIMIT {
        pairs.push(("limit", request.limit.to_string()));
    }
    if request.subtotals == Subtotals::Hidden {
        pairs.push(("totals", "false".to_owned()));
    }
    pairs
}

/// Returns the filters by the names that the API has for them; lists are arrays.
fn filter_values(filter: &IncursionFilter, days: Option<Period>) -> Vec<(String, Value)> {
    let mut values: Vec<(String, Value)> = Vec::new();
    let mut add = |name: &str, list: Vec<Value>| {
        if !list.is_empty() {
            values.push((name.to_owned(), Value::Array(list)));
        }
    };
    add("project_id", filter.projects.iter().map(|id| json!(id.0)).collect());
    add("worksite_id", filter.worksites.iter().map(|id| json!(id.0)).collect());
    add("worksite_kind", filter.worksite_kinds.iter().map(|kind| json!(kind.as_str())).collect());
    add("machine_id", filter.machines.iter().map(|id| json!(id.0)).collect());
    add("machine_kind", filter.machine_kinds.iter().map(|kind| json!(kind.as_str())).collect());
    add("base_station_id", filter.base_stations.iter().map(|id| json!(id.0)).collect());
    add("person_id", filter.people.iter().map(|id| json!(id.0)).collect());
    add("pedestrian_id", filter.pedestrians.iter().map(|id| json!(id.0)).collect());
    add("operator_id", filter.operators.iter().map(|id| json!(id.0)).collect());
    add("tag_id", filter.tags.iter().map(|id| json!(id.0)).collect());
    add("zone", filter.zones.iter().map(|zone| json!(zone.as_str())).collect());
    if filter.reviews[..] != Review::COUNTED[..] {
        add("review", filter.reviews.iter().map(|review| json!(review.as_str())).collect());
    }
    let period = days.unwrap_or_default();
    let seconds = |length: Span| json!(length.micros() / 1_000_000);
    let others = [
        ("from", period.from.map(|bound| json!(bound.to_string()))),
        ("to", period.to.map(|bound| json!(bound.to_string()))),
        ("acknowledged", filter.acknowledged.map(Value::Bool)),
        ("min_duration_s", filter.min_duration.map(seconds)),
        ("max_duration_s", filter.max_duration.map(seconds)),
    ];
    values.extend(others.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    values
}

/// Returns the same as parameters of an address; days of their own take the place of a preset.
pub fn filter_pairs(filter: &IncursionFilter) -> Vec<(String, String)> {
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let mut pairs = Vec::new();
    for (name, value) in filter_values(filter, filter.period) {
        match value {
            Value::Array(list) => pairs.extend(list.into_iter().map(|one| (name.clone(), text(one)))),
            one => pairs.push((name, text(one))),
        }
    }
    if pairs.iter().any(|(name, _)| name == "from" || name == "to") {
        pairs.push(("period".to_owned(), "custom".to_owned()));
    }
    pairs
}

/// Returns another address with the table and the filters of this one.
pub fn with_query(frame: &Frame, path: &str) -> String {
    let pairs =
        frame.address.pairs().iter().filter(|(name, _)| !matches!(name.as_str(), "format" | "cursor"));
    pairs.fold(Address::new(path), |address, (name, value)| address.and(name, value)).to_string()
}

#[cfg(test)]
mod tests {
    use domain::{PeriodBound, WorksiteId, Zone};
    use texts::Language;

    use super::*;

    #[test]
    fn a_table_and_its_filters_become_an_address() {
        let request = PivotRequest {
            rows: vec![Dimension::Worksite, Dimension::Machine],
            columns: vec![Dimension::Zone],
            measures: vec![Measure::Incursions, Measure::AcknowledgementRate],
            order: GroupOrder::Descending(1),
            limit: 20,
            subtotals: Subtotals::Hidden,
        };
        let pairs = table_pairs(&request).into_iter().map(|(name, value)| format!("{name}={value}"));
        assert_eq!(
            pairs.collect::<Vec<_>>().join("&"),
            "row1=worksite&row2=machine&column1=zone&measure=incursions&measure=acknowledgement_rate\
            &sort=-acknowledgement_rate&limit=20&totals=false"
        );
        let from = PeriodBound::parse("2026-02-01").unwrap();
        let filter = IncursionFilter {
            period: Some(Period { from: Some(from), to: None }),
            worksites: vec![WorksiteId(3), WorksiteId(4)],
            zones: vec![Zone::Danger],
            acknowledged: Some(false),
            reviews: Review::COUNTED.to_vec(),
            ..IncursionFilter::default()
        };
        let pairs = filter_pairs(&filter).into_iter().map(|(name, value)| format!("{name}={value}"));
        assert_eq!(
            pairs.collect::<Vec<_>>().join("&"),
            "worksite_id=3&worksite_id=4&zone=danger&from=2026-02-01&acknowledged=false&period=custom"
        );
    }

    #[test]
    fn only_days_of_the_readers_own_are_saved() {
        let own = |address| own_days(&crate::frame::sample(Language::English, address));
        assert!(own("/explore?period=custom&from=2026-02-01") && own("/explore?to=2026-02-01"));
        assert!(
            !own("/explore?period=90d") && !own("/explore") && !own("/explore?period=7d&from=2026-02-01")
        );
    }
}
