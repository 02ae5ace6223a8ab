//! The pivot as a table: nested rows, column heads over several lines, shaded rates, and a link behind every number.

use app::insights::{Pivot, PivotRequest, PivotRow};
use domain::insights::{Figure, Measure};
use texts::console::explore as t;
use texts::values;

use super::head::{self, HeadCell, has_all, is_partial, is_told, partial_of};
use super::labels;
use super::links::{DimensionKey, PivotLinks};
use super::shades::Shades;
use crate::frame::Frame;
use crate::parts::{Cell, Column, Empty, Row, Table};

/// The maximum number of cells on a page. More of them make it slow to open.
const MAX_CELLS: usize = 20_000;

/// A pivot as it is shown.
pub struct PivotTable {
    pub caption: String,
    pub head: Vec<Vec<HeadCell>>,
    pub rows: Vec<BodyRow>,
    /// Whether rates are shaded.
    pub is_shaded: bool,
    /// What was left out.
    pub left_out: Vec<String>,
}

/// A row of the body.
pub struct BodyRow {
    pub text: String,
    /// One dimension deeper.
    pub href: Option<String>,
    pub notes: Vec<String>,
    /// How far it is indented, or that it is the total.
    pub class: &'static str,
    pub cells: Vec<BodyCell>,
}

/// A figure.
pub struct BodyCell {
    pub text: String,
    /// The incursions behind it.
    pub href: Option<String>,
    /// What it is a part of.
    pub of: Option<String>,
    /// Why there is none.
    pub reason: Option<String>,
    pub class: &'static str,
}

/// Builds the table of a pivot.
pub struct TableBuilder<'a> {
    pub frame: &'a Frame,
    pub request: &'a PivotRequest,
    pub pivot: &'a Pivot,
    pub links: PivotLinks<'a>,
}

