//! All places that a grouping can have, as one range of numbers.

use std::cmp::Ordering;

use domain::insights::{Dimension, Grouping, Key};

use super::axis::{Axis, AxisContext};
use crate::Snapshot;

/// The axes of a grouping. The number of a place is the sum of the places on its axes, each times the axis' stride.
#[derive(Debug)]
pub(super) struct KeySpace {
    /// In the order of the grouping.
    pub axes: Vec<Axis>,
    pub strides: Vec<u128>,
    /// How many numbers there are; nothing if more than can be counted.
    pub size: Option<u128>,
}

impl KeySpace {
    pub fn new(grouping: &Grouping, context: &AxisContext<'_>) -> Self {
        let axes: Vec<Axis> =
            grouping.dimensions.iter().map(|dimension| Axis::new(*dimension, context)).collect();
        // Rows come in order of time: with time outermost, those of a chunk lie near each other.
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

    /// Its size, if places are numbers of 64 bits.
    pub fn size_64(&self) -> Option<u64> {
        self.size.and_then(|size| u64::try_from(size).ok())
    }

    /// Whether days and flags are all that tells rows apart.
    pub fn only_days_and_flags(&self) -> bool {
        let is_so = |axis: &Axis| {
            let source = &axis.source;
            source.link.is_none() && source.hours.is_none() && !source.uses_length_bucket
        };
        self.axes.iter().all(is_so)
    }

    /// The place of a number on one of the axes.
    pub fn axis_position(&self, number: u128, axis: usize) -> u64 {
        let (stride, size) = (self.strides[axis], u128::from(self.axes[axis].size));
        // Dividing 64 bits is much cheaper.
        let narrow = (u64::try_from(number), u64::try_from(stride));
        if let (Ok(number), Ok(stride)) = narrow {
            return number / stride.max(1) % self.axes[axis].size.max(1);
        }
        u64::try_from(number / stride.max(1) % size.max(1)).unwrap_or(0)
    }

    /// The keys of a number.
    pub fn keys(&self, number: u128, snapshot: &Snapshot) -> Vec<Key> {
        (0..self.axes.len())
            .map(|axis| self.axes[axis].key(self.axis_position(number, axis), snapshot))
            .collect()
    }

    /// Which of two comes first by their keys, what has none last.
    pub fn compare_keys(&self, left: u128, right: u128, snapshot: &Snapshot) -> Ordering {
        let of = |number: u128, axis: usize| {
            let key = self.axes[axis].key(self.axis_position(number, axis), snapshot);
            (key.is_none(), key)
        };
        let each = (0..self.axes.len()).map(|axis| of(left, axis).cmp(&of(right, axis)));
        each.fold(Ordering::Equal, Ordering::then)
    }

    /// For each axis the one of another space that has the same dimension; nothing if one is missing there.
    pub fn axes_in(&self, finer: &Self) -> Option<Vec<usize>> {
        let find = |dimension: Dimension| finer.axes.iter().position(|axis| axis.dimension == dimension);
        self.axes.iter().map(|axis| find(axis.dimension)).collect()
    }
}
