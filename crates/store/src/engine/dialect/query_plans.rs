//! Query plans, for tests that check the use of indexes.

use domain::row::FromRow;

use crate::Error;
use crate::engine::row::Row;
use crate::engine::statement::Statement;
use crate::engine::tx::Tx;

struct Line(String);

impl FromRow<Row> for Line {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let column = match row {
            Row::Sqlite(_) | Row::Packed(_) => "detail",
            Row::Postgres(_) => "QUERY PLAN",
        };
        row.get(column).map(Self)
    }
}

impl Tx {
    /// Returns the lines of the plan of a statement without running it.
    pub(crate) async fn explain(&mut self, statement: Statement) -> Result<Vec<String>, Error> {
        let explain = if self.is_postgres() { "explain " } else { "explain query plan " };
        let text = format!("{explain}{}", statement.text);
        let lines: Vec<Line> = self.all(Statement { text, packed: None, ..statement }.uncached()).await?;
        Ok(lines.into_iter().map(|Line(text)| text).collect())
    }
}
