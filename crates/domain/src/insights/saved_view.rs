//! Saved views: questions that are kept under a name.

use crate::Invalid;

/// What a saved view holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SavedViewKind {
    /// Measures by rows and columns, with a filter.
    Pivot,
    /// A filter alone.
    Filter,
}

impl SavedViewKind {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Pivot, Self::Filter];

    /// The word for it, in tables and answers alike.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pivot => "pivot",
            Self::Filter => "filter",
        }
    }

    /// Reads the word.
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
