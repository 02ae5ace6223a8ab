//! What a rule has one firing each for.

use crate::Invalid;
use crate::insights::Dimension;

/// What a rule has one firing each for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AlertSplit {
    /// One firing for all together.
    None,
    Project,
    Worksite,
    Machine,
    BaseStation,
    /// The person on foot, the wearer of a tag, or the visitor.
    Person,
    Tag,
    /// A machine and a person on foot.
    Pair,
}

impl AlertSplit {
    pub const ALL: [Self; 8] = [
        Self::None,
        Self::Project,
        Self::Worksite,
        Self::Machine,
        Self::BaseStation,
        Self::Person,
        Self::Tag,
        Self::Pair,
    ];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Project => "project",
            Self::Worksite => "worksite",
            Self::Machine => "machine",
            Self::BaseStation => "base_station",
            Self::Person => "person",
            Self::Tag => "tag",
            Self::Pair => "pair",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|split| split.as_str() == text);
        found.ok_or_else(|| {
            let words = Self::ALL.map(Self::as_str).join(", ");
            Invalid::new("invalid_split", format!("must be one of {words}"))
        })
    }

    /// Returns the dimensions by which facts are grouped for it.
    pub const fn dimensions(self) -> &'static [Dimension] {
        match self {
            Self::None => &[],
            Self::Project => &[Dimension::Project],
            Self::Worksite => &[Dimension::Worksite],
            Self::Machine => &[Dimension::Machine],
            Self::BaseStation => &[Dimension::BaseStation],
            Self::Person => &[Dimension::Pedestrian],
            Self::Tag => &[Dimension::Tag],
            Self::Pair => &[Dimension::Machine, Dimension::Pedestrian],
        }
    }
}

/// Which split of a rule: its ids, in the order of the split's dimensions; empty for `none`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SplitKey(Vec<i64>);

/// What the key of a firing begins with whose person was erased.
const ERASED: &str = "erased:";

impl SplitKey {
    pub fn new(ids: Vec<i64>) -> Self {
        Self(ids)
    }

    pub fn ids(&self) -> &[i64] {
        &self.0
    }

    /// Writes the ids with colons between them.
    pub fn to_text(&self) -> String {
        self.0.iter().map(i64::to_string).collect::<Vec<_>>().join(":")
    }

    /// Reads what [`SplitKey::to_text`] writes. The key of a firing whose person was erased has no ids.
    pub fn parse_stored(text: &str) -> Result<Self, Invalid> {
        if text.is_empty() || text.starts_with(ERASED) {
            return Ok(Self(Vec::new()));
        }
        let ids = text.split(':').map(str::parse::<i64>).collect::<Result<Vec<_>, _>>();
        ids.map(Self).map_err(|_| Invalid::new("invalid_split", "must be ids with colons between them"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_both_ways() {
        for split in AlertSplit::ALL {
            assert_eq!(AlertSplit::parse(split.as_str()), Ok(split));
        }
        for bad in ["", "zone", "Machine", "operator"] {
            let code = AlertSplit::parse(bad).map_err(|invalid| invalid.code);
            assert_eq!(code, Err("invalid_split"), "{bad}");
        }
    }

    #[test]
    fn keys_of_splits_go_both_ways() {
        for (ids, text) in [(vec![], ""), (vec![7], "7"), (vec![5, 7], "5:7")] {
            let key = SplitKey::new(ids);
            assert_eq!((key.to_text().as_str(), SplitKey::parse_stored(text)), (text, Ok(key.clone())));
        }
        assert_eq!(SplitKey::parse_stored("erased:9"), Ok(SplitKey::new(Vec::new())));
        for bad in [":", "5:", "x", "5:x", "5,7", " 5"] {
            assert!(SplitKey::parse_stored(bad).is_err(), "{bad}");
        }
    }
}
