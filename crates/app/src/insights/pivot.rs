//! A pivot: measures by nested rows and columns, with subtotals and totals.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use domain::access::ReadInsights;
use domain::insights::{
    Dimension, Figure, Group, GroupOrder, Grouping, Groups, IncursionFilter, Key, Measure,
};
use domain::locale::FirstDayOfWeek;
use domain::preferences::Preferences;
use domain::{Invalid, sorted};

use super::empty_figures::empty_figures;
use super::labels::{Labelled, Labels};
use super::query::{QueryResult, QueryScope, QuerySpec};
use crate::{App, Caller, Error, ErrorKind, FieldError};

#[derive(Clone, Debug)]
pub struct PivotRequest {
    /// The row dimensions, the outermost first.
    pub rows: Vec<Dimension>,
    pub columns: Vec<Dimension>,
    pub measures: Vec<Measure>,
    /// The order of rows with the same parent; it refers to measures by their index.
    pub order: GroupOrder,
    /// Maximum number of rows with the same parent.
    pub limit: usize,
    pub subtotals: Subtotals,
}

/// Whether subtotals and totals are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subtotals {
    Shown,
    Hidden,
}

impl PivotRequest {
    pub const MAX_ROW_DIMENSIONS: usize = 4;
    pub const MAX_COLUMN_DIMENSIONS: usize = 2;
    /// Maximum number of rows with the same parent.
    pub const MAX_LIMIT: usize = 10_000;

    /// Rejects an invalid request; the error names the fields.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let faults = Self::find_repeated_dimensions(&self.rows, &self.columns);
        if faults.is_empty() { Ok(()) } else { Err(Error::invalid(faults)) }
    }

    /// Returns the fields that name a dimension for a second time.
    pub fn find_repeated_dimensions(rows: &[Dimension], columns: &[Dimension]) -> Vec<FieldError> {
        let mut seen = HashSet::new();
        let mut faults = Vec::new();
        for (field, dimensions) in [("rows", rows), ("columns", columns)] {
            // Every dimension is seen, even after a fault.
            let repeated: Vec<_> = dimensions.iter().filter(|one| !seen.insert(**one)).collect();
            if let Some(dimension) = repeated.first() {
                let text = format!(
                    "names {} twice; a dimension may be used only once in rows or columns",
                    dimension.as_str()
                );
                let invalid = Invalid::new("repeated_dimension", text);
                faults.push(FieldError { field: field.to_owned(), invalid });
            }
        }
        faults
    }
}

/// A row of the innermost dimension, or a subtotal.
#[derive(Clone, Debug)]
pub struct PivotRow {
    /// One key for each dimension of its level.
    pub keys: Vec<Labelled>,
    /// The depth of the row; its children follow it and are one level deeper.
    pub level: usize,
    /// For each column, one figure for each measure.
    pub cells: Vec<Vec<Figure>>,
    /// One figure for each measure, over all columns.
    pub total: Vec<Figure>,
    /// Number of children beyond the limit.
    pub more: u64,
}

#[derive(Clone, Debug)]
pub struct Pivot {
    /// The keys of each column; a single column without keys if there are no column dimensions.
    pub columns: Vec<Vec<Labelled>>,
    /// The rows, each followed by its children.
    pub rows: Vec<PivotRow>,
    /// The total of all rows, including those beyond the limit.
    pub totals: PivotRow,
    /// The labels of the dimensions as the requester prefers them, rows first.
    pub dimension_labels: Vec<(Dimension, String)>,
    pub result: QueryResult,
}

/// A pivot whose rows and columns have keys instead of labels.
#[derive(Debug)]
pub(crate) struct PivotKeys {
    pub columns: Vec<Vec<Key>>,
    /// The rows, each followed by its children.
    pub rows: Vec<PivotKeyRow>,
    /// The total of all rows, including those beyond the limit.
    pub totals: PivotKeyRow,
    pub result: QueryResult,
}

/// A row with its keys; its level is their number.
#[derive(Debug)]
pub(crate) struct PivotKeyRow {
    pub keys: Vec<Key>,
    pub cells: Vec<Vec<Figure>>,
    pub total: Vec<Figure>,
    /// Number of children beyond the limit.
    pub more: u64,
}

/// Maximum number of cells: rows times columns times measures.
const MAX_CELLS: usize = 200_000;
const MAX_COLUMNS: usize = 2_000;
/// Maximum number of groups that are read, from which the requested rows are taken.
const MAX_GROUPS: usize = 250_000;

#[macros::boxed]
impl App {
    /// Returns measures of the matching facts by rows and columns, according to the caller's preferences.
    pub async fn insight_pivot(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        request: &PivotRequest,
    ) -> Result<Pivot, Error> {
        let preferences = self.preferences_of(caller).await?;
        self.pivot_in(caller.query_scope(), filter, request, &preferences).await
    }

