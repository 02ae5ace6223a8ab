//! A pivot: measures by any rows and columns, nested, with subtotals and totals.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use domain::Invalid;
use domain::access::ReadInsights;
use domain::insights::{
    Dimension, Figure, Group, GroupOrder, Grouping, Groups, IncursionFilter, Key, Measure,
};
use domain::locale::FirstDayOfWeek;
use domain::preferences::Preferences;

use super::empty_figures::empty_figures;
use super::labels::{Labelled, Labels};
use super::query::{QueryResult, QueryScope, QuerySpec};
use crate::{App, Caller, Error, ErrorKind};

/// What is asked.
#[derive(Clone, Debug)]
pub struct PivotRequest {
    /// What rows are made of, the outermost first.
    pub rows: Vec<Dimension>,
    /// What columns are made of.
    pub columns: Vec<Dimension>,
    /// What is measured.
    pub measures: Vec<Measure>,
    /// In which order rows of the same parent come; places are those of the measures.
    pub order: GroupOrder,
    /// How many rows of the same parent at most.
    pub limit: usize,
    /// Whether whoever shows it tells subtotals and totals.
    pub subtotals: Subtotals,
}

/// Whether subtotals and totals are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subtotals {
    /// They are.
    Shown,
    /// They are left out.
    Hidden,
}

impl PivotRequest {
    /// How many dimensions rows may be made of.
    pub const MAX_ROW_DIMENSIONS: usize = 4;
    /// How many dimensions columns may be made of.
    pub const MAX_COLUMN_DIMENSIONS: usize = 2;
    /// How many rows of the same parent there may be.
    pub const MAX_LIMIT: usize = 10_000;

    /// Refuses what cannot be asked, by the name of the field.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let mut seen = HashSet::new();
        for (field, dimensions) in [("rows", &self.rows), ("columns", &self.columns)] {
            for dimension in dimensions {
                if !seen.insert(*dimension) {
                    let text = format!(
                        "names {} twice; a dimension may stand in rows or columns once",
                        dimension.as_str()
                    );
                    return Err(Error::invalid_field(field, Invalid::new("repeated_dimension", text)));
                }
            }
        }
        Ok(())
    }
}

/// A row, of the innermost dimension or a subtotal.
#[derive(Clone, Debug)]
pub struct PivotRow {
    /// What it is about, one for each dimension of its level.
    pub keys: Vec<Labelled>,
    /// How deep it is; its children, if it has any, follow it and are one deeper.
    pub level: usize,
    /// For each column, one for each measure.
    pub cells: Vec<Vec<Figure>>,
    /// Of all columns together, one for each measure.
    pub total: Vec<Figure>,
    /// How many of its children were left off.
    pub more: u64,
}

/// A pivot.
#[derive(Clone, Debug)]
pub struct Pivot {
    /// What each column is about; one about everything if there are no dimensions for columns.
    pub columns: Vec<Vec<Labelled>>,
    /// The rows, each followed by its children.
    pub rows: Vec<PivotRow>,
    /// All rows together, those that were left off included.
    pub totals: PivotRow,
    /// What whoever asked calls its dimensions, those of rows first.
    pub dimension_labels: Vec<(Dimension, String)>,
    /// What was asked.
    pub result: QueryResult,
}

/// How many cells are told at most: rows times columns times measures.
const MAX_CELLS: usize = 200_000;
/// How many columns there may be.
const MAX_COLUMNS: usize = 2_000;
/// How many groups are looked at, of which the rows that were asked for are taken.
const MAX_GROUPS: usize = 250_000;

impl App {
    /// Measures by rows and columns of what the filter finds, shown as the caller prefers.
    pub async fn insight_pivot(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        request: &PivotRequest,
    ) -> Result<Pivot, Error> {
        let preferences = self.preferences_of(caller).await?;
        self.pivot_in(caller.query_scope(), filter, request, &preferences).await
    }

