//! Lists of the registry: in an order, or as the changes since a version of the registry.

use domain::{
    Cursor, Direction, Invalid, ListOrder, ListRequest, Listing, RegistryChanges, RegistryRows, Slice,
    SortKey, Sorting, VersionRange, Window, WindowPosition,
};
use store::{CursorCodec as _, DeparturePosition, DepartureRequest, Departures, Scope, Tx};

use crate::Error;

/// What a request for a list asks of the store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListQuery {
    pub sorting: Sorting,
    /// The versions whose changes are requested.
    changed: Option<VersionRange>,
}

impl ListQuery {
    /// Prepares the reading of a list. If changes are requested, the version of the registry is read before the rows: versions become
    /// visible in order, so that all changes up to it are present, and a row that changes later is returned by a later request.
    pub async fn new(tx: &mut Tx, scope: &Scope, request: &ListRequest) -> Result<Self, Error> {
        let after = match request.order {
            ListOrder::Sorted(sorting) => return Ok(Self { sorting, changed: None }),
            ListOrder::ChangedAfter(after) => after,
        };
        let up_to = tx.counters(scope).await?.registry_version;
        // A caller who is ahead of the brand followed another copy of it, and would silently miss the next changes.
        if after > up_to {
            let text = format!("is ahead of the last change, {up_to}; start again with 0");
            return Err(Error::bad_parameter("after_version", Invalid::new("out_of_range", text)));
        }
        Ok(Self {
            sorting: Sorting::by(SortKey::RegistryVersion, Direction::Ascending),
            changed: Some(VersionRange { after: if after == 0 { -1 } else { after }, up_to }),
        })
    }

    /// Returns the rows that the list covers.
    pub fn rows(&self, filtered: &RegistryRows) -> RegistryRows {
        RegistryRows { changed: self.changed, ..filtered.clone() }
    }

    /// Returns how far a page of changes reaches, in a list that nothing leaves. Before the last page, the caller continues with the
    /// cursor.
    pub fn changes<T>(&self, slice: &Slice<T>) -> Option<RegistryChanges> {
        let range = self.changed?;
        let is_last = slice.next.is_none();
        let version = if is_last { range.up_to } else { range.after.max(0) };
        Some(RegistryChanges { version, gone: is_last.then(Vec::new) })
    }
}

/// What a request for a list asks of the store if records can leave the list, because they are deleted or leave the projects of a
/// restricted caller. The pages of changes have the rows first and then the ids of the records that left, both up to the limit, so that
/// no page grows with their number.
#[derive(Clone, Debug)]
pub(crate) struct DepartingListQuery {
    query: ListQuery,
    /// The name of the list, to which cursors are bound.
    list: &'static str,
    /// The version since which the caller may have had records that left. A caller who starts from the beginning has none from before
    /// the first page.
    known_from: i64,
    place: Place,
    limit: u16,
}

/// How far the pages of a list have come.
#[derive(Clone, Debug)]
enum Place {
    Rows(Window),
    /// All rows have been returned, and these departures.
    Departures(DeparturePosition),
}

/// Begin the texts of cursors.
const ROWS: &str = "rows";
const DEPARTURES: &str = "departures";

impl DepartingListQuery {
    /// The same as [`ListQuery::new`].
    pub async fn new(
        tx: &mut Tx,
        scope: &Scope,
        request: &ListRequest,
        list: &'static str,
    ) -> Result<Self, Error> {
        let mut query = ListQuery::new(tx, scope, request).await?;
        let limit = request.window.size;
        let requested = Place::Rows(request.window.clone());
        let Some(range) = query.changed else {
            return Ok(Self { query, list, known_from: 0, place: requested, limit });
        };
        let (cursor, is_after) = match &request.window.position {
            WindowPosition::Start => {
                let known_from = if range.after < 0 { range.up_to } else { range.after };
                return Ok(Self { query, list, known_from, place: requested, limit });
            }
            WindowPosition::After(cursor) => (cursor, true),
            WindowPosition::Before(cursor) => (cursor, false),
        };
        let decoded = CursorOfChanges::decode(cursor, list, range).ok_or(store::Error::InvalidCursor)?;
        let place = match decoded.progress {
            Progress::Rows(row) => {
                let position =
                    if is_after { WindowPosition::After(row) } else { WindowPosition::Before(row) };
                Place::Rows(Window { size: limit, position })
            }
            Progress::Departures { up_to, last } if is_after => {
                // A row that has changed since the last page of rows is not among them.
                query.changed = Some(VersionRange { up_to, ..range });
                Place::Departures(last)
            }
            Progress::Departures { .. } => return Err(store::Error::InvalidCursor.into()),
        };
        Ok(Self { query, list, known_from: decoded.known_from, place, limit })
    }

    pub fn sorting(&self) -> Sorting {
        self.query.sorting
    }

    /// Returns the rows that the list covers.
    pub fn rows(&self, filtered: &RegistryRows) -> RegistryRows {
        self.query.rows(filtered)
    }

