//! Pages of a list that can be read forwards and backwards: after a row, or before one.

use crate::Cursor;

/// The position of a page in its list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowPosition {
    Start,
    /// The page that follows this row.
    After(Cursor),
    /// The page that precedes this row.
    Before(Cursor),
}

/// The page of a list that a caller requests.
#[derive(Clone, Debug)]
pub struct Window {
    /// Maximum number of rows.
    pub size: u16,
    pub position: WindowPosition,
}

/// A page of a list, in the list's order whichever way it was read.
#[derive(Clone, Debug)]
pub struct Slice<T> {
    pub rows: Vec<T>,
    /// Cursor of the previous page, or none on the first page.
    pub previous: Option<Cursor>,
    /// Cursor of the next page, or none on the last page.
    pub next: Option<Cursor>,
}

impl<T> Slice<T> {
    /// A page without rows and without adjacent pages.
    pub fn empty() -> Self {
        Self { rows: Vec::new(), previous: None, next: None }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    #[default]
    Ascending,
    Descending,
}

/// The sort key of registry records. Records with equal keys are sorted by id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortKey {
    /// The name without regard to case and accents; the serial of a device.
    #[default]
    Name,
    CreatedAt,
    /// The time of the last change. A record can move while a client reads the list.
    UpdatedAt,
    /// The beginning of what the record describes: of an assignment, of a visit.
    StartedAt,
    /// The version of the registry at the last change.
    RegistryVersion,
    Id,
}

/// The order of a list: by one key or several, each in its own direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sorting {
    keys: [Option<(SortKey, Direction)>; Self::MAX_KEYS],
}

impl Sorting {
    pub const MAX_KEYS: usize = 4;

    pub const fn by(key: SortKey, direction: Direction) -> Self {
        let mut keys = [None; Self::MAX_KEYS];
        keys[0] = Some((key, direction));
        Self { keys }
    }

    /// Adds a key for the records that are equal by the earlier ones. Returns none if the key is already used or there are
    /// [`Self::MAX_KEYS`] of them.
    pub fn then_by(mut self, key: SortKey, direction: Direction) -> Option<Self> {
        if self.keys().any(|(used, _)| used == key) {
            return None;
        }
        *self.keys.iter_mut().find(|place| place.is_none())? = Some((key, direction));
        Some(self)
    }

    /// The same order with the id in place of the name, for those who may not see names.
    pub fn without_names(self) -> Self {
        let replaced = |(key, direction)| match key {
            SortKey::Name => (SortKey::Id, direction),
            other => (other, direction),
        };
        Self { keys: self.keys.map(|place| place.map(replaced)) }
    }

    pub fn keys(&self) -> impl Iterator<Item = (SortKey, Direction)> + '_ {
        self.keys.iter().flatten().copied()
    }
}

/// By name.
impl Default for Sorting {
    fn default() -> Self {
        Self::by(SortKey::Name, Direction::Ascending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_sorted_by_each_key_once() {
        let by_name = Sorting::default();
        assert_eq!(by_name.then_by(SortKey::Name, Direction::Descending), None);
        let both = by_name.then_by(SortKey::CreatedAt, Direction::Descending).unwrap();
        let keys: Vec<_> = both.keys().collect();
        assert_eq!(
            keys,
            [(SortKey::Name, Direction::Ascending), (SortKey::CreatedAt, Direction::Descending)]
        );
    }
}
