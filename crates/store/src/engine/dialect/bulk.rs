//! Statements over many rows. Awaiting one statement per row is far too slow for facts.
//!
//! The rows appear in the statement as a table `v` with the columns `column1`, `column2`, …: on PostgreSQL as unnested arrays,
//! on SQLite as `values` in a few fixed sizes, so that each text is prepared once.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use domain::row::FromRow;
use futures_util::future::join;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{AssertSqlSafe, Executor, Postgres, Sqlite};

use crate::Error;
use crate::engine::row::Row;
use crate::engine::statement::Value;
use crate::engine::tx::{Inner, Tx};

/// Rows per statement on SQLite. The columns of the widest table times the first must stay below its limit of 32,766 values.
const BATCH_SIZES: [usize; 4] = [256, 32, 4, 1];

/// The values of one column.
#[derive(Clone, Debug)]
pub(crate) enum Column {
    Ints(Vec<Option<i64>>),
    Texts(Vec<Option<String>>),
    Bytes(Vec<Option<Vec<u8>>>),
}

/// Rows that are bound to a statement, column by column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    columns: Vec<Column>,
}

impl Rows {
    /// Adds a column, which must have as many values as the others.
    pub fn column<T: Into<Value>>(mut self, values: impl IntoIterator<Item = T>) -> Self {
        let mut column: Option<Column> = None;
        for value in values {
            match (value.into(), &mut column) {
                (Value::Int(value), Some(Column::Ints(all))) => all.push(value),
                (Value::Text(value), Some(Column::Texts(all))) => all.push(value),
                (Value::Bytes(value), Some(Column::Bytes(all))) => all.push(value),
                (Value::Int(value), none) => *none = Some(Column::Ints(vec![value])),
                (Value::Text(value), none) => *none = Some(Column::Texts(vec![value])),
                (Value::Bytes(value), none) => *none = Some(Column::Bytes(vec![value])),
                (Value::Bool(value), Some(Column::Ints(all))) => all.push(value.map(i64::from)),
                (Value::Bool(value), none) => *none = Some(Column::Ints(vec![value.map(i64::from)])),
            }
        }
        let column = column.unwrap_or(Column::Ints(Vec::new()));
        debug_assert!(self.columns.first().is_none_or(|first| first.len() == column.len()), "ragged rows");
        self.columns.push(column);
        self
    }

    fn len(&self) -> usize {
        self.columns.first().map_or(0, Column::len)
    }
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Self::Ints(all) => all.len(),
            Self::Texts(all) => all.len(),
            Self::Bytes(all) => all.len(),
        }
    }
}

/// The text before and after the table of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BulkStatement {
    pub before: &'static str,
    /// May refer to `v.column1`.
    pub after: &'static str,
}

/// Composed texts by the text around the rows and the number of rows.
type TextCache = HashMap<(&'static str, &'static str, usize), Arc<str>>;
static TEXT_CACHE: LazyLock<Mutex<TextCache>> = LazyLock::new(Mutex::default);

fn cached_text(statement: BulkStatement, rows: usize, make: impl Fn() -> String) -> Arc<str> {
    let mut texts = TEXT_CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let text = texts
        .entry((statement.before, statement.after, rows))
        .or_insert_with(|| format!("{}{} {}", statement.before, make(), statement.after).into());
    Arc::clone(text)
}

fn sqlite_text(statement: BulkStatement, rows: usize, columns: usize) -> Arc<str> {
    cached_text(statement, rows, || {
        let row = format!("({})", vec!["?"; columns].join(","));
        format!("(values {}) as v", vec![row; rows].join(","))
    })
}

fn postgres_text(statement: BulkStatement, columns: &[Column]) -> Arc<str> {
    cached_text(statement, 0, || {
        let arrays: Vec<String> = columns
            .iter()
            .enumerate()
            .map(|(index, column)| match column {
                Column::Ints(_) => format!("${}::bigint[]", index + 1),
                Column::Texts(_) => format!("${}::text[]", index + 1),
                Column::Bytes(_) => format!("${}::bytea[]", index + 1),
            })
            .collect();
        let names: Vec<String> = (1..=columns.len()).map(|number| format!("column{number}")).collect();
        format!("unnest({}) as v({})", arrays.join(", "), names.join(", "))
    })
}

/// Binds the rows of a range, moving their values out of the columns.
fn sqlite_query(
    text: &Arc<str>,
    columns: &mut [Column],
    range: Range<usize>,
) -> Query<'static, Sqlite, SqliteArguments> {
    // The text consists of `&'static str` and placeholders only.
    let mut query = sqlx::query(AssertSqlSafe(Arc::clone(text)));
    for row in range {
        for column in &mut *columns {
            query = match column {
                Column::Ints(all) => query.bind(all[row]),
                Column::Texts(all) => query.bind(all[row].take()),
                Column::Bytes(all) => query.bind(all[row].take()),
            };
        }
    }
    query
}

