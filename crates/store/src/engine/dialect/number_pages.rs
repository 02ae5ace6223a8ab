//! Pages of integers, for reading millions of rows as cheaply as each engine can give them away.
//!
//! PostgreSQL sends a page as a binary `copy`. SQLite's rows are stepped through here and put into the same format, on a connection that
//! goes around sqlx: that passes each value from a thread of its own, which takes as long as reading several rows
//! (docs/decisions/0091-column-building.md). No page is decoded here: it is a piece of memory, which any thread can take apart.

use std::path::Path;
use std::time::Duration;

use futures_util::TryStreamExt;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::Error;
use crate::engine::statement::{Statement, Value};
use crate::engine::tx::{Inner, Tx};

/// The beginning of a binary `copy`; its flags and the length of a header extension follow, each in four bytes.
const COPY_SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0";
const COPY_HEADER_BYTES: usize = COPY_SIGNATURE.len() + 8;
/// What stands instead of the length of a number that is null.
const NULL_LENGTH: i32 = -1;
/// What stands instead of the number of columns after the last row.
const COPY_END: i16 = -1;
/// The bytes of a number that is not null.
const NUMBER_BYTES: i32 = 8;
/// Time that a page of SQLite waits while another process has locked the whole database, as at the end of its last connection.
const SQLITE_BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The rows of a page, in the format of `copy … (format binary)`. All numbers have eight bytes.
#[derive(Debug)]
pub(crate) struct NumberPage(Vec<u8>);

#[macros::boxed]
impl Tx {
    /// Reads a page in a snapshot, or on SQLite in one of its own. The columns are expressions that are integers. `rows` is what follows
    /// `from`: a table with the alias `f`, conditions, the order and a limit. Its values are integers.
    pub(crate) async fn number_page(
        &mut self,
        columns: &'static [&'static str],
        rows: Statement,
    ) -> Result<NumberPage, Error> {
        self.count_statement()?;
        let limit = self.statement_limit;
        let copied = match &mut *self.inner {
            Inner::SqliteSnapshot(snapshot) => {
                let path = snapshot.path.clone();
                let page = tokio::task::spawn_blocking(move || read_sqlite_page(&path, columns, &rows));
                return page.await.map_err(|error| Error::Unusable(error.to_string()))?;
            }
            Inner::PostgresSnapshot(transaction) => {
                let text = copy_text(columns, &rows)?;
                // A copy that the server refuses, or whose caller goes away, leaves answers behind that nobody has read: they would be
                // taken for those of the next statement. Only after a whole copy is the connection used again.
                transaction.discard_connection();
                let copied = limit.apply(async {
                    let mut bytes: Vec<u8> = Vec::new();
                    let mut pieces = transaction.copy_out_raw(&text).await?;
                    while let Some(piece) = pieces.try_next().await? {
                        bytes.extend_from_slice(&piece);
                    }
                    Ok(bytes)
                });
                let copied = copied.await;
                if copied.is_ok() {
                    transaction.keep_connection();
                }
                copied
            }
            _ => return Err(Error::Unusable("a page of numbers is read in a snapshot".to_owned())),
        };
        self.checked(copied).map(NumberPage)
    }
}

/// Returns the statement that selects the columns of a page.
fn select_text(columns: &[&str], rows: &str) -> String {
    format!("select {} from {rows}", columns.join(", "))
}

/// Returns the text of a `copy`, which has no placeholders. The values are written into it, which is safe because they are integers.
fn copy_text(columns: &[&str], rows: &Statement) -> Result<String, Error> {
    let mut text = rows.text.clone();
    // From the last, because `$1` is the beginning of `$10`.
    for (index, number) in integers(&rows.values)?.into_iter().enumerate().rev() {
        text = text.replace(&format!("${}", index + 1), &format!("'{number}'::bigint"));
    }
    Ok(format!("copy ({}) to stdout (format binary)", select_text(columns, &text)))
}

fn integers(values: &[Value]) -> Result<Vec<i64>, Error> {
    let integer = |value: &Value| match value {
        Value::Int(Some(number)) => Ok(*number),
        _ => Err(Error::Unusable("a value of a page of numbers is not an integer".to_owned())),
    };
    values.iter().map(integer).collect()
}

