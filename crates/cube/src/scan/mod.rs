//! Answers a question: finds the matching rows chunk by chunk, numbers them by group, and aggregates them.
//!
//! 1. `conditions` skips the chunks whose summary shows that no row matches; `select` selects the rows of the others.
//! 2. `key_space` and `keys` turn the keys of a row into one number: dense if there are few groups, hashed otherwise (`grouper`).
//! 3. `totals`, `distinct` and `percentiles` aggregate; `rollup` derives coarser groupings from finer ones.
//! 4. `group_sorter` orders and limits the groups.

mod accumulator;
mod axis;
mod block;
mod budget;
mod code_set;
mod column_sums;
mod conditions;
mod distinct;
mod figure;
mod group_results;
mod group_sorter;
mod grouper;
mod index_selection;
mod kernels;
mod key_number;
mod key_space;
mod keys;
mod lanes;
mod packed;
mod parallel_scan;
mod percentiles;
mod plan;
mod radix_partitions;
mod rollup;
mod row_list;
mod runtime;
mod select;
mod totals;

use domain::insights::{Answer, Question};

use crate::{Attributes, Error, Snapshot};

/// The inputs of an answer besides the facts.
#[derive(Clone, Copy)]
pub struct ScanContext<'a> {
    /// The threads that scan.
    pub pool: &'a rayon::ThreadPool,
    pub attributes: &'a Attributes,
    /// The memory limit for groups and counters.
    pub max_memory_bytes: usize,
    /// Whether the caller has cancelled; checked before each chunk.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl std::fmt::Debug for ScanContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scan").field("memory_bytes", &self.max_memory_bytes).finish_non_exhaustive()
    }
}

impl Snapshot {
    pub fn answer(&self, question: &Question, scan: &ScanContext<'_>) -> Result<Answer, Error> {
        plan::Plan::new(self, question, scan)?.execute()
    }
}
