//! Keyset pagination with opaque cursors that are bound to the list, its sort order and its filters.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::{Cursor, Page, PageRequest};
use sha2::{Digest, Sha256};

use crate::Error;
use crate::engine::statement::Statement;

/// Makes cursors and reads them. Everyone else sees only their text.
pub trait CursorCodec: Sized {
    /// The position of a row, given by its sort key and its id. `list` identifies the list with its sort order and filters.
    fn new(list: &str, key: &str, id: i64) -> Self;

    /// Returns the sort key and the id of the row, or none if the cursor belongs to another list.
    fn decode(&self, list: &str) -> Option<(String, i64)>;

    /// A position that consists of a number only.
    fn from_number(list: &str, place: i64) -> Self {
        Self::new(list, "", place)
    }

    /// Returns the number of such a position, or none if the cursor belongs to another list.
    fn number(&self, list: &str) -> Option<i64> {
        self.decode(list).map(|(_, place)| place)
    }
}

impl CursorCodec for Cursor {
    fn new(list: &str, key: &str, id: i64) -> Self {
        let plain = format!("{}{id}:{key}", binding(list));
        Self::from_encoded(BASE64_URL_SAFE_NO_PAD.encode(plain))
    }

    fn decode(&self, list: &str) -> Option<(String, i64)> {
        let plain = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(self.as_str()).ok()?).ok()?;
        let (id, key) = plain.strip_prefix(&binding(list))?.split_once(':')?;
        // A client could forge a key. A NUL is the one character that PostgreSQL does not accept in a text.
        (!key.contains('\0')).then_some((key.to_owned(), id.parse().ok()?))
    }
}

/// Returns twelve characters that differ between lists, sort orders and filters.
fn binding(list: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(&Sha256::digest(list)[..9])
}

/// A row of a list that is sorted by a folded key and then by id.
pub(crate) trait Keyed {
    fn key(&self) -> (&str, i64);
}

/// Appends the cursor condition, the order and a limit of one row more than requested, for a list sorted by `name_key, id`.
///
/// `list` identifies the list with its sort order and filters; a cursor of another list is an error.
pub(crate) fn order_by_name(
    statement: Statement,
    list: &str,
    page: &PageRequest,
) -> Result<Statement, Error> {
    let order = (" and (name_key, id) > ($?, $?)", " order by name_key, id");
    order_by_key(statement, order, list, page)
}

/// The same for any list sorted by a folded key and then by id.
pub(crate) fn order_by_key(
    mut statement: Statement,
    (after, order): (&'static str, &'static str),
    list: &str,
    page: &PageRequest,
) -> Result<Statement, Error> {
    if let Some(cursor) = &page.after {
        let (key, id) = cursor.decode(list).ok_or(Error::InvalidCursor)?;
        statement = statement.push_with(after, [key.into(), id.into()]);
    }
    Ok(limit_plus_one(statement.push(order), page))
}

/// The same for a list sorted by `id` alone.
pub(crate) fn order_by_id(
    mut statement: Statement,
    (before, order): (&'static str, &'static str),
    list: &str,
    page: &PageRequest,
) -> Result<Statement, Error> {
    if let Some(cursor) = &page.after {
        let (_, id) = cursor.decode(list).ok_or(Error::InvalidCursor)?;
        statement = statement.push_with(before, [id.into()]);
    }
    Ok(limit_plus_one(statement.push(order), page))
}

/// The same for a list sorted by a time and then by `id`, both descending.
pub(crate) fn order_by_time_desc(
    mut statement: Statement,
    (before, order): (&'static str, &'static str),
    list: &str,
    page: &PageRequest,
) -> Result<Statement, Error> {
    if let Some(cursor) = &page.after {
        let (at, id) = cursor.decode(list).ok_or(Error::InvalidCursor)?;
        let at: i64 = at.parse().map_err(|_| Error::InvalidCursor)?;
        statement = statement.push_with(before, [at.into(), id.into()]);
    }
    Ok(limit_plus_one(statement.push(order), page))
}

/// Appends the limit, one row more than requested. The usual limits are literals: with a parameter, PostgreSQL considers the generic
/// plan much more expensive and plans each execution again, which costs as much as reading the page.
pub(crate) fn limit_plus_one(statement: Statement, page: &PageRequest) -> Statement {
    match page.limit {
        50 => statement.push(" limit 51"),
        100 => statement.push(" limit 101"),
        500 => statement.push(" limit 501"),
        limit => statement.push_with(" limit $?", [(i64::from(limit) + 1).into()]),
    }
}

/// Removes the extra row and makes the cursor from the last row that remains.
pub(crate) fn into_page<T: Keyed>(rows: Vec<T>, list: &str, page: &PageRequest) -> Page<T> {
    into_page_by(rows, list, page, |row| {
        let (key, id) = row.key();
        (key.to_owned(), id)
    })
}

/// The same for a list that is not sorted by the key of its rows.
pub(crate) fn into_page_by<T>(
    mut rows: Vec<T>,
    list: &str,
    page: &PageRequest,
    key: impl Fn(&T) -> (String, i64),
) -> Page<T> {
    let more = rows.len() > usize::from(page.limit);
    rows.truncate(usize::from(page.limit));
    let next = rows.last().filter(|_| more).map(|row| {
        let (key, id) = key(row);
        Cursor::new(list, &key, id)
    });
    Page { rows, next }
}

/// Returns a `like` pattern, escaped with `!`, for folded keys that contain the folded `text`.
pub(crate) fn like_pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in domain::text::fold(text).chars() {
        if matches!(c, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

/// The result of `select count(*) as count`.
#[derive(macros::FromRow)]
pub(crate) struct Count(#[row(column = "count")] pub i64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_good_for_its_own_list_only() {
        let cursor = Cursor::new("people?kind=staff", "ada: the first", 7);
        assert_eq!(cursor.decode("people?kind=staff"), Some(("ada: the first".to_owned(), 7)));
        assert_eq!(cursor.decode("people?kind=visitor"), None);
        for junk in ["", "!", "AAAA", "é", &cursor.as_str()[1..]] {
            assert_eq!(Cursor::from_client(junk).decode("people?kind=staff"), None);
        }
    }
}
