//! Pages of a list that can be read forwards and backwards: after a row, or before one.

use domain::row::FromRow;
use domain::{Cursor, Direction, PageRequest, Slice, SortKey, Sorting, Timestamp, Window, WindowPosition};

use crate::Error;
use crate::engine::page::{CursorCodec as _, limit_plus_one};
use crate::engine::row::Row;
use crate::engine::statement::{Statement, Value};

/// Separates the keys of a cursor of a list that is sorted by several. Names and serials contain no control characters.
const KEY_SEPARATOR: char = '\u{1f}';

/// The columns that a list can be sorted by.
pub(crate) struct SortColumns {
    pub id: &'static str,
    pub name_key: &'static str,
    pub created_at: &'static str,
    pub updated_at: &'static str,
    /// The creation, for records that have no beginning of their own.
    pub started_at: &'static str,
    pub registry_version: &'static str,
}

/// The columns of a statement over one table.
pub(crate) const OWN_COLUMNS: SortColumns = SortColumns {
    id: "id",
    name_key: "name_key",
    created_at: "created_at",
    updated_at: "updated_at",
    started_at: "created_at",
    registry_version: "registry_version",
};

/// The columns of a statement with joins whose rows are those of the alias `d`.
pub(crate) const COLUMNS_OF_D: SortColumns = SortColumns {
    id: "d.id",
    name_key: "d.name_key",
    created_at: "d.created_at",
    updated_at: "d.updated_at",
    started_at: "d.created_at",
    registry_version: "d.registry_version",
};

impl SortColumns {
    fn key(&self, key: SortKey) -> &'static str {
        match key {
            SortKey::Name => self.name_key,
            SortKey::CreatedAt => self.created_at,
            SortKey::UpdatedAt => self.updated_at,
            SortKey::StartedAt => self.started_at,
            SortKey::RegistryVersion => self.registry_version,
            SortKey::Id => self.id,
        }
    }
}

/// A row of a list that can be sorted by any [`SortKey`].
pub(crate) trait Sorted {
    fn id(&self) -> i64;
    fn name_key(&self) -> &str;
    fn created_at(&self) -> Timestamp;
    fn updated_at(&self) -> Timestamp;

    fn started_at(&self) -> Timestamp {
        self.created_at()
    }

    /// 0 for rows that are not part of the registry.
    fn registry_version(&self) -> i64 {
        0
    }

    fn cursor(&self, list: &str, sorting: Sorting) -> Cursor {
        let mut text = String::new();
        for (index, (key, _)) in keys_before_id(sorting).enumerate() {
            if index > 0 {
                text.push(KEY_SEPARATOR);
            }
            let number = match key {
                SortKey::Name => {
                    text.push_str(self.name_key());
                    continue;
                }
                SortKey::CreatedAt => self.created_at().micros(),
                SortKey::UpdatedAt => self.updated_at().micros(),
                SortKey::StartedAt => self.started_at().micros(),
                SortKey::RegistryVersion => self.registry_version(),
                SortKey::Id => self.id(),
            };
            text.push_str(&number.to_string());
        }
        Cursor::new(list, &text, self.id())
    }
}

/// A row of the registry with the version of its last change. Its statement selects the column `registry_version`.
pub(crate) struct Versioned<T> {
    row: T,
    registry_version: i64,
}

impl<T: FromRow<Row>> FromRow<Row> for Versioned<T> {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self { registry_version: row.get("registry_version")?, row: T::from_row(row)? })
    }
}

impl<T: Sorted> Sorted for Versioned<T> {
    fn id(&self) -> i64 {
        self.row.id()
    }

    fn name_key(&self) -> &str {
        self.row.name_key()
    }

    fn created_at(&self) -> Timestamp {
        self.row.created_at()
    }

    fn updated_at(&self) -> Timestamp {
        self.row.updated_at()
    }

    fn started_at(&self) -> Timestamp {
        self.row.started_at()
    }

    fn registry_version(&self) -> i64 {
        self.registry_version
    }
}

/// Returns the keys that precede the id, which ends every order. After the id, nothing can be equal any more.
fn keys_before_id(sorting: Sorting) -> impl Iterator<Item = (SortKey, Direction)> {
    let keys: Vec<_> = sorting.keys().take_while(|(key, _)| *key != SortKey::Id).collect();
    keys.into_iter()
}

/// Returns the direction of the id: its own if the list is sorted by it, otherwise that of the last key.
fn direction_of_id(sorting: Sorting) -> Direction {
    let of_id = sorting.keys().find(|(key, _)| *key == SortKey::Id);
    of_id.or(sorting.keys().last()).map(|(_, direction)| direction).unwrap_or_default()
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
    let order = order_of(columns, sorting, window);
    let cursor = match &window.position {
        WindowPosition::Start => None,
        WindowPosition::After(cursor) | WindowPosition::Before(cursor) => Some(cursor),
    };
    if let Some(cursor) = cursor {
        let (text, id) = cursor.decode(list).ok_or(Error::InvalidCursor)?;
        let keys: Vec<SortKey> = keys_before_id(sorting).map(|(key, _)| key).collect();
        let mut values = key_values(&keys, &text)?;
        values.push(id.into());
        statement = and_beyond(statement, &order, values);
    }
    let statement = push_order(statement, &order);
    Ok(limit_plus_one(statement, &PageRequest { limit: window.size, after: None }))
}

