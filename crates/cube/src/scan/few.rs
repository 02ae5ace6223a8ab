//! Few rows of a chunk, known from the order of its codes without a look at the others.

use std::ops::Range;

use super::conditions::{Checks, Conditions, Facts};
use super::members::Members;
use super::select::SPARSE;
use crate::dictionary::Link;
use crate::storage::Chunk;

/// The most codes whose rows are looked up one by one.
const MOST_CODES: usize = 64;

/// The rows of a chunk that a list of members has.
pub(super) struct Few<'a> {
    pub runs: Vec<&'a [u16]>,
    /// Of those who drive, if it does not matter whether they do or walk. Some of these may be among the others.
    pub driving: Vec<&'a [u16]>,
    /// What has to be looked at still.
    pub checks: Checks,
}

impl<'a> Few<'a> {
    /// Those of the list that has the fewest, if they are few of the rows in a range.
    pub fn find(
        chunk: &'a Chunk,
        within: Range<usize>,
        conditions: &Conditions,
        checks: Checks,
    ) -> Option<Self> {
        if conditions.facts != Facts::Incursions {
            return None;
        }
        let runs = |link, members| runs(chunk, &within, link, members);
        let lists = conditions.members.iter().enumerate();
        let of_lists = lists.filter(|(place, _)| checks.has_members(*place)).filter_map(|(place, list)| {
            let rest = Checks { members: checks.members & !(1 << place), ..checks };
            Some(Self { runs: runs(list.0, &list.1)?, driving: Vec::new(), checks: rest })
        });
        let people = conditions.people.as_ref().filter(|_| checks.people);
        let of_people = people.and_then(|people| {
            let (on_foot, driving) = (runs(Link::Pedestrian, people)?, runs(Link::Operator, people)?);
            Some(Self { runs: on_foot, driving, checks: Checks { people: false, ..checks } })
        });
        let best = of_lists.chain(of_people).min_by_key(Self::count)?;
        (best.count() <= within.len() / SPARSE).then_some(best)
    }

    fn count(&self) -> usize {
        self.runs.iter().chain(&self.driving).map(|run| run.len()).sum()
    }
}

/// The rows that have these codes, if they are known.
fn runs<'a>(
    chunk: &'a Chunk,
    within: &Range<usize>,
    link: Link,
    members: &Members,
) -> Option<Vec<&'a [u16]>> {
    if members.codes.len() > MOST_CODES {
        return None;
    }
    let order = chunk.order(link)?;
    let run = |code: &u32| {
        let rows = order.rows(*code);
        let place = |row: usize| rows.partition_point(|own| usize::from(*own) < row);
        &rows[place(within.start)..place(within.end)]
    };
    Some(members.codes.iter().map(run).collect())
}
