//! Pages of integers, for reading millions of rows as cheaply as each engine can give them away.
//!
//! SQLite joins a page into one text. PostgreSQL sends it as a binary `copy`, which costs it less than half of that text
//! (docs/decisions/0091-column-building.md). Neither is decoded here: a page is a piece of memory, which any thread can take apart.

use futures_util::TryStreamExt;

use crate::Error;
use crate::engine::statement::{Statement, Value, sql};
use crate::engine::tx::{Inner, Tx};

/// The beginning of a binary `copy`; its flags and the length of a header extension follow, each in four bytes.
const COPY_SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0";
const COPY_HEADER_BYTES: usize = COPY_SIGNATURE.len() + 8;
/// Numbers of fewer digits cannot overflow.
const MAX_PLAIN_DIGITS: usize = 18;

/// A column of a page: an expression that is an integer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NumberColumn {
    Always(&'static str),
    OrNull(&'static str),
}

impl NumberColumn {
    const fn expression(self) -> &'static str {
        match self {
            Self::Always(expression) | Self::OrNull(expression) => expression,
        }
    }
}

/// The rows of a page as the engine sent them.
#[derive(Debug)]
pub(crate) enum NumberPage {
    /// Commas between numbers, semicolons between rows, nothing for null.
    Text(String),
    /// The format of `copy … (format binary)`.
    Copy(Vec<u8>),
}

