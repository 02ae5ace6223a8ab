//! Pages of a list that can be read forwards and backwards: after a row, or before one.

use domain::{Cursor, Direction, PageRequest, Slice, SortKey, Sorting, Timestamp, Window, WindowPosition};

use crate::Error;
use crate::engine::page::{CursorCodec as _, limit_plus_one};
use crate::engine::statement::{Statement, Value};

/// The columns that a list can be sorted by.
pub(crate) struct SortColumns {
    pub id: &'static str,
    pub name_key: &'static str,
    pub created_at: &'static str,
    pub updated_at: &'static str,
}

/// The columns of a statement over one table.
pub(crate) const OWN_COLUMNS: SortColumns =
    SortColumns { id: "id", name_key: "name_key", created_at: "created_at", updated_at: "updated_at" };

impl SortColumns {
    fn key(&self, key: SortKey) -> &'static str {
        match key {
            SortKey::Name => self.name_key,
            SortKey::CreatedAt => self.created_at,
            SortKey::UpdatedAt => self.updated_at,
        }
    }
}

/// A row of a list that can be sorted by any [`SortKey`].
pub(crate) trait Sorted {
    fn id(&self) -> i64;
    fn name_key(&self) -> &str;
    fn created_at(&self) -> Timestamp;
    fn updated_at(&self) -> Timestamp;

    fn cursor(&self, list: &str, key: SortKey) -> Cursor {
        match key {
            SortKey::Name => Cursor::new(list, self.name_key(), self.id()),
            SortKey::CreatedAt => Cursor::new(list, &self.created_at().micros().to_string(), self.id()),
            SortKey::UpdatedAt => Cursor::new(list, &self.updated_at().micros().to_string(), self.id()),
        }
    }
}

/// Appends the cursor condition, the order and a limit of one row more than requested. Backwards, the rows come in reverse order;
/// [`into_slice`] reverses them again.
///
/// `list` identifies the list with its sort order and filters; a cursor of another list is an error.
pub(crate) fn apply_window(
    mut statement: Statement,
    columns: &SortColumns,
    sorting: Sorting,
    list: &str,
    window: &Window,
) -> Result<Statement, Error> {
    let (cursor, backwards) = match &window.position {
        WindowPosition::Start => (None, false),
        WindowPosition::After(cursor) => (Some(cursor), false),
        WindowPosition::Before(cursor) => (Some(cursor), true),
    };
    let rising = (sorting.direction == Direction::Ascending) != backwards;
    let (key, id) = (columns.key(sorting.key), columns.id);
    if let Some(cursor) = cursor {
        let (text, number) = cursor.decode(list).ok_or(Error::InvalidCursor)?;
        let value: Value = match sorting.key {
            SortKey::Name => text.into(),
            SortKey::CreatedAt | SortKey::UpdatedAt => {
                text.parse::<i64>().map_err(|_| Error::InvalidCursor)?.into()
            }
        };
        let beyond = if rising { ") > ($?, $?)" } else { ") < ($?, $?)" };
        statement = statement.push(" and (").push(key).push(", ").push(id);
        statement = statement.push_with(beyond, [value, number.into()]);
    }
    let (first, second) = if rising { (", ", "") } else { (" desc, ", " desc") };
    let statement = statement.push(" order by ").push(key).push(first).push(id).push(second);
    Ok(limit_plus_one(statement, &PageRequest { limit: window.size, after: None }))
}

