//! The form of the pivot: rows, columns, measures, order and filters.

use app::insights::PivotRequest;
use domain::insights::{Dimension, IncursionFilter, Measure};
use texts::Text;
use texts::console::explore as t;
use texts::values;

use super::labels;
use super::query::{COLUMNS, ROWS, table_pairs};
use crate::address::Address;
use crate::form::FormView;
use crate::frame::Frame;
use crate::incursions;
use crate::parts::{Choice, Field, Input};

/// The numbers of rows that are offered.
const LIMITS: [usize; 5] = [20, 50, 100, 500, 1_000];
const ROW_LABELS: [Text; ROWS.len()] = [t::ROW_ONE, t::ROW_TWO, t::ROW_THREE, t::ROW_FOUR];
const COLUMN_LABELS: [Text; COLUMNS.len()] = [t::COLUMN_ONE, t::COLUMN_TWO];
/// The parameters of the table, which the form sets.
const OF_TABLE: [&str; 10] =
    ["row1", "row2", "row3", "row4", "column1", "column2", "measure", "sort", "limit", "totals"];

/// The form of the pivot.
pub struct Editor {
    pub dimensions: Vec<Field>,
    pub measures: Field,
    pub settings: Vec<Field>,
    pub filters: Vec<Field>,
    /// Whether a filter is used.
    pub is_filtered: bool,
    /// What the form keeps of this address.
    pub kept: Vec<(String, String)>,
    /// This table without the filters of the form.
    pub without: String,
}

impl Editor {
    pub fn new(frame: &Frame, request: &PivotRequest, filter: &IncursionFilter) -> Self {
        let view = FormView::new(table_pairs(request));
        let field = |name, label, input| Field::new(frame, &view, name, label, input);
        let dimensions = ROWS.into_iter().zip(ROW_LABELS).chain(COLUMNS.into_iter().zip(COLUMN_LABELS));
        let choices = dimension_choices(frame, request);
        let dimensions =
            dimensions.map(|(name, label)| field(name, label, Input::Select(choices.clone()))).collect();
        let measure = |measure: &Measure| {
            Choice::new(measure.as_str(), values::measure(frame.language, measure.as_str()))
        };
        let totals = vec![
            Choice::blank(frame.text(t::WITH_TOTALS)),
            Choice::new("false", frame.text(t::WITHOUT_TOTALS)),
        ];
        let pairs = || frame.address.pairs().iter();
        let is_filter = |name: &str| incursions::FILTERS.contains(&name);
        let is_ours =
            |name: &str| OF_TABLE.contains(&name) || is_filter(name) || matches!(name, "format" | "cursor");
        let without = pairs().filter(|(name, _)| !is_filter(name) && name != "format");
        let without =
            without.fold(Address::new("/explore"), |address, (name, value)| address.and(name, value));
        Self {
            dimensions,
            measures: field(
                "measure",
                t::MEASURES,
                Input::Checks(Measure::ALL.iter().map(measure).collect()),
            ),
            settings: vec![
                field("sort", t::SORT, Input::Select(orders(frame, request))),
                limit(frame, request),
                field("totals", t::TOTALS, Input::Select(totals)),
            ],
            filters: incursions::filter_fields(frame, filter),
            is_filtered: pairs().any(|(name, _)| is_filter(name)),
            kept: pairs().filter(|(name, _)| !is_ours(name)).cloned().collect(),
            without: without.to_string(),
        }
    }
}

/// Offers the dimensions in the reader's order, without those that they hide and do not use.
fn dimension_choices(frame: &Frame, request: &PivotRequest) -> Vec<Choice> {
    let is_used =
        |dimension: &Dimension| request.rows.contains(dimension) || request.columns.contains(dimension);
    let listed = frame.preferences.dimensions.all().iter();
    let offered = listed.filter(|one| one.shown || is_used(&one.dimension)).map(|one| one.dimension);
    let mut choices = vec![Choice::blank(frame.text(t::NOTHING_CHOSEN))];
    choices.extend(offered.map(|one| Choice::new(one.as_str(), labels::dimension(frame, one))));
    choices
}

/// Offers the orders by the measures that are shown.
fn orders(frame: &Frame, request: &PivotRequest) -> Vec<Choice> {
    let mut choices = vec![Choice::blank(frame.text(t::BY_NAME))];
    for measure in &request.measures {
        let (word, name) = (measure.as_str(), values::measure(frame.language, measure.as_str()));
        let named = [("measure", name)];
        choices.push(Choice::new(format!("-{word}"), frame.fill(t::HIGHEST_FIRST, &named)));
        choices.push(Choice::new(word, frame.fill(t::LEAST_FIRST, &named)));
    }
    choices
}

fn limit(frame: &Frame, request: &PivotRequest) -> Field {
    let mut limits = LIMITS.to_vec();
    if !limits.contains(&request.limit) {
        limits.push(request.limit);
        limits.sort_unstable();
    }
    let number = |limit: usize| frame.formats().integer(i64::try_from(limit).unwrap_or(i64::MAX));
    let choices = limits.into_iter().map(|limit| Choice::new(limit.to_string(), number(limit))).collect();
    // The usual number is not a part of the address, but it is chosen.
    let view = FormView::new(vec![("limit", request.limit.to_string())]);
    Field::new(frame, &view, "limit", t::LIMIT, Input::Select(choices))
}
