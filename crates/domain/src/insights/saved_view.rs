//! Saved views: questions stored under a name.

use crate::Invalid;

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
