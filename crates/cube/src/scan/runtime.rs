//! How long machines ran, by group.

use super::budget::Budget;
use super::drive::Parts;
use super::found::Found;
use super::grouper::{Counting, Grouper, Groups};
use super::keys::Numbered;
use super::space::Space;
use crate::{Error, Scan};

/// What a thread adds up for one grouping.
struct Sums<'a> {
    grouper: Grouper<'a>,
    pieces: Vec<u32>,
    millis: Vec<i64>,
}

/// Adds runtime to what was found of groupings.
pub(super) fn add(
    ways: &mut [(&Space, Counting, &mut Found)],
    parts: &Parts,
    first_day: i64,
    scan: &Scan<'_>,
    budget: &Budget,
) -> Result<(), Error> {
    let kinds: Vec<(&Space, Counting)> =
        ways.iter().map(|(space, counting, _)| (*space, *counting)).collect();
    let make = || {
        let of = |(space, counting): &(&Space, Counting)| {
            let size = if let Counting::Dense(size) = counting { *size } else { 0 };
            let grouper = Grouper::new(space, *counting, first_day);
            Ok(Sums { grouper, pieces: budget.zeroed(size)?, millis: budget.zeroed(size)? })
        };
        kinds.iter().map(of).collect::<Result<Vec<_>, Error>>()
    };
    let states = parts.drive(scan, make, |all, block| {
        for sums in all {
            let (groups, met) = sums.grouper.group(block, budget)?;
            if met > sums.pieces.len() {
                budget.take(met * 2 * 12)?;
                sums.pieces.resize(met * 2, 0);
                sums.millis.resize(met * 2, 0);
            }
            block.each(|place, row| {
                let group = match groups {
                    Numbered::Same(group) => group,
                    Numbered::Each(groups) => groups[place],
                } as usize;
                sums.pieces[group] += 1;
                sums.millis[group] += parts.conditions.runtime_ms(block, row);
            });
        }
        Ok(())
    })?;
    for (_, _, found) in ways.iter_mut() {
        found.runtime = Some(Default::default());
    }
    for state in states {
        for ((_, counting, found), sums) in ways.iter_mut().zip(state) {
            let groups = sums.grouper.into_groups(*counting);
            let of = |group: usize| {
                (sums.pieces.get(group).copied().unwrap_or(0), sums.millis.get(group).copied())
            };
            for group in 0..groups.len() {
                let (pieces, Some(millis)) = of(group) else { continue };
                if pieces == 0 {
                    continue;
                }
                let own = match &groups {
                    Groups::Dense(_) => group,
                    hashed => found.groups.meet(hashed.number(group), budget)?,
                };
                found.totals.fit(own + 1, budget)?;
                let (all_pieces, all_millis) = found.runtime.get_or_insert_default();
                if all_pieces.len() <= own {
                    let len = own.max(found.groups.len() - 1) + 1;
                    budget.take((len - all_pieces.len()) * 12)?;
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
