//! The parts of pages: each a template of its own, which escapes its texts and is written into pages as it is.

mod action;
mod attention;
mod badge;
mod cell;
mod chart_image;
mod csv;
mod details;
mod empty;
mod field;
mod form_part;
mod pager;
mod plain;
mod progress;
mod proof_fields;
mod table;
mod tile;
mod timeline;

pub use crate::formats::{Shown, Tone};
pub use action::Action;
pub use attention::{Attention, AttentionItem};
pub use badge::Badge;
pub use cell::Cell;
pub use chart_image::{ChartImage, Slot};
pub use csv::{csv_response, read_csv_format};
pub use details::Details;
pub use empty::Empty;
pub use field::{Choice, Field, Input};
pub use form_part::FormPart;
pub use pager::Pager;
pub use plain::Plain;
pub use progress::Progress;
pub use proof_fields::ProofFields;
pub use table::{Column, MAX_CSV_ROWS, Row, Table};
pub use tile::{Spark, Tile};
pub use timeline::{Timeline, TimelineDay, TimelineItem};

#[cfg(test)]
mod tests;
