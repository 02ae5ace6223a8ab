//! The value of the query parameter for the cells of a pivot.

use domain::Invalid;

/// The form of the cells of a pivot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CellFormat {
    /// Arrays of value, numerator, denominator and reason.
    #[default]
    Compact,
    /// Objects with a member for each.
    Objects,
}

impl CellFormat {
    pub const ALL: [Self; 2] = [Self::Compact, Self::Objects];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Compact => "compact",
            Self::Objects => "objects",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|format| format.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_format", "must be compact or objects"))
    }
}
