//! The widths of columns: as set, or computed from the title and the first rows.

use crate::table::TableLayout;
use crate::{Cell, Column, ColumnKind, Table};

const MIN_WIDTH: usize = 8;
const MAX_TEXT_WIDTH: usize = 60;
const MAX_TITLE_WIDTH: usize = 30;

pub(super) struct Widths {
    columns: Vec<Width>,
}

enum Width {
    Fixed(usize),
    Measured(usize),
}

impl Widths {
    pub fn new(table: &Table) -> Self {
        // The filter button hides the end of a title.
        let button = if table.layout == TableLayout::List { 3 } else { 1 };
        Self { columns: table.columns.iter().map(|column| Width::of(column, button)).collect() }
    }

    pub fn measure(&mut self, cells: &[Cell<'_>]) {
        for (width, cell) in self.columns.iter_mut().zip(cells) {
            if let (Width::Measured(width), Cell::Text(text)) = (width, cell) {
                *width = (*width).max(text.chars().take(MAX_TEXT_WIDTH).count() + 1);
            }
        }
    }

    pub fn push(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"<cols>");
        for (place, width) in (1..).zip(&self.columns) {
            let (Width::Fixed(width) | Width::Measured(width)) = width;
            out.extend_from_slice(
                format!("<col min=\"{place}\" max=\"{place}\" width=\"{width}\" customWidth=\"1\"/>")
                    .as_bytes(),
            );
        }
        out.extend_from_slice(b"</cols>");
    }
}

impl Width {
    fn of(column: &Column, button_width: usize) -> Self {
        if let Some(width) = column.width {
            // The maximum width of a column.
            return Self::Fixed(usize::from(width.min(255)));
        }
        let title = column.title.chars().take(MAX_TITLE_WIDTH).count() + button_width;
        let content = match column.kind {
            ColumnKind::Text | ColumnKind::Boolean => MIN_WIDTH,
            ColumnKind::Integer
            | ColumnKind::Decimal { .. }
            | ColumnKind::Percent { .. }
            | ColumnKind::Duration(_) => 10,
            ColumnKind::Date => 11,
            ColumnKind::Timestamp => 20,
        };
        Self::Measured(title.max(content))
    }
}