    /// Returns the page of rows to read, or none if all of them have been returned.
    pub fn window(&self) -> Option<&Window> {
        match &self.place {
            Place::Rows(window) => Some(window),
            Place::Departures(_) => None,
        }
    }

    /// Returns the departures to read, if changes are requested and all rows have been returned with this page.
    pub fn departures<T>(&self, slice: &Slice<T>) -> Option<DepartureRequest> {
        let VersionRange { up_to, .. } = self.query.changed.filter(|_| slice.next.is_none())?;
        let after = match self.place {
            Place::Rows(_) => None,
            Place::Departures(last) => Some(last),
        };
        let range = VersionRange { after: self.known_from, up_to };
        Some(DepartureRequest { range, after, limit: self.limit })
    }

    /// Builds the page from the rows, and from the departures if they were to be read.
    pub fn listing<T>(
        &self,
        slice: Slice<T>,
        total: Option<i64>,
        departures: Option<Departures>,
    ) -> Listing<T> {
        let Some(range) = self.query.changed else { return Listing::new(slice, total, None) };
        let Slice { rows, previous, next } = slice;
        let of_rows = |row: Cursor| self.cursor(range, Progress::Rows(row));
        let (next, gone) = match departures {
            None => (next.map(of_rows), None),
            Some(Departures { ids, next }) => {
                let of_departures = |last| Progress::Departures { up_to: range.up_to, last };
                (next.map(|last| self.cursor(range, of_departures(last))), Some(ids))
            }
        };
        let version = if next.is_none() { range.up_to } else { range.after.max(0) };
        let changes = Some(RegistryChanges { version, gone });
        Listing { rows, previous: previous.map(of_rows), next, total, changes }
    }

    fn cursor(&self, range: VersionRange, progress: Progress) -> Cursor {
        CursorOfChanges { known_from: self.known_from, progress }.encode(self.list, range)
    }
}

/// What the cursor of a page of changes contains.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CursorOfChanges {
    known_from: i64,
    progress: Progress,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Progress {
    /// The cursor of a row.
    Rows(Cursor),
    /// All rows up to a version have been returned, and the departures up to this one.
    Departures { up_to: i64, last: DeparturePosition },
}

impl CursorOfChanges {
    fn encode(&self, list: &str, range: VersionRange) -> Cursor {
        let text = match &self.progress {
            Progress::Rows(row) => format!("{ROWS} {}", row.as_str()),
            Progress::Departures { up_to, last: DeparturePosition { version, id } } => {
                format!("{DEPARTURES} {up_to} {version} {id}")
            }
        };
        Cursor::new(&binding(list, range), &text, self.known_from)
    }

    /// Returns none if the cursor belongs to another list.
    fn decode(cursor: &Cursor, list: &str, range: VersionRange) -> Option<Self> {
        let (text, known_from) = cursor.decode(&binding(list, range))?;
        let progress = match text.split_once(' ')? {
            (ROWS, row) => Progress::Rows(Cursor::from_client(row)),
            (DEPARTURES, numbers) => {
                let numbers =
                    numbers.split(' ').map(str::parse::<i64>).collect::<Result<Vec<_>, _>>().ok()?;
                let &[up_to, version, id] = numbers.as_slice() else { return None };
                // A client could forge it, and would then be led to versions that do not exist yet.
                if up_to > range.up_to {
                    return None;
                }
                Progress::Departures { up_to, last: DeparturePosition { version, id } }
            }
            _ => return None,
        };
        Some(Self { known_from, progress })
    }
}

fn binding(list: &str, range: VersionRange) -> String {
    format!("changes of {list} {range:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_of_changes_is_read_as_it_was_written() {
        let range = VersionRange { after: 7, up_to: 20 };
        let rows = CursorOfChanges { known_from: 7, progress: Progress::Rows(Cursor::from_client("abc")) };
        let last = DeparturePosition { version: 9, id: 31 };
        let departures =
            CursorOfChanges { known_from: 8, progress: Progress::Departures { up_to: 20, last } };
        for cursor in [rows, departures] {
            let text = cursor.encode("machines", range);
            assert_eq!(CursorOfChanges::decode(&text, "machines", range), Some(cursor));
            // The version rises from page to page, but the list stays the same.
            let later = VersionRange { up_to: 21, ..range };
            assert!(CursorOfChanges::decode(&text, "machines", later).is_some());
            assert_eq!(CursorOfChanges::decode(&text, "worksites", range), None);
            let other = VersionRange { after: 6, ..range };
            assert_eq!(CursorOfChanges::decode(&text, "machines", other), None);
        }
    }

    #[test]
    fn forged_cursors_of_changes_are_refused() {
        let range = VersionRange { after: 7, up_to: 20 };
        for text in ["", "rows", "departures", "departures 1 2", "departures 21 9 1", "departures 1 2 x"] {
            let forged = Cursor::new(&binding("machines", range), text, 7);
            assert_eq!(CursorOfChanges::decode(&forged, "machines", range), None, "{text}");
        }
        assert_eq!(CursorOfChanges::decode(&Cursor::from_client("x"), "machines", range), None);
    }
}