/// Removes the extra row, restores the list's order and makes the cursors of the adjacent pages.
pub(crate) fn into_slice<T: Sorted>(
    mut rows: Vec<T>,
    sorting: Sorting,
    list: &str,
    window: &Window,
) -> Slice<T> {
    let more = rows.len() > usize::from(window.size);
    rows.truncate(usize::from(window.size));
    let (has_previous, has_next) = match window.position {
        WindowPosition::Start => (false, more),
        // The client has a cursor of a row there, so a previous page exists, or did.
        WindowPosition::After(_) => (true, more),
        WindowPosition::Before(_) => {
            rows.reverse();
            (more, true)
        }
    };
    let place = |row: &T| row.cursor(list, sorting.key);
    let previous = rows.first().filter(|_| has_previous).map(place);
    let next = rows.last().filter(|_| has_next).map(place);
    Slice { rows, previous, next }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::statement::sql;

    struct Numbered(i64);

    impl Sorted for Numbered {
        fn id(&self) -> i64 {
            self.0
        }

        fn name_key(&self) -> &'static str {
            "same"
        }

        fn created_at(&self) -> Timestamp {
            Timestamp::from_micros(self.0 / 2)
        }

        fn updated_at(&self) -> Timestamp {
            self.created_at()
        }
    }

    fn text(sorting: Sorting, place: WindowPosition) -> Result<String, Error> {
        let window = Window { size: 7, position: place };
        apply_window(sql!("select 1"), &OWN_COLUMNS, sorting, "list", &window).map(|statement| statement.text)
    }

    #[test]
    fn backwards_is_the_other_way_round() {
        let falling = Sorting { key: SortKey::CreatedAt, direction: Direction::Descending };
        let cursor = || Cursor::new("list", "12", 3);
        assert_eq!(
            text(falling, WindowPosition::After(cursor())).unwrap(),
            "select 1 and (created_at, id) < ($1, $2) order by created_at desc, id desc limit $3"
        );
        assert_eq!(
            text(falling, WindowPosition::Before(cursor())).unwrap(),
            "select 1 and (created_at, id) > ($1, $2) order by created_at, id limit $3"
        );
        let named = Sorting::default();
        assert_eq!(text(named, WindowPosition::Start).unwrap(), "select 1 order by name_key, id limit $1");
        assert_eq!(
            text(named, WindowPosition::Before(cursor())).unwrap(),
            "select 1 and (name_key, id) < ($1, $2) order by name_key desc, id desc limit $3"
        );
    }

    #[test]
    fn a_key_that_is_no_time_is_refused_where_times_are_sorted_by() {
        let by_time = Sorting { key: SortKey::UpdatedAt, ..Sorting::default() };
        let forged = WindowPosition::After(Cursor::new("list", "noon", 3));
        assert!(matches!(text(by_time, forged), Err(Error::InvalidCursor)));
        let foreign = WindowPosition::Before(Cursor::new("another list", "12", 3));
        assert!(matches!(text(by_time, foreign), Err(Error::InvalidCursor)));
    }

    #[test]
    fn pages_to_both_sides_are_told_as_far_as_they_are_there() {
        let sides = |place: WindowPosition, rows: &[i64]| {
            let window = Window { size: 2, position: place };
            let rows = rows.iter().copied().map(Numbered).collect();
            let slice = into_slice(rows, Sorting::default(), "list", &window);
            let ids: Vec<_> = slice.rows.iter().map(|row| row.0).collect();
            let id =
                |cursor: Option<Cursor>| cursor.and_then(|cursor| cursor.decode("list")).map(|(_, id)| id);
            (ids, id(slice.previous), id(slice.next))
        };
        let cursor = || Cursor::new("list", "same", 9);
        assert_eq!(sides(WindowPosition::Start, &[1, 2]), (vec![1, 2], None, None));
        assert_eq!(sides(WindowPosition::Start, &[1, 2, 3]), (vec![1, 2], None, Some(2)));
        assert_eq!(sides(WindowPosition::After(cursor()), &[3, 4, 5]), (vec![3, 4], Some(3), Some(4)));
        assert_eq!(sides(WindowPosition::After(cursor()), &[3]), (vec![3], Some(3), None));
        assert_eq!(sides(WindowPosition::Before(cursor()), &[8, 7, 6]), (vec![7, 8], Some(7), Some(8)));
        assert_eq!(sides(WindowPosition::Before(cursor()), &[8]), (vec![8], None, Some(8)));
        assert_eq!(sides(WindowPosition::After(cursor()), &[]), (vec![], None, None));
    }
}
