//! Derives coarser groupings from finer ones by summing.

use super::budget::MemoryBudget;
use super::group_results::GroupResults;
use super::grouper::GroupNumbering;
use super::key_space::KeySpace;
use super::totals::NeededTotals;
use crate::Error;

/// Returns the results of a coarser grouping from those of a finer one.
pub(super) fn roll_up(
    fine: (&GroupResults, &KeySpace),
    coarse: (&KeySpace, GroupNumbering),
    axes: &[usize],
    needs: NeededTotals,
    budget: &MemoryBudget,
) -> Result<GroupResults, Error> {
    let ((found, fine), (coarse, counting)) = (fine, coarse);
    let mut rolled = GroupResults::new(counting, needs, budget)?;
    for group in 0..found.groups.len() {
        if found.count(group) == 0 {
            continue;
        }
        let number = found.groups.number(group);
        let place = |(axis, stride): (&usize, &u128)| u128::from(fine.axis_position(number, *axis)) * stride;
        let own = rolled.groups.get_or_insert(axes.iter().zip(&coarse.strides).map(place).sum(), budget)?;
        rolled.totals.reserve_groups(own + 1, budget)?;
        rolled.totals.add_group(own, &found.totals, group);
    }
    Ok(rolled)
}
