//! A checksum over all rows of a table that depends neither on the order of the rows nor on the engine.
//!
//! Each row is a line of text that is hashed by itself, and the hashes are added up. A table can therefore be read in whatever
//! order is cheapest, from either engine or from a dump without a server.

use domain::encode_hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The number of rows of a table and a checksum over all of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableChecksum {
    pub rows: u64,
    /// SHA-256 over the column names, the row count and the sum of the SHA-256 hashes of the rows, in hexadecimal.
    pub sha256: String,
}

/// Computes the checksum of a table row by row.
#[derive(Default)]
pub(crate) struct TableHasher {
    rows: u64,
    /// The sum modulo 2^256, least significant part first.
    total: [u64; 4],
}

impl TableHasher {
    /// Adds a row and returns the number of rows so far.
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

    /// Returns the checksum of a table with these columns, which must be in order of their names.
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
        TableChecksum { rows: self.rows, sha256: encode_hex(&hash.finalize()) }
    }
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
        // A row that occurs twice must not cancel itself out.
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
