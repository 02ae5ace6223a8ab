//! Rows of whole numbers as one text, for reading them by the million.
//!
//! A row that comes by itself costs an allocation for each column, a hand-over between threads and a search for each name: on
//! SQLite more than eight microseconds of processor time for an incursion. As one text for a page it costs two and a half.

use crate::Error;
use crate::engine::row::{FromRow, Row};

/// What stands for nothing: no id, and no time that anything happened at.
pub(super) const NULL_SENTINEL: i64 = i64::MIN;

/// What is made of the numbers of a row.
pub(super) trait Unpack: Sized {
    fn unpack(numbers: &mut PackedRow<'_>) -> Result<Self, Error>;
}

/// The numbers of one row, in their order.
pub(super) struct PackedRow<'a>(&'a [u8]);

impl PackedRow<'_> {
    /// The next number, which is there.
    pub fn next(&mut self) -> Result<i64, Error> {
        let end = self.0.iter().position(|byte| *byte == b',').unwrap_or(self.0.len());
        let (number, rest) = self.0.split_at(end);
        self.0 = rest.get(1..).unwrap_or_default();
        parse(number)
            .ok_or_else(|| Error::Unusable("a row of facts holds something that is no number".to_owned()))
    }

    /// The next number; none if it stands for nothing.
    pub fn optional<T>(&mut self, make: fn(i64) -> T) -> Result<Option<T>, Error> {
        self.next().map(|number| (number != NULL_SENTINEL).then(|| make(number)))
    }
}

/// Digits, perhaps with a sign: counted downwards, since there is one more number below 0 than above.
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

/// A page of rows: numbers with commas between them, rows with semicolons; no text if there is no row.
pub(super) struct Packed<T>(pub Vec<T>);

impl<T: Unpack> FromRow for Packed<T> {
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