    /// The same, for one who asked earlier.
    pub(crate) async fn pivot_in(
        &self,
        query_scope: QueryScope<'_>,
        filter: &IncursionFilter,
        request: &PivotRequest,
        preferences: &Preferences,
    ) -> Result<Pivot, Error> {
        request.check()?;
        let by: Vec<Vec<Dimension>> =
            (0..=request.rows.len()).map(|level| request.rows[..level].to_vec()).collect();
        let within = |mut by: Vec<Dimension>| {
            by.extend(&request.columns);
            by
        };
        let bounded = |by: Vec<Dimension>| Grouping { limit: Some(MAX_GROUPS), ..Grouping::by(by) };
        let mut groupings: Vec<Grouping> = by.iter().cloned().map(bounded).collect();
        if !request.columns.is_empty() {
            groupings.extend(by.iter().cloned().map(within).map(bounded));
        }
        let of = QuerySpec { filter, measures: request.measures.clone(), groupings };
        let mut asked = self.run_query_in(query_scope, of).await?;
        let levels: Vec<Groups> = by.iter().map(|_| asked.take_next_groups()).collect();
        let cells: Vec<Groups> = match request.columns.is_empty() {
            true => levels.clone(),
            false => by.iter().map(|_| asked.take_next_groups()).collect(),
        };
        if levels.iter().chain(&cells).any(|groups| groups.more > 0) {
            let text =
                format!("make more than {MAX_GROUPS} groups; leave a dimension out, or narrow the filters");
            return Err(too_wide("rows", "too_many_groups", text));
        }
        let mut table = PivotBuilder::new(request, &levels, &cells, preferences.first_day_of_week)?;
        table.add_children(&[], 0)?;
        let dimensions: Vec<Dimension> = request.rows.iter().chain(&request.columns).copied().collect();
        let all_rows: Vec<Dimension> = request.rows.clone();
        let labels = self
            .load_labels_in(
                query_scope,
                [(&all_rows[..], &table.row_keys), (&dimensions[request.rows.len()..], &table.columns)],
            )
            .await?;
        let called = |dimension: Dimension| (dimension, preferences.label(dimension));
        let called = dimensions.into_iter().map(called).collect();
        Ok(Pivot { dimension_labels: called, ..table.build(&labels, asked) })
    }
}

fn too_wide(field: &str, code: &'static str, text: String) -> Error {
    Error::for_field(ErrorKind::Invalid, field, Invalid::new(code, text))
}

/// By their keys, with the days of a week in the order in which it is shown; what has none comes last.
fn key_order(dimensions: &[Dimension], first_day: FirstDayOfWeek) -> impl Fn(&[Key], &[Key]) -> Ordering {
    let is_weekday: Vec<bool> =
        dimensions.iter().map(|dimension| *dimension == Dimension::DayOfWeek).collect();
    move |left, right| {
        let place = |(key, is_weekday): (&Key, &bool)| match key {
            Some(weekday) if *is_weekday => (false, Some(first_day.index_of(*weekday))),
            key => (key.is_none(), *key),
        };
        left.iter().zip(&is_weekday).map(place).cmp(right.iter().zip(&is_weekday).map(place))
    }
}

/// A row before its keys are named.
struct UnlabelledRow {
    keys: Vec<Key>,
    total: Vec<Figure>,
    more: u64,
}

/// Puts the rows together.
struct PivotBuilder<'a> {
    request: &'a PivotRequest,
    /// The groups of each level by the keys of their parent, in order.
    children: Vec<HashMap<&'a [Key], Vec<&'a Group>>>,
    /// The cells of each level by keys of row and column.
    cells: Vec<HashMap<&'a [Key], &'a [Figure]>>,
    columns: Groups,
    grand_total: Vec<Figure>,
    rows: Vec<UnlabelledRow>,
    /// The keys of the rows, for their names.
    row_keys: Groups,
    more: u64,
}