/// Reads a page of SQLite on a connection for this page alone. Once begun, a page is read to its end, even if nobody waits for it any more.
fn read_sqlite_page(path: &Path, columns: &[&str], rows: &Statement) -> Result<NumberPage, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(SQLITE_BUSY_TIMEOUT)?;
    let mut statement = connection.prepare(&select_text(columns, &rows.text))?;
    for (index, number) in integers(&rows.values)?.into_iter().enumerate() {
        statement.raw_bind_parameter(format!("${}", index + 1).as_str(), number)?;
    }
    let mut bytes = [COPY_SIGNATURE, &[0; 8]].concat();
    let count = i16::try_from(columns.len()).map_err(|_| bad_page())?.to_be_bytes();
    let mut found = statement.raw_query();
    while let Some(row) = found.next()? {
        bytes.extend_from_slice(&count);
        for column in 0..columns.len() {
            match row.get_ref(column)? {
                ValueRef::Integer(number) => {
                    bytes.extend_from_slice(&NUMBER_BYTES.to_be_bytes());
                    bytes.extend_from_slice(&number.to_be_bytes());
                }
                ValueRef::Null => bytes.extend_from_slice(&NULL_LENGTH.to_be_bytes()),
                _ => return Err(bad_page()),
            }
        }
    }
    bytes.extend_from_slice(&COPY_END.to_be_bytes());
    Ok(NumberPage(bytes))
}

impl NumberPage {
    /// Reads the rows, each of that many columns.
    pub fn decode<T>(
        &self,
        columns: usize,
        read: impl Fn(&mut Numbers<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let after_signature = self.0.strip_prefix(COPY_SIGNATURE).ok_or_else(bad_page)?;
        let extension =
            after_signature.get(4..8).and_then(|length| length.try_into().ok()).ok_or_else(bad_page)?;
        let extension = usize::try_from(i32::from_be_bytes(extension)).map_err(|_| bad_page())?;
        let mut rest = self.0.get(COPY_HEADER_BYTES + extension..).ok_or_else(bad_page)?;
        let mut rows = Vec::with_capacity(rest.len() / (2 + columns * 12));
        loop {
            let (count, others) = rest.split_first_chunk::<2>().ok_or_else(bad_page)?;
            match i16::from_be_bytes(*count) {
                COPY_END => return Ok(rows),
                count if usize::try_from(count).ok() == Some(columns) => {}
                _ => return Err(bad_page()),
            }
            let mut numbers = Numbers(others);
            rows.push(read(&mut numbers)?);
            rest = numbers.0;
        }
    }
}

/// The numbers of a page that are still to be read.
pub(crate) struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    /// Returns the next number, which must be present.
    pub fn next(&mut self) -> Result<i64, Error> {
        self.optional()?.ok_or_else(bad_page)
    }

    /// Returns the next number, or none if it is null.
    pub fn optional(&mut self) -> Result<Option<i64>, Error> {
        let (length, rest) = self.0.split_first_chunk::<4>().ok_or_else(bad_page)?;
        match i32::from_be_bytes(*length) {
            NULL_LENGTH => {
                self.0 = rest;
                Ok(None)
            }
            NUMBER_BYTES => {
                let (number, rest) = rest.split_first_chunk::<8>().ok_or_else(bad_page)?;
                self.0 = rest;
                Ok(Some(i64::from_be_bytes(*number)))
            }
            _ => Err(bad_page()),
        }
    }
}

