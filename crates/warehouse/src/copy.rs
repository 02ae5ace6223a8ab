//! The names of a copy's tables.

use domain::BrandId;

/// A copy of the facts of a brand. A copy that is made anew gets another token, so that a process that still writes the one before, because
/// it does not know yet, never writes into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CopyId {
    pub brand: BrandId,
    /// Random.
    pub token: u64,
}

/// The tables that a copy has on each node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FactTable {
    Incursions,
    Runtime,
}

/// All tables in the order in which they are created. What a node says that it holds is created last and dropped first.
const TABLES: [&str; 3] = ["incursions", "runtime", "applied"];

impl FactTable {
    pub const ALL: [Self; 2] = [Self::Incursions, Self::Runtime];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Incursions => TABLES[0],
            Self::Runtime => TABLES[1],
        }
    }
}

impl CopyId {
    pub fn table(self, of: FactTable) -> String {
        self.named(of.as_str())
    }

    /// Returns the name of the table that says what a node holds.
    pub(crate) fn applied_table(self) -> String {
        self.named(TABLES[2])
    }

    /// Returns the names of all tables, in the order in which they are created.
    pub(crate) fn tables(self) -> [String; 3] {
        TABLES.map(|table| self.named(table))
    }

    fn named(self, table: &str) -> String {
        format!("b{}_{:016x}_{table}", self.brand, self.token)
    }

    /// Reads the copy from the name of one of its tables.
    pub(crate) fn of_table(name: &str) -> Option<Self> {
        let (brand, rest) = name.strip_prefix('b')?.split_once('_')?;
        let (token, table) = rest.split_once('_')?;
        let copy = Self { brand: BrandId(brand.parse().ok()?), token: u64::from_str_radix(token, 16).ok()? };
        (TABLES.contains(&table) && copy.named(table) == name).then_some(copy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways() {
        let copy = CopyId { brand: BrandId(12), token: 0xAB };
        assert_eq!(copy.table(FactTable::Incursions), "b12_00000000000000ab_incursions");
        for name in copy.tables() {
            assert_eq!(CopyId::of_table(&name), Some(copy));
        }
        for other in
            ["", "b12", "b12_ab_incursions", "b12_00000000000000AB_runtime", "b12_00000000000000ab_other"]
        {
            assert_eq!(CopyId::of_table(other), None, "{other}");
        }
    }
}