#[derive(macros::FromRow)]
struct TextPage(#[row(column = "page")] Option<String>);

#[macros::boxed]
impl Tx {
    /// Reads a page in a snapshot. `rows` is what follows `from`: a table with the alias `f`, conditions, the order and a limit. Its values
    /// are integers.
    pub(crate) async fn number_page(
        &mut self,
        columns: &'static [NumberColumn],
        rows: Statement,
    ) -> Result<NumberPage, Error> {
        if !self.is_postgres() {
            let TextPage(text) = self.one(text_statement(columns, rows)).await?;
            return Ok(NumberPage::Text(text.unwrap_or_default()));
        }
        self.count_statement()?;
        let (text, limit) = (copy_text(columns, &rows)?, self.statement_limit);
        let Inner::PostgresSnapshot(transaction) = &mut self.inner else {
            return Err(Error::Unusable("a page of numbers is read in a snapshot".to_owned()));
        };
        // A copy that the server refuses, or whose caller goes away, leaves answers behind that nobody has read: they would be taken for
        // those of the next statement. Only after a whole copy is the connection used again.
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
        self.checked(copied).map(NumberPage::Copy)
    }
}

/// Makes one text of a page. SQLite leaves the columns that are not named out of the inner query.
fn text_statement(columns: &[NumberColumn], rows: Statement) -> Statement {
    let mut head = sql!("select string_agg(concat_ws(','");
    for column in columns.iter().copied() {
        head = match column {
            NumberColumn::Always(expression) => head.push(", ").push(expression),
            // Null would leave out the comma, too.
            NumberColumn::OrNull(expression) => head.push(", coalesce(").push(expression).push(", '')"),
        };
    }
    head = head.push("), ';') as page from (select * from ");
    head.text.push_str(&rows.text);
    head.values = rows.values;
    head.push(") as f")
}

/// Returns the text of a `copy`, which has no placeholders. The values are written into it, which is safe because they are integers.
fn copy_text(columns: &[NumberColumn], rows: &Statement) -> Result<String, Error> {
    let mut text = rows.text.clone();
    // From the last, because `$1` is the beginning of `$10`.
    for (index, value) in rows.values.iter().enumerate().rev() {
        let Value::Int(Some(number)) = value else {
            return Err(Error::Unusable("a value of a page of numbers is not an integer".to_owned()));
        };
        text = text.replace(&format!("${}", index + 1), &format!("'{number}'::bigint"));
    }
    let list: Vec<&str> = columns.iter().map(|column| column.expression()).collect();
    Ok(format!("copy (select {} from {text}) to stdout (format binary)", list.join(", ")))
}

impl NumberPage {
    /// Reads the rows, each of that many columns.
    pub fn decode<T>(
        &self,
        columns: usize,
        read: impl Fn(&mut Numbers<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        match self {
            Self::Text(text) => decode_text(text, read),
            Self::Copy(bytes) => decode_copy(bytes, columns, read),
        }
    }
}

fn decode_text<T>(text: &str, read: impl Fn(&mut Numbers<'_>) -> Result<T, Error>) -> Result<Vec<T>, Error> {
    let mut rows = Vec::new();
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let mut numbers = Numbers::Text { rest, is_row_over: false };
        rows.push(read(&mut numbers)?);
        match numbers {
            Numbers::Text { rest: others, is_row_over: true } => rest = others,
            _ => return Err(bad_page()),
        }
    }
    Ok(rows)
}

fn decode_copy<T>(
    bytes: &[u8],
    columns: usize,
    read: impl Fn(&mut Numbers<'_>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let after_signature = bytes.strip_prefix(COPY_SIGNATURE).ok_or_else(bad_page)?;
    let extension =
        after_signature.get(4..8).and_then(|length| length.try_into().ok()).ok_or_else(bad_page)?;
    let extension = usize::try_from(i32::from_be_bytes(extension)).map_err(|_| bad_page())?;
    let mut rest = bytes.get(COPY_HEADER_BYTES + extension..).ok_or_else(bad_page)?;
    let mut rows = Vec::with_capacity(rest.len() / (2 + columns * 8));
    loop {
        let (count, others) = rest.split_first_chunk::<2>().ok_or_else(bad_page)?;
        match i16::from_be_bytes(*count) {
            -1 => return Ok(rows),
            count if usize::try_from(count).ok() == Some(columns) => {}
            _ => return Err(bad_page()),
        }
        let mut numbers = Numbers::Copy(others);
        rows.push(read(&mut numbers)?);
        let Numbers::Copy(others) = numbers else { return Err(bad_page()) };
        rest = others;
    }
}

/// The numbers of a page that are still to be read.
pub(crate) enum Numbers<'a> {
    Text {
        rest: &'a [u8],
        /// Whether the last number was the last of its row.
        is_row_over: bool,
    },
    Copy(&'a [u8]),
}

impl Numbers<'_> {
    /// Returns the next number, which must be present.
    pub fn next(&mut self) -> Result<i64, Error> {
        self.optional()?.ok_or_else(bad_page)
    }

    /// Returns the next number, or none if it is null.
    pub fn optional(&mut self) -> Result<Option<i64>, Error> {
        match self {
            Self::Text { rest, is_row_over } => {
                let (number, length) = parse(rest).filter(|_| !*is_row_over).ok_or_else(bad_page)?;
                *is_row_over = match rest.get(length) {
                    Some(b',') => false,
                    Some(b';') | None => true,
                    Some(_) => return Err(bad_page()),
                };
                *rest = rest.get(length + 1..).unwrap_or_default();
                Ok(number)
            }
            Self::Copy(rest) => {
                let (length, others) = rest.split_first_chunk::<4>().ok_or_else(bad_page)?;
                match i32::from_be_bytes(*length) {
                    -1 => {
                        *rest = others;
                        Ok(None)
                    }
                    8 => {
                        let (number, others) = others.split_first_chunk::<8>().ok_or_else(bad_page)?;
                        *rest = others;
                        Ok(Some(i64::from_be_bytes(*number)))
                    }
                    _ => Err(bad_page()),
                }
            }
        }
    }
}

/// Parses the digits at the beginning, with an optional minus sign, and returns the number with its length. No digits are null.
fn parse(text: &[u8]) -> Option<(Option<i64>, usize)> {
    let sign = usize::from(text.first() == Some(&b'-'));
    let mut length = sign;
    let mut number: i64 = 0;
    while let Some(digit) = text.get(length).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit <= 9) {
        number = number.wrapping_mul(10).wrapping_add(i64::from(digit));
        length += 1;
    }
    match length - sign {
        0 if sign == 0 => Some((None, 0)),
        0 => None,
        digits if digits <= MAX_PLAIN_DIGITS => {
            Some((Some(if sign == 1 { -number } else { number }), length))
        }
        _ => {
            let number = std::str::from_utf8(&text[..length]).ok()?.parse().ok()?;
            Some((Some(number), length))
        }
    }
}

fn bad_page() -> Error {
    Error::Unusable("a page of numbers is not what its statement selects".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn both_forms_of_a_page_have_the_same_numbers() {
        let expected =
            [(7, None), (i64::MIN, Some(-3)), (1_772_366_400_500_000, Some(i64::MAX)), (0, Some(0))];
        let rows: Vec<[Option<i64>; 2]> = expected.iter().map(|(one, other)| [Some(*one), *other]).collect();
        let rows: Vec<&[Option<i64>]> = rows.iter().map(|row| &row[..]).collect();
        let text = "7,;-9223372036854775808,-3;1772366400500000,9223372036854775807;0,0";
        assert_eq!(pairs(&NumberPage::Text(text.to_owned())).unwrap(), expected);
        assert_eq!(pairs(&NumberPage::Copy(copy(&rows))).unwrap(), expected);
        assert_eq!(pairs(&NumberPage::Text(String::new())).unwrap(), []);
        assert_eq!(pairs(&NumberPage::Copy(copy(&[]))).unwrap(), []);
    }

    #[test]
    fn a_page_of_another_form_is_refused() {
        for text in ["1,2,3", "1", "1,2;3", ",2", "1,x", "1,-", "1,99999999999999999999", "1 ,2"] {
            assert!(pairs(&NumberPage::Text(text.to_owned())).is_err(), "{text}");
        }
        let whole = copy(&[&[Some(1), Some(2)]]);
        for length in 0..whole.len() {
            assert!(pairs(&NumberPage::Copy(whole[..length].to_vec())).is_err(), "{length}");
        }
        assert!(pairs(&NumberPage::Copy(copy(&[&[Some(1)]]))).is_err());
        assert!(pairs(&NumberPage::Copy(copy(&[&[None, Some(1)]]))).is_err());
    }

    #[test]
    fn a_copy_has_its_values_in_its_text() {
        let columns = [NumberColumn::Always("f.id"), NumberColumn::OrNull("f.cell")];
        let values = (1..=10_i64).chain([-4]).map(Value::from);
        let rows = sql!("facts f where f.id in ").push_list(values);
        let text = copy_text(&columns, &rows).unwrap();
        assert!(text.starts_with("copy (select f.id, f.cell from facts f where f.id in ('1'::bigint, '2'::"));
        assert!(text.ends_with(", '10'::bigint, '-4'::bigint)) to stdout (format binary)"), "{text}");
        assert!(copy_text(&columns, &sql!("facts f where f.uid = $1", "x")).is_err());
        let text = text_statement(&columns, sql!("facts f where f.id = $1", 7)).text;
        let expected = "select string_agg(concat_ws(',', f.id, coalesce(f.cell, '')), ';') as page from \
            (select * from facts f where f.id = $1) as f";
        assert_eq!(text, expected);
    }
}
