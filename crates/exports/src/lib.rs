//! Tables out: XLSX, CSV, NDJSON and Parquet, row by row, with memory that does not grow with the rows.
//!
//! Pure of rules and synchronous: a [`Table`] says what the columns are, a [`Writer`] takes rows and writes one [`Format`] into
//! anything that takes bytes. Whoever has many rows runs it where blocking is fine, and drops the writer to cancel.

mod cell;
mod column;
mod csv_file;
mod error;
mod escape;
mod format;
mod ndjson_file;
mod number;
mod parquet_file;
mod sink;
mod table;
#[cfg(test)]
mod tests;
mod time;
mod writer;
mod xlsx;

pub use cell::{Cell, RowKind, RowOutline};
pub use column::{Column, ColumnKind, DurationUnit};
pub use error::{Error, Limit};
pub use format::Format;
pub use table::{DateOrder, Table};
pub use writer::{WriteSummary, Writer};