/// Appends the order alone, for a statement that joins further tables to the rows of a window.
pub(crate) fn apply_order(
    statement: Statement,
    columns: &SortColumns,
    sorting: Sorting,
    window: &Window,
) -> Statement {
    push_order(statement, &order_of(columns, sorting, window))
}

/// Returns the columns that a window is read by, each with whether it rises.
fn order_of(columns: &SortColumns, sorting: Sorting, window: &Window) -> Vec<(&'static str, bool)> {
    let is_backwards = matches!(window.position, WindowPosition::Before(_));
    let rises = |direction: Direction| (direction == Direction::Ascending) != is_backwards;
    let mut order: Vec<(&'static str, bool)> =
        keys_before_id(sorting).map(|(key, direction)| (columns.key(key), rises(direction))).collect();
    order.push((columns.id, rises(direction_of_id(sorting))));
    order
}

fn push_order(mut statement: Statement, order: &[(&'static str, bool)]) -> Statement {
    statement = statement.push(" order by ");
    for (index, (column, rising)) in order.iter().copied().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        statement = statement.push(separator).push(column).push(if rising { "" } else { " desc" });
    }
    statement
}

/// Reads the keys of a cursor.
fn key_values(keys: &[SortKey], text: &str) -> Result<Vec<Value>, Error> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let texts: Vec<&str> = text.split(KEY_SEPARATOR).collect();
    if texts.len() != keys.len() {
        return Err(Error::InvalidCursor);
    }
    let value = |(key, text): (&SortKey, &str)| match key {
        SortKey::Name => Ok(Value::from(text)),
        _ => text.parse::<i64>().map(Value::from).map_err(|_| Error::InvalidCursor),
    };
    keys.iter().zip(texts).map(value).collect()
}

/// Appends the condition that a row comes after these values in the order.
fn and_beyond(mut statement: Statement, order: &[(&'static str, bool)], values: Vec<Value>) -> Statement {
    let Some(((first, rising), value)) = order.first().copied().zip(values.first().cloned()) else {
        return statement;
    };
    if order.iter().all(|(_, other)| *other == rising) {
        statement = statement.push(" and (");
        for (index, (column, _)) in order.iter().copied().enumerate() {
            statement = statement.push(if index == 0 { "" } else { ", " }).push(column);
        }
        return statement.push(if rising { ") > " } else { ") < " }).push_list(values);
    }
    // An index cannot be read from a position in the middle of mixed directions, but from the first key on.
    let from_first = if rising { " >= $?" } else { " <= $?" };
    statement = statement.push(" and ").push(first).push_with(from_first, [value]).push(" and (");
    let last = order.len() - 1;
    for (index, ((column, rising), value)) in order.iter().copied().zip(values).enumerate() {
        let beyond = if rising { " > $?" } else { " < $?" };
        statement = statement.push(column).push_with(beyond, [value.clone()]);
        if index < last {
            statement = statement.push(" or (").push(column).push_with(" = $? and (", [value]);
        }
    }
    for _ in 0..last {
        statement = statement.push("))");
    }
    statement.push(")")
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
    let place = |row: &T| row.cursor(list, sorting);
    let previous = rows.first().filter(|_| has_previous).map(place);
    let next = rows.last().filter(|_| has_next).map(place);
    Slice { rows, previous, next }
}

/// The same for rows of the registry.
pub(crate) fn into_registry_slice<T: Sorted>(
    rows: Vec<Versioned<T>>,
    sorting: Sorting,
    list: &str,
    window: &Window,
) -> Slice<T> {
    let Slice { rows, previous, next } = into_slice(rows, sorting, list, window);
    Slice { rows: rows.into_iter().map(|one| one.row).collect(), previous, next }
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
        let falling = Sorting::by(SortKey::CreatedAt, Direction::Descending);
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
    fn several_keys_are_compared_one_after_the_other() {
        let cursor = || WindowPosition::After(Cursor::new("list", "a\u{1f}12", 3));
        let rising = Sorting::default().then_by(SortKey::CreatedAt, Direction::Ascending).unwrap();
        assert_eq!(
            text(rising, cursor()).unwrap(),
            "select 1 and (name_key, created_at, id) > ($1, $2, $3) order by name_key, created_at, id limit $4"
        );
        let mixed = Sorting::default().then_by(SortKey::CreatedAt, Direction::Descending).unwrap();
        assert_eq!(
            text(mixed, cursor()).unwrap(),
            "select 1 and name_key >= $1 and (name_key > $2 or (name_key = $3 and (created_at < $4 or \
             (created_at = $5 and (id < $6))))) order by name_key, created_at desc, id desc limit $7"
        );
        let one_key = WindowPosition::After(Cursor::new("list", "a", 3));
        assert!(matches!(text(mixed, one_key), Err(Error::InvalidCursor)));
    }

    #[test]
    fn an_order_by_id_needs_no_other_key() {
        let newest_first = Sorting::by(SortKey::Id, Direction::Descending);
        let after = WindowPosition::After(Cursor::new("list", "", 3));
        assert_eq!(text(newest_first, after).unwrap(), "select 1 and (id) < ($1) order by id desc limit $2");
    }

    #[test]
    fn a_key_that_is_no_time_is_refused_where_times_are_sorted_by() {
        let by_time = Sorting::by(SortKey::UpdatedAt, Direction::Ascending);
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
