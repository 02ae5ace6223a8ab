//! Saved views: questions stored under a name.

use crate::{ActorKind, Invalid, SavedViewId, Timestamp, UserId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SavedViewKind {
    /// Measures by rows and columns, with a filter.
    Pivot,
    /// A filter only.
    Filter,
}

impl SavedViewKind {
    pub const ALL: [Self; 2] = [Self::Pivot, Self::Filter];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pivot => "pivot",
            Self::Filter => "filter",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_kind", "must be one of pivot, filter"))
    }
}

#[derive(Clone, Debug, macros::FromRow)]
pub struct SavedView {
    pub id: SavedViewId,
    #[row(column = "owner_id")]
    pub owner: UserId,
    /// Whether the owner is a user or a service account.
    pub owner_kind: ActorKind,
    /// Unique among the views of the owner.
    pub name: String,
    pub kind: SavedViewKind,
    /// The question as JSON.
    pub definition: String,
    /// True if all users of the brand see it.
    pub shared: bool,
    /// Rises with every change; the `ETag`.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The folded name, by which lists are sorted.
    pub name_key: String,
}

#[derive(Clone, Debug, Default)]
pub struct SavedViewFilter {
    /// Only views with these ids; none means all views.
    pub ids: Option<Vec<i64>>,
    /// Only views of one of these kinds; empty means all.
    pub kinds: Vec<SavedViewKind>,
    /// Only views that are shared with the brand, or only those that are not.
    pub shared: Option<bool>,
    /// Only views whose name contains this, ignoring case and accents.
    pub q: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_both_ways() {
        for kind in SavedViewKind::ALL {
            assert_eq!(SavedViewKind::parse(kind.as_str()), Ok(kind));
        }
        assert!(SavedViewKind::parse("chart").is_err());
    }
}
