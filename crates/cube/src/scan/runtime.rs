//! Sums the runtime of machines by group.

use super::budget::MemoryBudget;
use super::group_results::GroupResults;
use super::grouper::{GroupNumbering, GroupSet, Grouper};
use super::key_space::KeySpace;
use super::keys::RowKeys;
use super::parallel_scan::CandidateParts;
use crate::{Error, ScanContext};

/// The sums of a thread for one grouping.
struct RuntimeSums<'a> {
    grouper: Grouper<'a>,
    pieces: Vec<u32>,
    runtime_ms: Vec<i64>,
}

/// Adds runtime to the results of groupings.
pub(super) fn add_runtime(
    groupings: &mut [(&KeySpace, GroupNumbering, &mut GroupResults)],
    parts: &CandidateParts,
    first_day: i64,
    scan: &ScanContext<'_>,
    budget: &MemoryBudget,
) -> Result<(), Error> {
    let kinds: Vec<(&KeySpace, GroupNumbering)> =
        groupings.iter().map(|(space, counting, _)| (*space, *counting)).collect();
    let make = || {
        let of = |(space, counting): &(&KeySpace, GroupNumbering)| {
            let size = if let GroupNumbering::Dense(size) = counting { *size } else { 0 };
            let grouper = Grouper::new(space, *counting, first_day);
            Ok(RuntimeSums { grouper, pieces: budget.zeroed(size)?, runtime_ms: budget.zeroed(size)? })
        };
        kinds.iter().map(of).collect::<Result<Vec<_>, Error>>()
    };
    let states = parts.parallel_scan(scan, make, |all, block| {
        for sums in all {
            let (groups, met) = sums.grouper.group(block, budget)?;
            if met > sums.pieces.len() {
                budget.reserve(met * 2 * 12)?;
                sums.pieces.resize(met * 2, 0);
                sums.runtime_ms.resize(met * 2, 0);
            }
            block.for_each_row(|place, row| {
                let group = match groups {
                    RowKeys::Same(group) => group,
                    RowKeys::Each(groups) => groups[place],
                } as usize;
                sums.pieces[group] += 1;
                sums.runtime_ms[group] += parts.conditions.runtime_ms(block, row);
            });
        }
        Ok(())
    })?;
    for (_, _, found) in groupings.iter_mut() {
        found.runtime = Some(Default::default());
    }
    for state in states {
        for ((_, counting, found), sums) in groupings.iter_mut().zip(state) {
            let groups = sums.grouper.into_groups(*counting);
            let of = |group: usize| {
                (sums.pieces.get(group).copied().unwrap_or(0), sums.runtime_ms.get(group).copied())
            };
            for group in 0..groups.len() {
                let (pieces, Some(millis)) = of(group) else { continue };
                if pieces == 0 {
                    continue;
                }
                let own = match &groups {
                    GroupSet::Dense(_) => group,
                    hashed => found.groups.get_or_insert(hashed.number(group), budget)?,
                };
                found.totals.reserve_groups(own + 1, budget)?;
                let (all_pieces, all_millis) = found.runtime.get_or_insert_default();
                if all_pieces.len() <= own {
                    let len = own.max(found.groups.len() - 1) + 1;
                    budget.reserve((len - all_pieces.len()) * 12)?;
                    all_pieces.resize(len, 0);
                    all_millis.resize(len, 0);
                }
                all_pieces[own] += pieces;
                all_millis[own] += millis;
            }
        }
    }
    Ok(())
}