fn postgres_query(text: &Arc<str>, columns: Vec<Column>) -> Query<'static, Postgres, PgArguments> {
    let mut query = sqlx::query(AssertSqlSafe(Arc::clone(text)));
    for column in columns {
        query = match column {
            Column::Ints(all) => query.bind(all),
            Column::Texts(all) => query.bind(all),
            Column::Bytes(all) => query.bind(all),
        };
    }
    query
}

/// Splits the rows into batches of fixed sizes.
fn batches(mut rows: usize) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let size = BATCH_SIZES.into_iter().find(|size| *size <= rows)?;
        let range = from..from + size;
        (from, rows) = (from + size, rows - size);
        Some(range)
    })
}

impl Tx {
    /// Runs a statement over many rows and returns the number of rows it affected.
    pub(crate) async fn execute_bulk(
        &mut self,
        statement: BulkStatement,
        mut rows: Rows,
    ) -> Result<u64, Error> {
        let count = rows.len();
        if count == 0 {
            return Ok(0);
        }
        self.count_statement()?;
        if self.is_postgres() {
            let query = postgres_query(&postgres_text(statement, &rows.columns), rows.columns);
            let limit = self.statement_limit;
            let done = match &mut *self.inner {
                Inner::PostgresRead(connection) => limit.apply((&mut **connection).execute(query)).await,
                Inner::PostgresSnapshot(transaction) => {
                    limit.apply((&mut **transaction).execute(query)).await
                }
                Inner::PostgresWrite(transaction, _) => {
                    limit.apply((&mut **transaction).execute(query)).await
                }
                Inner::SqliteRead(_) | Inner::SqliteSnapshot(_) | Inner::SqliteWrite(_) => return Ok(0),
            };
            return Ok(self.checked(done)?.rows_affected());
        }
        let width = rows.columns.len();
        let mut touched = 0;
        let mut make = |range: Range<usize>| {
            let text = sqlite_text(statement, range.len(), width);
            sqlite_query(&text, &mut rows.columns, range)
        };
        let mut cuts = batches(count);
        let mut next = cuts.next().map(&mut make);
        while let Some(query) = next.take() {
            // SQLite works on its own thread, so the next statement is built meanwhile.
            let meanwhile = async { next = cuts.next().map(&mut make) };
            let (done, ()) = match &mut *self.inner {
                Inner::SqliteRead(connection) => join(connection.execute(query), meanwhile).await,
                Inner::SqliteSnapshot(snapshot) => join(snapshot.connection.execute(query), meanwhile).await,
                Inner::SqliteWrite(transaction) => join((&mut **transaction).execute(query), meanwhile).await,
                Inner::PostgresRead(_) | Inner::PostgresSnapshot(_) | Inner::PostgresWrite(..) => {
                    return Ok(touched);
                }
            };
            touched += self.checked(done)?.rows_affected();
        }
        Ok(touched)
    }

    /// Runs a query over many rows. The results of the batches follow each other in order.
    pub(crate) async fn query_bulk<T: FromRow<Row>>(
        &mut self,
        statement: BulkStatement,
        mut rows: Rows,
    ) -> Result<Vec<T>, Error> {
        let mut found = Vec::new();
        if rows.len() == 0 {
            return Ok(found);
        }
        self.count_statement()?;
        if self.is_postgres() {
            let query = postgres_query(&postgres_text(statement, &rows.columns), rows.columns);
            let limit = self.statement_limit;
            let rows = match &mut *self.inner {
                Inner::PostgresRead(connection) => limit.apply((&mut **connection).fetch_all(query)).await,
                Inner::PostgresSnapshot(transaction) => {
                    limit.apply((&mut **transaction).fetch_all(query)).await
                }
                Inner::PostgresWrite(transaction, _) => {
                    limit.apply((&mut **transaction).fetch_all(query)).await
                }
                Inner::SqliteRead(_) | Inner::SqliteSnapshot(_) | Inner::SqliteWrite(_) => return Ok(found),
            };
            return self.checked(rows)?.into_iter().map(|row| T::from_row(&Row::Postgres(row))).collect();
        }
        let width = rows.columns.len();
        for range in batches(rows.len()) {
            let text = sqlite_text(statement, range.len(), width);
            let query = sqlite_query(&text, &mut rows.columns, range);
            let rows = match &mut *self.inner {
                Inner::SqliteRead(connection) => (&mut **connection).fetch_all(query).await,
                Inner::SqliteSnapshot(snapshot) => (&mut *snapshot.connection).fetch_all(query).await,
                Inner::SqliteWrite(transaction) => (&mut **transaction).fetch_all(query).await,
                Inner::PostgresRead(_) | Inner::PostgresSnapshot(_) | Inner::PostgresWrite(..) => {
                    return Ok(found);
                }
            };
            for row in self.checked(rows)? {
                found.push(T::from_row(&Row::Sqlite(row))?);
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_rows_is_cut_without_a_rest() {
        for rows in [0, 1, 3, 5, 255, 256, 257, 1_000, 5_000] {
            let ranges: Vec<_> = batches(rows).collect();
            assert_eq!(ranges.iter().map(ExactSizeIterator::len).sum::<usize>(), rows);
            assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start), "{ranges:?}");
        }
    }
}
