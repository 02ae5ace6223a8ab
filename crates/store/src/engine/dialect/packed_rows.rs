//! Rows of many columns, which SQLite returns as one value.
//!
//! sqlx copies each value of a row of SQLite into an allocation of its own on the thread of the connection, and frees it on that of the
//! caller. With thirty columns that takes longer than finding the row; a JSON array of them is one value. PostgreSQL sends a row in one
//! piece anyway (docs/decisions/0074-packed-rows.md).

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

use crate::Error;
use crate::engine::statement::{Statement, sql};
use crate::engine::tx::Tx;

/// The names of the columns of packed rows, in their order.
pub(crate) type ColumnNames = Arc<[&'static str]>;

impl Tx {
    /// Begins a statement that selects columns: each text is a list of them, as in `a.x, coalesce(a.y, b.y) as y`. What is not the column
    /// of a table must have a name. They hold integers, booleans or texts.
    pub(crate) fn select(&self, lists: &[&'static str]) -> Statement {
        self.push_select(sql!(""), lists)
    }

    /// The same after a `with`.
    pub(crate) fn push_select(&self, statement: Statement, lists: &[&'static str]) -> Statement {
        let is_packed = !self.is_postgres();
        let mut statement = statement.push(if is_packed { "select json_array(" } else { "select " });
        let mut names = Vec::new();
        for (expression, name) in lists.iter().copied().flat_map(split_columns) {
            statement = statement.push(if names.is_empty() { "" } else { ", " }).push(expression);
            if !is_packed {
                statement = statement.push(" as ").push(name);
            }
            names.push(name);
        }
        if is_packed {
            statement = statement.push(") as packed");
            statement.packed = Some(names.into());
        }
        statement
    }
}

/// Splits a list of columns into their expressions and names.
fn split_columns(list: &'static str) -> Vec<(&'static str, &'static str)> {
    let (mut columns, mut start, mut depth) = (Vec::new(), 0, 0);
    for (index, byte) in list.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b',' if depth == 0 => {
                columns.push(split_name(&list[start..index]));
                start = index + 1;
            }
            _ => {}
        }
    }
    columns.push(split_name(&list[start..]));
    columns
}

/// Splits `a.x as y` into `a.x` and `y`. The name of `a.x` is `x`.
fn split_name(column: &'static str) -> (&'static str, &'static str) {
    let column = column.trim();
    match (column.rsplit_once(" as "), column.rsplit_once('.')) {
        (Some((expression, name)), _) => (expression, name),
        (None, Some((_, name))) => (column, name),
        (None, None) => (column, column),
    }
}

/// A row that came as one value.
pub(crate) struct PackedRow {
    /// A JSON array.
    text: String,
    values: Vec<PackedValue>,
    names: ColumnNames,
    /// The index from which the next column is searched: records read their columns mostly in the order of the statement.
    next: Cell<usize>,
}

pub(crate) enum PackedValue {
    Null,
    Int(i64),
    /// Where the text is, with its quotes.
    Text(Range<usize>),
}

impl PackedRow {
    pub fn new(text: String, names: ColumnNames) -> Result<Self, Error> {
        match split_values(&text, names.len()) {
            Some(values) => Ok(Self { text, values, names, next: Cell::new(0) }),
            None => {
                Err(Error::Unusable(format!("a packed row has not the columns of its statement: {text}")))
            }
        }
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns the value of the column of that name.
    pub fn get<T: FromPacked>(&self, column: &'static str) -> Result<T, Error> {
        let place = self.next.get();
        let (before, after) = self.names.split_at(place);
        let later = after.iter().position(|name| *name == column).map(|index| place + index);
        let index = later.or_else(|| before.iter().position(|name| *name == column));
        let index = index.ok_or_else(|| Error::Engine(sqlx::Error::ColumnNotFound(column.to_owned())))?;
        self.next.set(index + 1);
        self.at(index)
    }

    /// Returns the value of the column at that index, counted from 0.
    pub fn at<T: FromPacked>(&self, index: usize) -> Result<T, Error> {
        let value = self.values.get(index).and_then(|value| T::from_packed(value, &self.text));
        value.ok_or_else(|| {
            let name = self.names.get(index).copied().unwrap_or_default();
            Error::Unusable(format!("column {name} of a packed row has an unexpected value"))
        })
    }
}

/// Splits a JSON array of integers, texts and nulls into that many values.
fn split_values(text: &str, count: usize) -> Option<Vec<PackedValue>> {
    let bytes = text.as_bytes();
    let mut values = Vec::with_capacity(count);
    // After the opening bracket.
    let mut end = 1;
    loop {
        let start = end;
        values.push(match bytes.get(start)? {
            b'"' => {
                end += 1;
                loop {
                    match bytes.get(end)? {
                        b'"' => break,
                        b'\\' => end += 2,
                        _ => end += 1,
                    }
                }
                end += 1;
                PackedValue::Text(start..end)
            }
            b'n' => {
                end += "null".len();
                PackedValue::Null
            }
            _ => {
                while !matches!(bytes.get(end)?, b',' | b']') {
                    end += 1;
                }
                PackedValue::Int(text.get(start..end)?.parse().ok()?)
            }
        });
        match bytes.get(end)? {
            b',' => end += 1,
            _ => break,
        }
    }
    (text.get(end..) == Some("]") && values.len() == count).then_some(values)
}

/// A type that a value of a packed row can be read as. `text` is the text of the row.
pub(crate) trait FromPacked: Sized {
    fn from_packed(value: &PackedValue, text: &str) -> Option<Self>;
}

impl FromPacked for i64 {
    fn from_packed(value: &PackedValue, _: &str) -> Option<Self> {
        match value {
            PackedValue::Int(number) => Some(*number),
            PackedValue::Null | PackedValue::Text(_) => None,
        }
    }
}

impl FromPacked for bool {
    fn from_packed(value: &PackedValue, _: &str) -> Option<Self> {
        match value {
            PackedValue::Int(number) => Some(*number != 0),
            PackedValue::Null | PackedValue::Text(_) => None,
        }
    }
}

impl FromPacked for String {
    fn from_packed(value: &PackedValue, text: &str) -> Option<Self> {
        let PackedValue::Text(range) = value else { return None };
        let quoted = text.get(range.clone())?;
        match quoted.contains('\\') {
            true => serde_json::from_str(quoted).ok(),
            false => quoted.get(1..quoted.len() - 1).map(str::to_owned),
        }
    }
}

/// JSON has no bytes, so that they cannot be packed.
impl FromPacked for Vec<u8> {
    fn from_packed(_: &PackedValue, _: &str) -> Option<Self> {
        None
    }
}

impl<T: FromPacked> FromPacked for Option<T> {
    fn from_packed(value: &PackedValue, text: &str) -> Option<Self> {
        match value {
            PackedValue::Null => Some(None),
            PackedValue::Int(_) | PackedValue::Text(_) => T::from_packed(value, text).map(Some),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::row::FromRow as _;

    use super::*;
    use crate::engine::row::Row;
    use crate::{Address, Config, Store};

    #[derive(Debug, PartialEq, macros::FromRow)]
    struct Mixed {
        number: i64,
        missing: Option<String>,
        is_set: bool,
        comment: String,
        plain: Option<String>,
    }

    fn row(text: &str, names: &[&'static str]) -> Result<PackedRow, Error> {
        PackedRow::new(text.to_owned(), names.into())
    }

    #[test]
    fn a_list_of_columns_is_split_at_its_own_commas() {
        let list = "i.id, cast(null as text) as boundary,\n    coalesce((select max(h.at) from h), i.at) as updated_at, name";
        let expected = [
            ("i.id", "id"),
            ("cast(null as text)", "boundary"),
            ("coalesce((select max(h.at) from h), i.at)", "updated_at"),
            ("name", "name"),
        ];
        assert_eq!(split_columns(list), expected);
    }

    #[test]
    fn values_are_read_by_name_in_any_order() {
        let names = ["number", "missing", "is_set", "comment", "plain"];
        let text = r#"[-9223372036854775808,null,1,"say \"hello\"\n[1,2], \u0007 é","site, 4]"]"#;
        let packed = row(text, &names).unwrap();
        assert_eq!(packed.get::<String>("plain").unwrap(), "site, 4]");
        assert_eq!(packed.get::<Option<i64>>("number").unwrap(), Some(i64::MIN));
        let mixed = Mixed::from_row(&Row::Packed(packed)).unwrap();
        let comment = "say \"hello\"\n[1,2], \u{7} é".to_owned();
        let plain = Some("site, 4]".to_owned());
        assert_eq!(mixed, Mixed { number: i64::MIN, missing: None, is_set: true, comment, plain });
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let packed = row(r#"[1,null,"two",""]"#, &["one", "none", "two", "empty"]).unwrap();
        assert!(matches!(packed.get::<i64>("three"), Err(Error::Engine(sqlx::Error::ColumnNotFound(_)))));
        assert!(packed.get::<i64>("none").is_err() && packed.get::<String>("one").is_err());
        assert!(packed.get::<i64>("two").is_err() && packed.get::<Vec<u8>>("two").is_err());
        assert_eq!(packed.get::<String>("empty").unwrap(), "");
        for text in [
            "", "[", "[]", "[1", "[1,2", "[1,2]]", "[1,2],", "[1,2,3]", "[1]", "[1,\"2]", "[1,2.5]", "[1,nul",
        ] {
            assert!(row(text, &["one", "two"]).is_err(), "{text}");
        }
    }

    #[tokio::test]
    async fn sqlite_returns_the_same_packed_and_column_by_column() {
        const COLUMNS: &str = "7 as number, cast(null as text) as missing, 1 = 1 as is_set,
            'say \"' || char(10, 233, 92) || '\"' as comment, 'x' as plain";
        let config = Config {
            url: String::new(),
            max_connections: 2,
            max_connections_per_brand: 2,
            max_connections_per_caller: 2,
            acquire_timeout_s: 20,
            statement_timeout_s: 60,
            pg_bin_dir: std::path::PathBuf::new(),
        };
        let folder = testbed::temporary_folder();
        let address = Address::Sqlite(folder.path().join("keepclear.db"));
        let (store, _) = Store::open(&address, &config).await.unwrap();
        let mut tx = store.read().await.unwrap();
        let packed = tx.select(&[COLUMNS]);
        assert!(packed.text.starts_with("select json_array(7, cast(null as text), "), "{}", packed.text);
        let packed: Vec<Mixed> = tx.all(packed).await.unwrap();
        let plain: Vec<Mixed> = tx.all(sql!("select ").push(COLUMNS)).await.unwrap();
        assert_eq!(packed, plain);
        assert_eq!(packed[0].comment, "say \"\né\\\"");
        drop(tx);
        store.close().await;
    }
}
