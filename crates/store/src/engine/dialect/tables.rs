//! The rows of any table as lines of text, identical on both engines.
//!
//! The engines compose the lines themselves, because reading one text per row is far cheaper than reading thirty values.

use domain::row::FromRow;
use domain::sorted;

use crate::Error;
use crate::engine::row::Row;
use crate::engine::statement::{Statement, sql};
use crate::engine::tx::Tx;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnType {
    Int,
    Bool,
    Text,
    Bytes,
}

impl ColumnType {
    /// Parses the engine's name of the type. Types that the schema does not use are treated as text.
    pub fn parse(word: &str) -> Self {
        match word {
            "integer" | "bigint" => Self::Int,
            "boolean" => Self::Bool,
            "bytea" | "blob" => Self::Bytes,
            _ => Self::Text,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub name: String,
    pub column_type: ColumnType,
}

#[derive(Clone, Debug)]
pub struct Table {
    pub name: String,
    /// Sorted by name.
    columns: Vec<Column>,
}

impl Table {
    /// Returns the names of the columns, sorted.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }
}

struct TableColumn {
    table: String,
    column: Column,
}

impl FromRow<Row> for TableColumn {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let kind: String = row.get("kind")?;
        let column = Column { name: row.get("column_name")?, column_type: ColumnType::parse(&kind) };
        Ok(Self { table: row.get("table_name")?, column })
    }
}

impl Tx {
    /// Lists the tables in order of their names, without those of extensions.
    pub(crate) async fn tables(&mut self) -> Result<Vec<Table>, Error> {
        let text = if self.is_postgres() {
            "select c.relname::text as table_name, a.attname::text as column_name, format_type(a.atttypid, null) as kind
             from pg_class c join pg_attribute a on a.attrelid = c.oid
             where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
                 and not exists (select 1 from pg_depend d
                     where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')"
        } else {
            "select m.name as table_name, c.name as column_name, lower(c.type) as kind
             from sqlite_schema m, pragma_table_info(m.name) c
             where m.type = 'table' and m.name not like 'sqlite_%'"
        };
        let mut listed: Vec<TableColumn> = self.all(sql!(text)).await?;
        // Sorted here, because the engines need not agree on the order of text.
        sorted::sort_by(&mut listed, |a, b| (&a.table, &a.column.name).cmp(&(&b.table, &b.column.name)));
        let mut tables: Vec<Table> = Vec::new();
        for TableColumn { table, column } in listed {
            match tables.last_mut().filter(|last| last.name == table) {
                Some(last) => last.columns.push(column),
                None => tables.push(Table { name: table, columns: vec![column] }),
            }
        }
        Ok(tables)
    }

    /// Selects the rows of a table as lines, in storage order.
    pub(crate) fn select_row_lines(&self, table: &Table) -> Statement {
        let values: Vec<String> =
            table.columns.iter().map(|column| value_expression(column, self.is_postgres())).collect();
        // Names come from the engine's catalogue, and are quoted.
        let text = format!("select {} as line from {}", values.join(" || ',' || "), quoted(&table.name));
        Statement { text, values: Vec::new(), is_cached: false, packed: None }
    }
}

/// Returns the SQL expression for a value in a line: a letter for its type, and the value. Text is prefixed with its length, so that
/// no value can look like two.
fn value_expression(column: &Column, is_postgres: bool) -> String {
    let name = quoted(&column.name);
    match column.column_type {
        ColumnType::Int => format!("coalesce('i' || cast({name} as text), 'n')"),
        ColumnType::Bool => format!("case when {name} then 'i1' when not {name} then 'i0' else 'n' end"),
        ColumnType::Text => {
            let text = if is_postgres { format!("cast({name} as text)") } else { name };
            format!("coalesce('t' || cast(octet_length({text}) as text) || ':' || {text}, 'n')")
        }
        ColumnType::Bytes if is_postgres => format!("coalesce('b' || encode({name}, 'hex'), 'n')"),
        ColumnType::Bytes => format!("case when {name} is null then 'n' else 'b' || lower(hex({name})) end"),
    }
}

/// Appends the same form of a value from the text of a dump.
pub(crate) fn push_value(line: &mut Vec<u8>, kind: ColumnType, text: Option<&[u8]>) {
    let Some(text) = text else { return line.push(b'n') };
    match kind {
        ColumnType::Int => {
            line.push(b'i');
            line.extend_from_slice(text);
        }
        ColumnType::Bool => line.extend_from_slice(if text == b"t" { b"i1" } else { b"i0" }),
        ColumnType::Text => {
            line.push(b't');
            line.extend_from_slice(text.len().to_string().as_bytes());
            line.push(b':');
            line.extend_from_slice(text);
        }
        ColumnType::Bytes => {
            line.push(b'b');
            line.extend_from_slice(text.strip_prefix(b"\\x").unwrap_or(text));
        }
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
