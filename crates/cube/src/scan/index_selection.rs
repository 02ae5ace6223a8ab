//! Selects rows of a chunk from its posting lists, without scanning the other rows.

use std::ops::Range;

use super::code_set::{CodeSet, SPARSE_DIVISOR};
use super::conditions::{Conditions, FactKind, ResidualChecks};
use crate::dictionary::Link;
use crate::storage::Chunk;

/// The maximum number of codes that are looked up.
const MAX_CODES: usize = 64;

/// The rows of a chunk that match a set of codes.
pub(super) struct IndexSelection<'a> {
    pub postings: Vec<&'a [u16]>,
    /// Rows by operator, if people may be pedestrians or operators. Some of them may be in the other list too.
    pub operator_postings: Vec<&'a [u16]>,
    /// The conditions that must still be checked.
    pub residual: ResidualChecks,
}

impl<'a> IndexSelection<'a> {
    /// Chooses the set with the fewest rows, if these are a small share of the rows in a range.
    pub fn choose(
        chunk: &'a Chunk,
        within: Range<usize>,
        conditions: &Conditions,
        checks: ResidualChecks,
    ) -> Option<Self> {
        if conditions.fact_kind != FactKind::Incursions {
            return None;
        }
        let runs = |link, members| postings(chunk, &within, link, members);
        let lists = conditions.code_sets.iter().enumerate();
        let of_lists =
            lists.filter(|(place, _)| checks.checks_code_set(*place)).filter_map(|(place, list)| {
                let rest = ResidualChecks { code_sets: checks.code_sets & !(1 << place), ..checks };
                Some(Self { postings: runs(list.0, &list.1)?, operator_postings: Vec::new(), residual: rest })
            });
        let people = conditions.people.as_ref().filter(|_| checks.people);
        let of_people = people.and_then(|people| {
            let (on_foot, driving) = (runs(Link::Pedestrian, people)?, runs(Link::Operator, people)?);
            Some(Self {
                postings: on_foot,
                operator_postings: driving,
                residual: ResidualChecks { people: false, ..checks },
            })
        });
        let best = of_lists.chain(of_people).min_by_key(Self::row_count)?;
        (best.row_count() <= within.len() / SPARSE_DIVISOR).then_some(best)
    }

    fn row_count(&self) -> usize {
        self.postings.iter().chain(&self.operator_postings).map(|run| run.len()).sum()
    }
}

/// Returns the rows with these codes, if posting lists exist.
fn postings<'a>(
    chunk: &'a Chunk,
    within: &Range<usize>,
    link: Link,
    members: &CodeSet,
) -> Option<Vec<&'a [u16]>> {
    if members.codes.len() > MAX_CODES {
        return None;
    }
    let order = chunk.posting_lists(link)?;
    let run = |code: &u32| {
        let rows = order.rows(*code);
        let place = |row: usize| rows.partition_point(|own| usize::from(*own) < row);
        &rows[place(within.start)..place(within.end)]
    };
    Some(members.codes.iter().map(run).collect())
}
