//! Writes tables as XLSX, CSV, NDJSON and Parquet, row by row, in constant memory.
//!
//! It is synchronous and has no business rules: a [`Table`] describes the columns, and a [`Writer`] takes rows and writes one [`Format`]
//! into any sink of bytes. With many rows, run it where blocking is allowed, and drop the writer to cancel.

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