fn bad_page() -> Error {
    Error::Unusable("a page of numbers is not what its statement selects".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::statement::sql;

    fn pairs(page: &NumberPage) -> Result<Vec<(i64, Option<i64>)>, Error> {
        page.decode(2, |numbers| Ok((numbers.next()?, numbers.optional()?)))
    }

    fn copy(rows: &[&[Option<i64>]]) -> Vec<u8> {
        let mut bytes = [COPY_SIGNATURE, &[0; 8]].concat();
        for row in rows {
            bytes.extend(i16::try_from(row.len()).unwrap().to_be_bytes());
            for number in *row {
                match number {
                    Some(number) => {
                        bytes.extend([&8_i32.to_be_bytes()[..], &number.to_be_bytes()[..]].concat());
                    }
                    None => bytes.extend((-1_i32).to_be_bytes()),
                }
            }
        }
        bytes.extend((-1_i16).to_be_bytes());
        bytes
    }

    const NUMBERS: [(i64, Option<i64>); 4] =
        [(7, None), (i64::MIN, Some(-3)), (1_772_366_400_500_000, Some(i64::MAX)), (0, Some(0))];

    #[test]
    fn a_copy_has_the_numbers_that_were_sent() {
        let rows = NUMBERS.map(|(one, other)| [Some(one), other]);
        let rows: Vec<&[Option<i64>]> = rows.iter().map(|row| &row[..]).collect();
        assert_eq!(pairs(&NumberPage(copy(&rows))).unwrap(), NUMBERS);
        assert_eq!(pairs(&NumberPage(copy(&[]))).unwrap(), []);
    }

    #[test]
    fn rows_of_sqlite_are_put_into_the_same_format() {
        let folder = testbed::temporary_folder();
        let path = folder.path().join("numbers.db");
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("create table numbers (place integer, one integer, other)").unwrap();
        for (place, (one, other)) in (0_i64..).zip(NUMBERS) {
            connection.execute("insert into numbers values (?1, ?2, ?3)", (place, one, other)).unwrap();
        }
        let read = |from: i64, limit: i64| {
            let rows = sql!("numbers f where f.place >= $1 order by f.place limit $2", from, limit);
            read_sqlite_page(&path, &["f.one", "f.other"], &rows)
        };
        assert_eq!(pairs(&read(i64::MIN, i64::MAX).unwrap()).unwrap(), NUMBERS);
        assert_eq!(pairs(&read(1, 2).unwrap()).unwrap(), NUMBERS[1..3]);
        assert_eq!(pairs(&read(4, 1).unwrap()).unwrap(), []);
        connection.execute_batch("insert into numbers values (9, 1, 'text')").unwrap();
        assert!(matches!(read(9, 1), Err(Error::Unusable(_))));
        assert!(read_sqlite_page(&path, &["f.one"], &sql!("numbers f where f.place = $1", "x")).is_err());
    }

    #[test]
    fn a_page_of_sqlite_writes_nothing_and_says_why_it_cannot_be_read() {
        let folder = testbed::temporary_folder();
        let missing = folder.path().join("missing.db");
        let page = |path: &Path| read_sqlite_page(path, &["1"], &sql!("(select 1) f"));
        assert!(matches!(page(&missing), Err(Error::Storage(fault)) if !fault.is_full));
        assert!(!missing.exists());
        let other = folder.path().join("other.db");
        std::fs::write(&other, [b'x'; 4_096]).unwrap();
        let refused = read_sqlite_page(&other, &["f.id"], &sql!("facts f"));
        assert!(
            matches!(&refused, Err(Error::Unusable(reason)) if reason.contains("not a database")),
            "{refused:?}"
        );
    }

    #[test]
    fn a_page_of_another_form_is_refused() {
        let whole = copy(&[&[Some(1), Some(2)]]);
        for length in 0..whole.len() {
            assert!(pairs(&NumberPage(whole[..length].to_vec())).is_err(), "{length}");
        }
        assert!(pairs(&NumberPage(copy(&[&[Some(1)]]))).is_err());
        assert!(pairs(&NumberPage(copy(&[&[None, Some(1)]]))).is_err());
    }

    #[test]
    fn a_copy_has_its_values_in_its_text() {
        let columns = ["f.id", "f.cell"];
        let values = (1..=10_i64).chain([-4]).map(Value::from);
        let rows = sql!("facts f where f.id in ").push_list(values);
        let text = copy_text(&columns, &rows).unwrap();
        assert!(text.starts_with("copy (select f.id, f.cell from facts f where f.id in ('1'::bigint, '2'::"));
        assert!(text.ends_with(", '10'::bigint, '-4'::bigint)) to stdout (format binary)"), "{text}");
        assert!(copy_text(&columns, &sql!("facts f where f.uid = $1", "x")).is_err());
    }
}