impl TableBuilder<'_> {
    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        let is_nothing = |part: Option<i64>| part.unwrap_or(0) == 0;
        let mut figures = self.pivot.totals.total.iter();
        figures.all(|figure| {
            figure.incursions == 0 && is_nothing(figure.numerator) && is_nothing(figure.denominator)
        })
    }

    pub fn build(&self) -> PivotTable {
        let shades = Shades::of(&self.request.measures, self.pivot.rows.iter().flat_map(|row| &row.cells));
        let rows: Vec<&PivotRow> = self.shown_rows().collect();
        let width = (self.pivot.columns.len() + 1) * self.request.measures.len();
        let fitting = (MAX_CELLS / width.max(1)).max(1);
        let mut body: Vec<BodyRow> = rows.iter().take(fitting).map(|row| self.row(row, &shades)).collect();
        let mut left_out = Vec::new();
        if rows.len() > fitting {
            let cut = i64::try_from(rows.len() - fitting).unwrap_or(i64::MAX);
            left_out.push(self.frame.count(t::CUT_ROWS, cut));
        }
        if self.pivot.totals.more > 0 {
            left_out.push(self.more(self.pivot.totals.more));
        }
        if is_told(self.request) {
            body.push(self.row(&self.pivot.totals, &shades));
        }
        PivotTable {
            caption: self.caption(),
            head: head::head(self.frame, self.request, self.pivot),
            rows: body,
            is_shaded: shades.is_used(),
            left_out,
        }
    }

    /// Returns the innermost rows as a plain table, for CSV.
    pub fn plain(&self) -> Table {
        let (frame, request) = (self.frame, self.request);
        let mut columns: Vec<Column> =
            request.rows.iter().map(|dimension| Column::text(labels::dimension(frame, *dimension))).collect();
        for keys in &self.pivot.columns {
            let named = request.columns.iter().zip(keys);
            let names: Vec<String> =
                named.map(|(dimension, key)| labels::group(frame, *dimension, key)).collect();
            columns.extend(request.measures.iter().map(|measure| {
                let mut words = names.clone();
                words.push(values::measure(frame.language, measure.as_str()).to_owned());
                Column::number(words.join(" · "))
            }));
        }
        let innermost = self.pivot.rows.iter().filter(|row| row.level == request.rows.len());
        let rows: Vec<&PivotRow> = match request.rows.is_empty() {
            true => vec![&self.pivot.totals],
            false => innermost.collect(),
        };
        let rows = rows.into_iter().map(|row| {
            let mut cells: Vec<Cell> = self.names(row).into_iter().map(Cell::text).collect();
            for figures in &row.cells {
                let shown = request.measures.iter().zip(figures);
                cells.extend(shown.map(|(measure, figure)| {
                    let text = frame.formats().figure(*measure, *figure).text;
                    Cell::text(text).plain(frame.formats().plain(*measure, *figure))
                }));
            }
            Row::new(cells)
        });
        let empty = Empty { title: frame.text(t::NOTHING).to_owned(), reason: String::new(), action: None };
        Table::new(self.caption(), columns, rows.collect(), empty)
    }

    fn shown_rows(&self) -> impl Iterator<Item = &PivotRow> {
        let innermost = self.request.rows.len();
        self.pivot.rows.iter().filter(move |row| is_told(self.request) || row.level == innermost)
    }

    fn more(&self, rows: u64) -> String {
        self.frame.count(t::MORE_ROWS, i64::try_from(rows).unwrap_or(i64::MAX))
    }

    fn caption(&self) -> String {
        let (frame, request) = (self.frame, self.request);
        let measures =
            request.measures.iter().map(|measure| values::measure(frame.language, measure.as_str()));
        let measures = measures.collect::<Vec<_>>().join(", ");
        let by =
            request.rows.iter().chain(&request.columns).map(|dimension| labels::dimension(frame, *dimension));
        let by = by.collect::<Vec<_>>().join(", ");
        match by.is_empty() {
            true => frame.fill(t::CAPTION_TOTALS, &[("measures", &measures)]),
            false => frame.fill(t::CAPTION, &[("measures", &measures), ("dimensions", &by)]),
        }
    }

    /// The names of the keys of a row.
    fn names(&self, row: &PivotRow) -> Vec<String> {
        let keys = self.request.rows.iter().zip(&row.keys);
        keys.map(|(dimension, key)| labels::group(self.frame, *dimension, key)).collect()
    }

    fn row(&self, row: &PivotRow, shades: &Shades) -> BodyRow {
        let (frame, request) = (self.frame, self.request);
        let own: Vec<DimensionKey<'_>> = request.rows.iter().copied().zip(&row.keys).collect();
        let mut names = self.names(row);
        let text = match names.pop() {
            None => frame.text(t::TOTAL).to_owned(),
            Some(last) if is_told(self.request) => last,
            Some(last) => {
                names.push(last);
                names.join(" · ")
            }
        };
        let mut notes = Vec::new();
        if let Some((dimension, key)) = own.last()
            && is_partial(partial_of(self.pivot, *dimension).as_ref(), key)
        {
            notes.push(frame.text(t::INCOMPLETE).to_owned());
        }
        if row.more > 0 && row.level > 0 {
            notes.push(self.more(row.more));
        }
        let mut cells = Vec::new();
        // A total is not compared with its parts.
        let shades = (row.level > 0).then_some(shades);
        for (keys, figures) in self.pivot.columns.iter().zip(&row.cells) {
            let across = request.columns.iter().copied().zip(keys);
            let all: Vec<DimensionKey<'_>> = own.iter().copied().chain(across).collect();
            self.add_cells(&mut cells, &all, figures, shades);
        }
        if has_all(self.request) {
            self.add_cells(&mut cells, &own, &row.total, None);
        }
        BodyRow { text, href: self.links.drill(&own), notes, class: self.class_of(row), cells }
    }

    fn class_of(&self, row: &PivotRow) -> &'static str {
        match row.level {
            0 => "total",
            _ if !is_told(self.request) => "l1",
            1 => "l1",
            2 => "l2",
            3 => "l3",
            _ => "l4",
        }
    }

    fn add_cells(
        &self,
        cells: &mut Vec<BodyCell>,
        keys: &[DimensionKey<'_>],
        figures: &[Figure],
        shades: Option<&Shades>,
    ) {
        for (place, (measure, figure)) in self.request.measures.iter().zip(figures).enumerate() {
            let shown = self.frame.formats().figure(*measure, *figure);
            cells.push(BodyCell {
                text: shown.text,
                href: match has_records(*measure, *figure) {
                    true => self.links.incursions(keys, *measure),
                    false => None,
                },
                of: shown.of,
                reason: shown.reason,
                class: shades.map_or("", |shades| shades.class(place, *measure, *figure)),
            });
        }
    }
}

/// Whether there are incursions behind a figure.
fn has_records(measure: Measure, figure: Figure) -> bool {
    match measure {
        Measure::Acknowledged | Measure::Unacknowledged | Measure::AcknowledgementRate => {
            figure.numerator.unwrap_or(0) > 0
        }
        Measure::AverageAckTime => figure.denominator.unwrap_or(0) > 0,
        _ => figure.incursions > 0,
    }
}
