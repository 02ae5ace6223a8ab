//! Tables, whose head is repeated on every page and whose rows are never divided.

use std::rc::Rc;

use super::Layouter;
use super::claims::{CellStyles, INDENT};
use super::columns::{ColumnWidths, column_widths};
use crate::characters::clean;
use crate::layout::item::Item;
use crate::limits::Error;
use crate::model::{Column, Row, RowKind, Table, Text, Weight};
use crate::structure::{NodeId, Role};
use crate::style::{Colour, TextStyle};
use crate::text::ShapedText;

/// Above and below the text of a cell.
const VERTICAL_PADDING: f32 = 3.2;
/// A table of at most this many rows stays on one page.
const SMALL_TABLE: usize = 8;

const TITLE: TextStyle = TextStyle { size: 9.5, max_lines: 3, ..TextStyle::CELL };
const CONTINUED: TextStyle = TextStyle { size: 8.0, colour: Colour::MUTED, max_lines: 2, ..TextStyle::CELL };

/// Left and right of the text of a cell, and in a table with very many columns.
const PADDING: f32 = 4.0;
const NARROW_PADDING: f32 = 3.0;

/// With more columns than this, the text is smaller.
const MANY_COLUMNS: usize = 7;
/// With more columns than this, there is less space between them, and the text of heads becomes lighter and smaller until their words fit.
const VERY_MANY_COLUMNS: usize = 11;
const HEAD_STEP: f32 = 0.4;
/// What is smaller cannot be read on paper; words are broken rather.
const LEAST_HEAD: f32 = 6.3;

/// The styles of a table and the widths of its columns.
struct TableLayout {
    styles: CellStyles,
    widths: Vec<f32>,
}

/// The texts of a row with their left edges.
type Cells = Vec<(f32, Rc<ShapedText>)>;