    /// The same for a query scope, such as that of a stored request.
    pub(crate) async fn pivot_in(
        &self,
        query_scope: QueryScope<'_>,
        filter: &IncursionFilter,
        request: &PivotRequest,
        preferences: &Preferences,
    ) -> Result<Pivot, Error> {
        let found = self.pivot_keys_in(query_scope, filter, request, preferences.first_day_of_week).await?;
        let groups = |keys: Vec<&Vec<Key>>| Groups {
            groups: keys.into_iter().map(|keys| Group { keys: keys.clone(), figures: Vec::new() }).collect(),
            more: 0,
        };
        let rows = groups(found.rows.iter().map(|row| &row.keys).collect());
        let columns = groups(found.columns.iter().collect());
        let labels = self
            .load_labels_in(query_scope, [(&request.rows[..], &rows), (&request.columns[..], &columns)])
            .await?;
        let called = |dimension: &Dimension| (*dimension, preferences.label(*dimension));
        let called = request.rows.iter().chain(&request.columns).map(called).collect();
        Ok(Pivot { dimension_labels: called, ..label_pivot(request, found, &labels) })
    }

    /// The same without labels.
    pub(crate) async fn pivot_keys_in(
        &self,
        query_scope: QueryScope<'_>,
        filter: &IncursionFilter,
        request: &PivotRequest,
        first_day: FirstDayOfWeek,
    ) -> Result<PivotKeys, Error> {
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
                format!("produce more than {MAX_GROUPS} groups; remove a dimension or narrow the filters");
            return Err(too_wide("rows", "too_many_groups", text));
        }
        let mut table = PivotBuilder::new(request, &levels, &cells, first_day)?;
        table.add_children(&[], 0)?;
        Ok(table.build(asked))
    }
}

fn too_wide(field: &str, code: &'static str, text: String) -> Error {
    Error::for_field(ErrorKind::Invalid, field, Invalid::new(code, text))
}

/// Compares by keys, with days of the week in the preferred order; groups without a value come last.
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

/// A row before its cells are filled in.
struct BareRow {
    keys: Vec<Key>,
    total: Vec<Figure>,
    more: u64,
}

/// Builds the rows of a pivot.
struct PivotBuilder<'a> {
    request: &'a PivotRequest,
    /// The groups of each level by the keys of their parent, in order.
    children: Vec<HashMap<&'a [Key], Vec<&'a Group>>>,
    /// The cells of each level by the keys of row and column.
    cells: Vec<HashMap<&'a [Key], &'a [Figure]>>,
    columns: Groups,
    grand_total: Vec<Figure>,
    rows: Vec<BareRow>,
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
                sorted::sort_by(siblings, |left, right| {
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
        sorted::sort_by(&mut columns.groups, |left, right| by_columns(&left.keys, &right.keys));
        if columns.groups.len() > MAX_COLUMNS {
            let text = format!(
                "produce {} columns, more than {MAX_COLUMNS}; move a dimension to rows",
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
            more: 0,
        })
    }

    /// Adds the children of a row recursively; returns the number beyond the limit.
    fn add_children(&mut self, parent: &[Key], level: usize) -> Result<u64, Error> {
        let Some(siblings) = self.children.get(level).and_then(|of| of.get(parent)).cloned() else {
            return Ok(0);
        };
        let left_off = siblings.len().saturating_sub(self.request.limit);
        for group in siblings.into_iter().take(self.request.limit) {
            let cells = (self.rows.len() + 1) * self.columns.groups.len() * self.request.measures.len();
            if cells > MAX_CELLS {
                let text = format!(
                    "produces more than {MAX_CELLS} cells; lower it, remove a dimension or narrow the filters"
                );
                return Err(too_wide("limit", "too_many_cells", text));
            }
            let at = self.rows.len();
            self.rows.push(BareRow { keys: group.keys.clone(), total: group.figures.clone(), more: 0 });
            self.rows[at].more = self.add_children(&group.keys, level + 1)?;
        }
        if level == 0 {
            self.more = left_off as u64;
        }
        Ok(left_off as u64)
    }

    /// Returns the figures of a row, column by column.
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

    fn build(self, asked: QueryResult) -> PivotKeys {
        let request = self.request;
        let has_runtime =
            request.rows.iter().chain(&request.columns).all(|dimension| dimension.applies_to_runtime());
        let nothing = empty_figures(&request.measures, &self.grand_total, has_runtime);
        let rows = self.rows.iter().map(|row| PivotKeyRow {
            keys: row.keys.clone(),
            cells: self.cells_of(&row.keys, &row.total, &nothing),
            total: row.total.clone(),
            more: row.more,
        });
        let rows = rows.collect();
        let totals = PivotKeyRow {
            keys: Vec::new(),
            cells: self.cells_of(&[], &self.grand_total, &nothing),
            total: self.grand_total.clone(),
            more: self.more,
        };
        let columns = self.columns.groups.iter().map(|column| column.keys.clone()).collect();
        PivotKeys { columns, rows, totals, result: asked }
    }
}

/// Puts labels in place of keys. The labels of the dimensions are left out.
fn label_pivot(request: &PivotRequest, found: PivotKeys, labels: &Labels) -> Pivot {
    let named = |by: &[Dimension], keys: &[Key]| -> Vec<Labelled> {
        by.iter().zip(keys).map(|(dimension, key)| labels.label(*dimension, *key)).collect()
    };
    let row = |row: PivotKeyRow| PivotRow {
        keys: named(&request.rows, &row.keys),
        level: row.keys.len(),
        cells: row.cells,
        total: row.total,
        more: row.more,
    };
    Pivot {
        columns: found.columns.iter().map(|keys| named(&request.columns, keys)).collect(),
        rows: found.rows.into_iter().map(row).collect(),
        totals: row(found.totals),
        dimension_labels: Vec::new(),
        result: found.result,
    }
}
