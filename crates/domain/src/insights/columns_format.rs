//! The format of saved columns.

/// A version of the files of saved columns and of their manifest. Files of each version have names of their own, and a manifest of their own,
/// so that hosts of two versions leave each other's alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnsFormat(u32);

impl ColumnsFormat {
    /// Files in Arrow's IPC format, which the version before this one writes. They are not read any more, only cleaned up in the end.
    pub const ARROW: Self = Self(2);
    /// The format that is written and read.
    pub const CURRENT: Self = Self(3);
    /// The formats whose names and manifests are known. Files of others belong to newer programs.
    pub const KNOWN: [Self; 2] = [Self::ARROW, Self::CURRENT];

    pub const fn number(self) -> u32 {
        self.0
    }

    /// Returns the format with this number, if it is known.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::KNOWN.into_iter().find(|format| format.0 == number)
    }
}