impl<'a> PivotBuilder<'a> {
    fn new(
        request: &'a PivotRequest,
        levels: &'a [Groups],
        cells: &'a [Groups],
        first_day: FirstDayOfWeek,
    ) -> Result<Self, Error> {
        let by_rows = key_order(&request.rows, first_day);
        let mut children = Vec::new();
        for (level, groups) in levels.iter().enumerate().skip(1) {
            let mut of: HashMap<&[Key], Vec<&Group>> = HashMap::new();
            for group in &groups.groups {
                of.entry(&group.keys[..level - 1]).or_default().push(group);
            }
            for siblings in of.values_mut() {
                siblings.sort_by(|left, right| {
                    request.order.compare_by(left, right, &request.measures, &by_rows)
                });
            }
            children.push(of);
        }
        let mut columns = match request.columns.is_empty() {
            true => Groups { groups: vec![Group { keys: Vec::new(), figures: Vec::new() }], more: 0 },
            false => cells.first().cloned().unwrap_or_default(),
        };
        let by_columns = key_order(&request.columns, first_day);
        columns.groups.sort_by(|left, right| by_columns(&left.keys, &right.keys));
        if columns.groups.len() > MAX_COLUMNS {
            let text = format!(
                "make {} columns, and there may be {MAX_COLUMNS}; move one to rows",
                columns.groups.len()
            );
            return Err(too_wide("columns", "too_many_cells", text));
        }
        let by_keys = |groups: &'a Groups| {
            groups.groups.iter().map(|group| (&group.keys[..], &group.figures[..])).collect()
        };
        Ok(Self {
            request,
            children,
            cells: cells.iter().map(by_keys).collect(),
            columns,
            grand_total: levels
                .first()
                .and_then(|all| all.groups.first())
                .map(|all| all.figures.clone())
                .unwrap_or_default(),
            rows: Vec::new(),
            row_keys: Groups::default(),
            more: 0,
        })
    }

    /// Adds the children of a row, each with its own; gives how many were left off.
    fn add_children(&mut self, parent: &[Key], level: usize) -> Result<u64, Error> {
        let Some(siblings) = self.children.get(level).and_then(|of| of.get(parent)).cloned() else {
            return Ok(0);
        };
        let left_off = siblings.len().saturating_sub(self.request.limit);
        for group in siblings.into_iter().take(self.request.limit) {
            let cells = (self.rows.len() + 1) * self.columns.groups.len() * self.request.measures.len();
            if cells > MAX_CELLS {
                let text = format!(
                    "asks for more than {MAX_CELLS} cells; lower limit, leave a dimension out, or narrow the filters"
                );
                return Err(too_wide("limit", "too_many_cells", text));
            }
            let at = self.rows.len();
            self.rows.push(UnlabelledRow { keys: group.keys.clone(), total: group.figures.clone(), more: 0 });
            self.row_keys.groups.push(Group { keys: group.keys.clone(), figures: Vec::new() });
            self.rows[at].more = self.add_children(&group.keys, level + 1)?;
        }
        if level == 0 {
            self.more = left_off as u64;
        }
        Ok(left_off as u64)
    }

    /// What stands in a row, column by column.
    fn cells_of(&self, keys: &[Key], total: &[Figure], empty: &[Figure]) -> Vec<Vec<Figure>> {
        if self.request.columns.is_empty() {
            return vec![total.to_vec()];
        }
        let cell = |column: &Group| {
            let place: Vec<Key> = keys.iter().chain(&column.keys).copied().collect();
            let found = self.cells.get(keys.len()).and_then(|cells| cells.get(&place[..]).copied());
            found.unwrap_or(empty).to_vec()
        };
        self.columns.groups.iter().map(cell).collect()
    }

    fn build(self, labels: &Labels, asked: QueryResult) -> Pivot {
        let request = self.request;
        let named = |by: &[Dimension], keys: &[Key]| -> Vec<Labelled> {
            by.iter().zip(keys).map(|(dimension, key)| labels.label(*dimension, *key)).collect()
        };
        let has_runtime =
            request.rows.iter().chain(&request.columns).all(|dimension| dimension.applies_to_runtime());
        let nothing = empty_figures(&request.measures, &self.grand_total, has_runtime);
        let rows = self.rows.iter().map(|row| PivotRow {
            keys: named(&request.rows, &row.keys),
            level: row.keys.len(),
            cells: self.cells_of(&row.keys, &row.total, &nothing),
            total: row.total.clone(),
            more: row.more,
        });
        let rows = rows.collect();
        let totals = PivotRow {
            keys: Vec::new(),
            level: 0,
            cells: self.cells_of(&[], &self.grand_total, &nothing),
            total: self.grand_total.clone(),
            more: self.more,
        };
        let columns =
            self.columns.groups.iter().map(|column| named(&request.columns, &column.keys)).collect();
        Pivot { columns, rows, totals, dimension_labels: Vec::new(), result: asked }
    }
}
