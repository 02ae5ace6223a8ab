//! The question that the cube and SQL answer, and its answer.

use std::cmp::Ordering;

use super::{Dimension, Figure, IncursionFilter, Measure};
use crate::{PeriodBound, ProjectId};

/// The facts to select, the groupings and the measures.
#[derive(Clone, Debug)]
pub struct Question {
    /// Start of the period; `None` for no lower bound.
    pub from: Option<PeriodBound>,
    /// End of the period; `None` for no upper bound.
    pub to: Option<PeriodBound>,
    /// Selects the facts; its own period is ignored.
    pub filter: IncursionFilter,
    /// The projects a restricted caller may see; facts out of scope are not counted.
    pub visible_projects: Option<Vec<ProjectId>>,
    pub measures: Vec<Measure>,
    /// Several groupings are computed from the same facts, such as a table with its subtotals and totals.
    pub groupings: Vec<Grouping>,
}

impl Question {
    /// Whether any measure needs the runtime of machines.
    pub fn needs_runtime(&self) -> bool {
        self.measures.iter().any(|measure| measure.needs_runtime())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grouping {
    /// The dimensions; empty for a single group of all facts, which exists even if there are no facts.
    pub dimensions: Vec<Dimension>,
    pub order: GroupOrder,
    pub limit: Option<usize>,
}

impl Grouping {
    /// Returns a grouping with all groups, ordered by key.
    pub fn by(by: impl Into<Vec<Dimension>>) -> Self {
        Self { dimensions: by.into(), order: GroupOrder::ByKeys, limit: None }
    }

    /// Whether runtime can be grouped by all of its dimensions.
    pub fn applies_to_runtime(&self) -> bool {
        self.dimensions.iter().all(|dimension| dimension.applies_to_runtime())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupOrder {
    /// By key, ascending; missing keys come last.
    ByKeys,
    /// By the value of a measure (its index in the question), ascending. Missing values come last; ties are ordered by key.
    Ascending(usize),
    /// Like `Ascending`, but the greatest value comes first; missing values still come last.
    Descending(usize),
}

/// The key of a group in one dimension: an id, a code or a number, depending on the dimension; `None` if the fact has none.
pub type Key = Option<i64>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// One key per dimension.
    pub keys: Vec<Key>,
    /// One figure per measure.
    pub figures: Vec<Figure>,
}

/// The groups of one grouping.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// In the requested order.
    pub groups: Vec<Group>,
    /// Number of groups cut off by the limit.
    pub more: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// In the order of the question's groupings.
    pub groupings: Vec<Groups>,
}

impl Groups {
    /// Sorts groups into the requested order and applies the limit.
    pub fn sort_and_limit(mut groups: Vec<Group>, grouping: &Grouping, measures: &[Measure]) -> Self {
        let found = groups.len();
        let wanted = grouping.limit.unwrap_or(found).min(found);
        let order = |left: &Group, right: &Group| grouping.order.compare(left, right, measures);
        // Selects the top groups first, so that only those are sorted.
        if wanted < found && wanted > 0 {
            groups.select_nth_unstable_by(wanted - 1, order);
        }
        groups.truncate(wanted);
        groups.sort_unstable_by(order);
        Self { groups, more: (found - wanted) as u64 }
    }
}

impl GroupOrder {
    /// Compares two groups. No two groups of a grouping are equal.
    pub fn compare(self, left: &Group, right: &Group, measures: &[Measure]) -> Ordering {
        self.compare_by(left, right, measures, compare_keys)
    }

    /// Like [`GroupOrder::compare`], with another order of keys.
    pub fn compare_by(
        self,
        left: &Group,
        right: &Group,
        measures: &[Measure],
        keys: impl Fn(&[Key], &[Key]) -> Ordering,
    ) -> Ordering {
        let value = |group: &Group, at: usize| {
            let figure = group.figures.get(at)?;
            figure.value(*measures.get(at)?).ok()
        };
        let by_value = |at, turn: fn(Ordering) -> Ordering| match (value(left, at), value(right, at)) {
            (Some(left), Some(right)) => turn(left.total_cmp(&right)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        };
        let by_measure = match self {
            Self::ByKeys => Ordering::Equal,
            Self::Ascending(at) => by_value(at, |order| order),
            Self::Descending(at) => by_value(at, Ordering::reverse),
        };
        by_measure.then_with(|| keys(&left.keys, &right.keys))
    }
}

/// Compares lists of keys lexicographically; missing keys come last.
pub(super) fn compare_keys(left: &[Key], right: &[Key]) -> Ordering {
    let place = |key: &Key| (key.is_none(), *key);
    left.iter().map(place).cmp(right.iter().map(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(key: Key, count: i64) -> Group {
        Group {
            keys: vec![key],
            figures: vec![Figure { numerator: Some(count), denominator: None, incursions: count }],
        }
    }

    fn keys(groups: &Groups) -> Vec<Key> {
        groups.groups.iter().map(|group| group.keys[0]).collect()
    }

    #[test]
    fn the_greatest_come_first_and_equal_ones_by_key() {
        let all = vec![group(None, 5), group(Some(3), 2), group(Some(1), 2), group(Some(2), 9)];
        let grouping = Grouping {
            dimensions: vec![Dimension::Machine],
            order: GroupOrder::Descending(0),
            limit: Some(3),
        };
        let arranged = Groups::sort_and_limit(all.clone(), &grouping, &[Measure::Incursions]);
        assert_eq!((keys(&arranged), arranged.more), (vec![Some(2), None, Some(1)], 1));
        let grouping = Grouping { order: GroupOrder::Ascending(0), limit: Some(2), ..grouping };
        let arranged = Groups::sort_and_limit(all.clone(), &grouping, &[Measure::Incursions]);
        assert_eq!((keys(&arranged), arranged.more), (vec![Some(1), Some(3)], 2));
        let arranged =
            Groups::sort_and_limit(all, &Grouping::by([Dimension::Machine]), &[Measure::Incursions]);
        assert_eq!((keys(&arranged), arranged.more), (vec![Some(1), Some(2), Some(3), None], 0));
    }

    #[test]
    fn what_has_no_value_comes_last_either_way() {
        let none = Group { keys: vec![Some(1)], figures: vec![Figure::default()] };
        let some = Group {
            keys: vec![Some(2)],
            figures: vec![Figure { numerator: Some(1), denominator: Some(2), incursions: 2 }],
        };
        for order in [GroupOrder::Ascending(0), GroupOrder::Descending(0)] {
            let grouping = Grouping { dimensions: vec![Dimension::Machine], order, limit: None };
            let arranged = Groups::sort_and_limit(
                vec![none.clone(), some.clone()],
                &grouping,
                &[Measure::AcknowledgementRate],
            );
            assert_eq!(keys(&arranged), [Some(2), Some(1)]);
        }
    }

    #[test]
    fn nothing_wanted_is_nothing_got() {
        let grouping = Grouping { limit: Some(0), ..Grouping::by([Dimension::Machine]) };
        let arranged = Groups::sort_and_limit(vec![group(Some(1), 1)], &grouping, &[Measure::Incursions]);
        assert_eq!((arranged.groups.len(), arranged.more), (0, 1));
    }
}
