//! Parses pages of integer rows that the engine packed into one text, for reading millions of rows.
//!
//! A row fetched separately costs an allocation per column, a hand-over between threads and a lookup per column name: on
//! SQLite more than eight microseconds of CPU time for an incursion. Packed into one text per page it costs two and a half.

use domain::row::FromRow;

use crate::Error;
use crate::engine::row::Row;

/// Stands for null. It is neither a valid id nor a possible time of a fact.
pub(super) const NULL_SENTINEL: i64 = i64::MIN;

/// A type that is read from the numbers of a packed row.
pub(super) trait Unpack: Sized {
    fn unpack(numbers: &mut PackedRow<'_>) -> Result<Self, Error>;
}

/// The numbers of one row that are still to be read.
pub(super) struct PackedRow<'a>(&'a [u8]);

impl PackedRow<'_> {
    /// Returns the next number, which must be present.
    pub fn next(&mut self) -> Result<i64, Error> {
        let end = self.0.iter().position(|byte| *byte == b',').unwrap_or(self.0.len());
        let (number, rest) = self.0.split_at(end);
        self.0 = rest.get(1..).unwrap_or_default();
        parse(number)
            .ok_or_else(|| Error::Unusable("a packed row has a value that is not a number".to_owned()))
    }

    /// Returns the next number, or none if it is the null sentinel.
    pub fn optional<T>(&mut self, make: fn(i64) -> T) -> Result<Option<T>, Error> {
        self.next().map(|number| (number != NULL_SENTINEL).then(|| make(number)))
    }
}

/// Parses digits with an optional minus sign. It accumulates downwards, because `i64::MIN` has no positive counterpart.
fn parse(text: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let mut negated: i64 = 0;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        negated = negated.checked_mul(10)?.checked_sub(i64::from(digit))?;
    }
    match (digits, is_negative) {
        ([], _) => None,
        (_, true) => Some(negated),
        (_, false) => negated.checked_neg(),
    }
}

/// A page of rows: commas between numbers, semicolons between rows, null if there are no rows.
pub(super) struct Packed<T>(pub Vec<T>);

impl<T: Unpack> FromRow<Row> for Packed<T> {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let text: Option<String> = row.get("page")?;
        let text = text.unwrap_or_default();
        let rows = text.as_bytes().split(|byte| *byte == b';').filter(|row| !row.is_empty());
        let rows: Result<Vec<T>, Error> = rows.map(|row| T::unpack(&mut PackedRow(row))).collect();
        rows.map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_up_to_their_ends() {
        for number in [0, 7, -7, 1_772_366_400_500_000, i64::MAX, i64::MIN] {
            assert_eq!(parse(number.to_string().as_bytes()), Some(number));
        }
        for bad in ["", "-", "1.5", " 1", "+1", "9223372036854775808", "-9223372036854775809", "x"] {
            assert_eq!(parse(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn a_row_that_is_too_short_is_refused() {
        let mut numbers = PackedRow(b"1,-9223372036854775808,3");
        assert_eq!(numbers.next().ok(), Some(1));
        assert_eq!(numbers.optional(|number| number).ok(), Some(None));
        assert_eq!(numbers.optional(|number| number).ok(), Some(Some(3)));
        assert!(numbers.next().is_err());
    }
}
