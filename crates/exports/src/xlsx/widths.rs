//! How wide columns are: as said, or by their title and the first rows.

use crate::table::Shape;
use crate::{Cell, Column, Kind, Table};

const NARROWEST: usize = 8;
const WIDEST_TEXT: usize = 60;
const WIDEST_TITLE: usize = 30;

pub(super) struct Widths {
    columns: Vec<Width>,
}

enum Width {
    Said(usize),
    Measured(usize),
}

impl Widths {
    pub fn new(table: &Table) -> Self {
        // The button of a filter hides the end of a title.
        let button = if table.shape == Shape::List { 3 } else { 1 };
        Self { columns: table.columns.iter().map(|column| Width::of(column, button)).collect() }
    }

    pub fn measure(&mut self, cells: &[Cell<'_>]) {
        for (width, cell) in self.columns.iter_mut().zip(cells) {
            if let (Width::Measured(width), Cell::Text(text)) = (width, cell) {
                *width = (*width).max(text.chars().take(WIDEST_TEXT).count() + 1);
            }
        }
    }

    pub fn push(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"<cols>");
        for (place, width) in (1..).zip(&self.columns) {
            let (Width::Said(width) | Width::Measured(width)) = width;
            out.extend_from_slice(
                format!("<col min=\"{place}\" max=\"{place}\" width=\"{width}\" customWidth=\"1\"/>")
                    .as_bytes(),
            );
        }
        out.extend_from_slice(b"</cols>");
    }
}

impl Width {
    fn of(column: &Column, button: usize) -> Self {
        if let Some(width) = column.width {
            // A sheet's columns are no wider.
            return Self::Said(usize::from(width.min(255)));
        }
        let title = column.title.chars().take(WIDEST_TITLE).count() + button;
        let content = match column.kind {
            Kind::Text | Kind::Boolean => NARROWEST,
            Kind::Integer | Kind::Decimal { .. } | Kind::Percent { .. } | Kind::Duration(_) => 10,
            Kind::Date => 11,
            Kind::Timestamp => 20,
        };
        Self::Measured(title.max(content))
    }
}
