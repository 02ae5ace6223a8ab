//! Reads an answer from the rows of a question's statements.

use std::collections::HashMap;

use domain::insights::{Answer, Dimension, Group, Grouping, Groups, Key};

use super::measures::Sums;
use super::{Sets, Translated, keys};
use crate::Error;
use crate::result_rows::ResultRow;

/// Some columns of a row.
type Columns<'a> = &'a [Option<i64>];

/// The rows of a statement by the number of their set, each with its keys and its sums.
struct RowsOfSets<'a> {
    sets: &'a Sets,
    rows: HashMap<i64, Vec<(Columns<'a>, Columns<'a>)>>,
}

impl<'a> RowsOfSets<'a> {
    fn new(sets: &'a Sets, rows: &'a [ResultRow], sums: usize) -> Result<Self, Error> {
        let mut by_set: HashMap<i64, Vec<(Columns<'a>, Columns<'a>)>> = HashMap::new();
        let keys = sets.dimensions.len();
        for row in rows {
            let (Some(Some(set)), true) = (row.first(), row.len() == 1 + keys + sums) else {
                return Err(Error::node("", "a row of an answer has other columns than the statement"));
            };
            by_set.entry(*set).or_default().push(row[1..].split_at(keys));
        }
        Ok(Self { sets, rows: by_set })
    }

    /// Returns the keys and the sums of the groups of a grouping.
    fn groups(&self, grouping: &Grouping) -> impl Iterator<Item = (Vec<Key>, Columns<'a>)> {
        let places: Vec<_> = grouping.dimensions.iter().map(|by| (*by, self.sets.place(*by))).collect();
        let rows = self.rows.get(&self.sets.mask(grouping)).map(Vec::as_slice).unwrap_or_default();
        rows.iter().map(move |(found, sums)| {
            let key = |(dimension, place): &(Dimension, usize)| {
                found.get(*place).copied().flatten().and_then(|number| keys::read(*dimension, number))
            };
            (places.iter().map(key).collect(), *sums)
        })
    }
}

pub(super) fn assemble(
    of: &Translated<'_>,
    incursions: &[ResultRow],
    runtime: &[ResultRow],
) -> Result<Answer, Error> {
    let incursions = RowsOfSets::new(&of.sets, incursions, of.sums.len())?;
    let runtime = match &of.runtime_sets {
        Some(sets) => Some(RowsOfSets::new(sets, runtime, 1)?),
        None => None,
    };
    let mut answer = Answer::default();
    for grouping in &of.question.groupings {
        let mut groups: Vec<(Vec<Key>, Sums)> =
            incursions.groups(grouping).map(|(keys, sums)| (keys, Sums::read(&of.sums, sums))).collect();
        // The total exists even if there are no facts.
        if grouping.dimensions.is_empty() && groups.is_empty() {
            groups.push((Vec::new(), Sums::default()));
        }
        if let Some(runtime) = runtime.as_ref().filter(|_| grouping.applies_to_runtime()) {
            add_runtime(&mut groups, runtime.groups(grouping));
        }
        if groups.len() > of.max_groups {
            return Err(Error::TooManyGroups);
        }
        let measures = &of.question.measures;
        let group = |(keys, sums): (Vec<Key>, Sums)| {
            let figures = measures.iter().map(|measure| sums.figure(*measure)).collect();
            Group { keys, figures }
        };
        let groups = groups.into_iter().map(group).collect();
        answer.groupings.push(Groups::sort_and_limit(groups, grouping, measures));
    }
    Ok(answer)
}

/// Adds the runtime of each group, which may have no incursions.
fn add_runtime<'a>(
    groups: &mut Vec<(Vec<Key>, Sums)>,
    runtime: impl Iterator<Item = (Vec<Key>, Columns<'a>)>,
) {
    for (_, sums) in groups.iter_mut() {
        sums.runtime_ms = Some(0);
    }
    let mut places: HashMap<Vec<Key>, usize> =
        groups.iter().enumerate().map(|(place, (keys, _))| (keys.clone(), place)).collect();
    for (keys, sums) in runtime {
        let place = *places.entry(keys).or_insert_with_key(|keys| {
            groups.push((keys.clone(), Sums::default()));
            groups.len() - 1
        });
        groups[place].1.runtime_ms = Some(sums.first().copied().flatten().unwrap_or(0));
    }
}
