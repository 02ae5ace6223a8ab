//! How a question is answered: the rows it asks for are found chunk by chunk, told apart by small numbers, and added up.
//!
//! 1. `conditions` passes by the chunks whose summary says that nothing in them is asked for; `select` picks rows of the others.
//! 2. `space` and `keys` make one number of what a row is grouped by: dense if there are few, hashed otherwise (`grouper`).
//! 3. `totals`, `distinct` and `percentile` measure; `roll` makes coarser groupings of finer ones.
//! 4. `arrange` brings the groups into the order that was asked for.

mod accumulator;
mod axis;
mod block;
mod budget;
mod code_set;
mod conditions;
mod distinct;
mod figure;
mod group_results;
mod group_sorter;
mod grouper;
mod index_selection;
mod kernels;
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

/// What answering takes besides the facts.
#[derive(Clone, Copy)]
pub struct ScanContext<'a> {
    /// The threads that scan.
    pub pool: &'a rayon::ThreadPool,
    /// The kinds of worksites, machines and people.
    pub attributes: &'a Attributes,
    /// How much memory groups and counters may take.
    pub max_memory_bytes: usize,
    /// Whether whoever asked has gone; looked at before each chunk.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl std::fmt::Debug for ScanContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scan").field("memory_bytes", &self.max_memory_bytes).finish_non_exhaustive()
    }
}

/// Answers a question of what a snapshot holds.
pub(crate) fn run(snapshot: &Snapshot, question: &Question, scan: &ScanContext<'_>) -> Result<Answer, Error> {
    plan::Plan::new(snapshot, question, scan)?.execute()
}
