//! The key space of a grouping: all combinations of positions on its axes, as one range of numbers.

use std::cmp::Ordering;

use domain::insights::{Dimension, Grouping, Key};

use super::axis::{Axis, AxisContext};
use crate::Snapshot;
use crate::dictionary::Link;

/// The axes of a grouping. The number of a combination is the sum of its positions on the axes, each multiplied by the stride of the axis.
#[derive(Debug)]
pub(super) struct KeySpace {
    /// In the order of the grouping.
    pub axes: Vec<Axis>,
    pub strides: Vec<u128>,
    /// The size of the space; `None` if it overflows.
    pub size: Option<u128>,
}

impl KeySpace {
    pub fn new(grouping: &Grouping, context: &AxisContext<'_>) -> Self {
        let axes: Vec<Axis> =
            grouping.dimensions.iter().map(|dimension| Axis::new(*dimension, context)).collect();
        // Rows are ordered by time. With time as the outermost axis, the numbers of a chunk's rows are close to each other.
        let inner = |is_time: bool| {
            let axes = &axes;
            (0..axes.len()).rev().filter(move |at| axes[*at].is_time() == is_time)
        };
        let order: Vec<usize> = inner(false).chain(inner(true)).collect();
        let mut strides = vec![0; axes.len()];
        let mut size = Some(1_u128);
        for at in order {
            strides[at] = size.unwrap_or(0);
            size = size.and_then(|size| size.checked_mul(u128::from(axes[at].size)));
        }
        Self { axes, strides, size }
    }

    /// Returns the size if numbers fit into 64 bits.
    pub fn size_64(&self) -> Option<u64> {
        self.size.and_then(|size| u64::try_from(size).ok())
    }

    /// Returns whether numbers depend on days and flags only.
    pub fn only_days_and_flags(&self) -> bool {
        let is_so = |axis: &Axis| {
            let source = &axis.source;
            source.link.is_none() && source.hours.is_none() && !source.uses_length_bucket
        };
        self.axes.iter().all(is_so)
    }

    /// Returns whether numbers depend on the worksite and flags only.
    pub fn only_worksites_and_flags(&self) -> bool {
        let is_so = |axis: &Axis| {
            let source = &axis.source;
            let by_worksite = source.link.as_ref().is_none_or(|(link, _)| *link == Link::Worksite);
            by_worksite && source.days.is_none() && source.hours.is_none() && !source.uses_length_bucket
        };
        self.axes.iter().all(is_so)
    }

    /// Returns the position of a number on one of the axes.
    pub fn axis_position(&self, number: u128, axis: usize) -> u64 {
        let (stride, size) = (self.strides[axis], u128::from(self.axes[axis].size));
        // Dividing 64-bit numbers is much cheaper.
        let narrow = (u64::try_from(number), u64::try_from(stride));
        if let (Ok(number), Ok(stride)) = narrow {
            return number / stride.max(1) % self.axes[axis].size.max(1);
        }
        u64::try_from(number / stride.max(1) % size.max(1)).unwrap_or(0)
    }

    /// Returns the keys of a number.
    pub fn keys(&self, number: u128, snapshot: &Snapshot) -> Vec<Key> {
        (0..self.axes.len())
            .map(|axis| self.axes[axis].key(self.axis_position(number, axis), snapshot))
            .collect()
    }

    /// Compares two numbers by their keys; missing keys come last.
    pub fn compare_keys(&self, left: u128, right: u128, snapshot: &Snapshot) -> Ordering {
        let of = |number: u128, axis: usize| {
            let key = self.axes[axis].key(self.axis_position(number, axis), snapshot);
            (key.is_none(), key)
        };
        let each = (0..self.axes.len()).map(|axis| of(left, axis).cmp(&of(right, axis)));
        each.fold(Ordering::Equal, Ordering::then)
    }

    /// Maps each axis to the axis of the same dimension in another space; `None` if one is missing there.
    pub fn axes_in(&self, finer: &Self) -> Option<Vec<usize>> {
        let find = |dimension: Dimension| finer.axes.iter().position(|axis| axis.dimension == dimension);
        self.axes.iter().map(|axis| find(axis.dimension)).collect()
    }
}
