//! A number for all rows of a table that does not depend on the order they come in, nor on the engine.
//!
//! Each row is a line of text, hashed by itself, and the hashes are added up. So a table can be read in whatever order is cheap, by
//! anyone who can make the same lines: from either engine, or from a dump that no server has read.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// How many rows a table has, and a number for all of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableChecksum {
    /// How many.
    pub rows: u64,
    /// SHA-256 over the columns' names, the count, and the sum of the rows' own SHA-256, in hexadecimal digits.
    pub sha256: String,
}

/// The sum of a table on its way.
#[derive(Default)]
pub(crate) struct TableHasher {
    rows: u64,
    /// Modulo 2^256, the lowest part first.
    total: [u64; 4],
}

impl TableHasher {
    /// Adds a row, and tells how many there are now.
    pub fn add(&mut self, line: &[u8]) -> u64 {
        let hash = Sha256::digest(line);
        let mut carry = false;
        for (part, bytes) in self.total.iter_mut().zip(hash.chunks_exact(8)) {
            let mut added = [0; 8];
            added.copy_from_slice(bytes);
            let (sum, over) = part.overflowing_add(u64::from_le_bytes(added));
            let (sum, over_again) = sum.overflowing_add(u64::from(carry));
            (*part, carry) = (sum, over || over_again);
        }
        self.rows += 1;
        self.rows
    }

    /// The sum of a table with these columns, in the order of their names.
    pub fn finish<'a>(self, columns: impl Iterator<Item = &'a str>) -> TableChecksum {
        let mut hash = Sha256::new();
        for column in columns {
            hash.update(column);
            hash.update(b",");
        }
        hash.update(self.rows.to_le_bytes());
        for part in self.total {
            hash.update(part.to_le_bytes());
        }
        TableChecksum { rows: self.rows, sha256: hexadecimal(&hash.finalize()) }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(lines: &[&str]) -> TableChecksum {
        let mut sum = TableHasher::default();
        for line in lines {
            sum.add(line.as_bytes());
        }
        sum.finish(["id", "name"].into_iter())
    }

    #[test]
    fn a_sum_depends_on_the_rows_and_not_on_their_order() {
        let lines = ["i1,t1:a", "i2,t1:b", "i3,n"];
        assert_eq!(sum(&lines), sum(&["i3,n", "i1,t1:a", "i2,t1:b"]));
        assert_eq!(sum(&lines).rows, 3);
        for other in [&lines[..2], &["i1,t1:a", "i2,t1:b", "i3,t0:"], &[&lines[..], &lines[..]].concat()] {
            assert_ne!(sum(&lines).sha256, sum(other).sha256);
        }
        // The same twice is not the same as nothing.
        assert_ne!(sum(&["i1,n", "i1,n"]).sha256, sum(&[]).sha256);
    }

    #[test]
    fn carries_reach_the_highest_part() {
        let mut high = TableHasher { rows: 0, total: [u64::MAX; 4] };
        high.add(b"x");
        let mut low = TableHasher::default();
        low.add(b"x");
        // One less, modulo 2^256.
        let (mut borrowed, mut total) = (true, low.total);
        for part in &mut total {
            let (less, under) = part.overflowing_sub(u64::from(borrowed));
            (*part, borrowed) = (less, under);
        }
        assert_eq!(high.total, total);
    }
}