impl Layouter<'_> {
    pub(super) fn table(&mut self, table: &Table) -> Result<(), Error> {
        if table.columns.is_empty() {
            return Ok(());
        }
        let layout = self.table_layout(table)?;
        let summary = clean(&table.summary);
        let node = self.structure.add_root(Role::Table { summary });
        let title = if self.has_heading { "" } else { &table.title };
        self.table_title(title, node)?;
        let heads = self.shape_heads(&table.columns, &layout);
        let repeated = Rc::new(self.repeated_head(&table.title, &heads));
        let mut head = self.head(&heads, Some(node));
        let has_note = table.note.as_ref().is_some_and(|note| !clean(note).is_empty());
        head.keeps_with_next = !table.rows.is_empty() || has_note;
        head.space = if clean(title).is_empty() { 10.0 } else { 0.0 };
        self.push(head)?;

        let count = table.rows.len();
        let body = (count > 0).then(|| self.structure.add(node, Role::TableBody));
        for (index, row) in table.rows.iter().enumerate() {
            let Some(body) = body else { break };
            let mut item = self.row(row, &table.columns, &layout, body);
            item.head = Some(repeated.clone());
            let is_last = index + 1 == count;
            let is_kept = count <= SMALL_TABLE || index == 0 || index + 2 == count;
            item.keeps_with_next = if is_last { has_note } else { is_kept };
            self.push(item)?;
        }
        match &table.note {
            Some(note) if has_note => self.note(&Text::plain(note)),
            _ => Ok(()),
        }
    }

    fn table_layout(&mut self, table: &Table) -> Result<TableLayout, Error> {
        let scale = if table.columns.len() > MANY_COLUMNS { 0.88 } else { 1.0 };
        let [head, cell] = [TextStyle::HEAD, TextStyle::CELL].map(|style| style.sized(style.size * scale));
        let is_crowded = table.columns.len() > VERY_MANY_COLUMNS;
        let padding = if is_crowded { NARROW_PADDING } else { PADDING };
        let mut styles = CellStyles { head, cell, padding, is_crowded };
        loop {
            let ColumnWidths { widths, breaks_heads } =
                column_widths(table, self.width, &styles, self.shaper, self.flow.limits())?;
            if !is_crowded || !breaks_heads || styles.head.size <= LEAST_HEAD {
                return Ok(TableLayout { styles, widths });
            }
            styles.head = match styles.head.weight {
                // Regular letters are narrower by a tenth than bold ones of their size.
                Weight::Bold => TextStyle { weight: Weight::Regular, ..styles.head },
                Weight::Regular => styles.head.sized((styles.head.size - HEAD_STEP).max(LEAST_HEAD)),
            };
        }
    }

    fn table_title(&mut self, title: &str, table: NodeId) -> Result<(), Error> {
        let text = self.shaper.shape_plain(title, &TITLE.bold(), self.width);
        if text.lines.is_empty() {
            return Ok(());
        }
        let node = self.structure.add(table, Role::Caption);
        let mut item = Item::with_space(text.height() + 4.0, 12.0);
        item.add_text(0.0, 0.0, text, Some(node));
        item.keeps_with_next = true;
        self.push(item)
    }

    fn shape_heads(&mut self, columns: &[Column], layout: &TableLayout) -> Cells {
        let mut left = 0.0;
        let shape = |(column, width): (&Column, &f32)| {
            let style = layout.styles.head.aligned(column.align);
            let padding = layout.styles.padding;
            let text = self.shaper.shape_plain(&column.title, &style, width - 2.0 * padding);
            let x = left + padding;
            left += width;
            (x, text)
        };
        columns.iter().zip(&layout.widths).map(shape).collect()
    }

    /// The head; without a table it only repeats one.
    fn head(&mut self, heads: &Cells, table: Option<NodeId>) -> Item {
        let height = tallest(heads) + 2.0 * VERTICAL_PADDING;
        let mut item = Item::with_space(height, 0.0);
        item.add_box(0.0, 0.0, self.width, height, Colour::PANEL);
        item.add_box(0.0, height - 0.9, self.width, 0.9, Colour::AXIS);
        let row = table.map(|table| {
            let head = self.structure.add(table, Role::TableHead);
            self.structure.add(head, Role::TableRow)
        });
        for (x, text) in heads {
            let node = row.map(|row| self.structure.add(row, Role::ColumnHeader));
            let y = height - VERTICAL_PADDING - 0.5 - text.height();
            item.add_text(*x, y, text.clone(), node);
        }
        item
    }

    fn repeated_head(&mut self, title: &str, heads: &Cells) -> Item {
        let mut item = self.head(heads, None);
        let words = self.letterhead.continued.replace("{title}", &clean(title));
        let words = self.shaper.shape_plain(&words, &CONTINUED, self.width);
        let above = if words.lines.is_empty() { 0.0 } else { words.height() + 4.0 };
        item.shift(above);
        item.add_text(0.0, 0.0, words, None);
        item
    }

    fn row(&mut self, row: &Row, columns: &[Column], layout: &TableLayout, body: NodeId) -> Item {
        let style = match row.kind {
            RowKind::Plain => layout.styles.cell,
            RowKind::Subtotal | RowKind::Total => layout.styles.cell.bold(),
        };
        let padding = layout.styles.padding;
        let mut left = 0.0;
        let mut cells = Cells::new();
        let empty = Text::default();
        for (index, (column, width)) in columns.iter().zip(&layout.widths).enumerate() {
            let indent = if index == 0 { f32::from(row.indent.min(6)) * INDENT } else { 0.0 };
            let style = style.aligned(column.align);
            let text = row.cells.get(index).unwrap_or(&empty);
            let text = self.shaper.shape(text, &style, width - 2.0 * padding - indent);
            cells.push((left + padding + indent, text));
            left += width;
        }
        let height = tallest(&cells).max(style.line_height()) + 2.0 * VERTICAL_PADDING;
        let mut item = Item::with_space(height, 0.0);
        match row.kind {
            RowKind::Plain => {}
            RowKind::Subtotal => item.add_box(0.0, 0.0, self.width, height, Colour::PANEL),
            RowKind::Total => item.add_box(0.0, 0.0, self.width, 0.9, Colour::INK),
        }
        item.add_box(0.0, height - 0.5, self.width, 0.5, Colour::GRID);
        let node = self.structure.add(body, Role::TableRow);
        for (index, (x, text)) in cells.into_iter().enumerate() {
            let role = if index == 0 { Role::RowHeader } else { Role::Cell };
            let cell = self.structure.add(node, role);
            item.add_text(x, VERTICAL_PADDING, text, Some(cell));
        }
        item
    }
}

fn tallest(cells: &Cells) -> f32 {
    cells.iter().map(|(_, text)| text.height()).fold(0.0, f32::max)
}
