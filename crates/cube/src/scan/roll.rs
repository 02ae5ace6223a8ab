//! Coarser groupings of finer ones: a subtotal is the sum of what it is a total of.

use super::budget::Budget;
use super::found::Found;
use super::grouper::Counting;
use super::space::Space;
use super::totals::Needs;
use crate::Error;

/// What a coarser grouping finds, of what a finer one has found.
pub(super) fn roll(
    fine: (&Found, &Space),
    coarse: (&Space, Counting),
    axes: &[usize],
    needs: Needs,
    budget: &Budget,
) -> Result<Found, Error> {
    let ((found, fine), (coarse, counting)) = (fine, coarse);
    let mut rolled = Found::new(counting, needs, budget)?;
    for group in 0..found.groups.len() {
        if found.count(group) == 0 {
            continue;
        }
        let number = found.groups.number(group);
        let place = |(axis, stride): (&usize, &u128)| u128::from(fine.place(number, *axis)) * stride;
        let own = rolled.groups.meet(axes.iter().zip(&coarse.strides).map(place).sum(), budget)?;
        rolled.totals.fit(own + 1, budget)?;
        rolled.totals.add_group(own, &found.totals, group);
    }
    Ok(rolled)
}
