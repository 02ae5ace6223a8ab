//! The values of a column, shared by the chunks that have them: a change copies only the columns that it changes, and a slice copies none.

use std::ops::Deref;
use std::sync::Arc;

/// Consecutive values of a shared column.
#[derive(Clone, Debug)]
pub(crate) struct Values<T> {
    all: Arc<Vec<T>>,
    from: usize,
    len: usize,
}

impl<T> Values<T> {
    /// Returns consecutive values of these, which are not copied.
    pub fn slice(&self, from: usize, len: usize) -> Self {
        assert!(
            from.checked_add(len).is_some_and(|end| end <= self.len),
            "{from} and {len} of {} values",
            self.len
        );
        Self { all: Arc::clone(&self.all), from: self.from + from, len }
    }

    /// Returns whether both are the same values in memory.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.all, &other.all) && (self.from, self.len) == (other.from, other.len)
    }
}

impl<T> Deref for Values<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.all[self.from..self.from + self.len]
    }
}

impl<T> From<Vec<T>> for Values<T> {
    /// Takes values over. What was reserved for more of them is given back, so that they take as much memory as is counted.
    fn from(mut values: Vec<T>) -> Self {
        values.shrink_to_fit();
        let len = values.len();
        Self { all: Arc::new(values), from: 0, len }
    }
}

impl<T> FromIterator<T> for Values<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        values.into_iter().collect::<Vec<T>>().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_shares_the_values() {
        let all: Values<u16> = (0..100).filter(|value| value % 2 == 0).collect();
        assert_eq!(all.all.capacity(), all.len());
        let slice = all.slice(10, 20).slice(5, 3);
        assert_eq!(*slice, [30, 32, 34]);
        assert_eq!(slice.as_ptr(), all[15..].as_ptr());
        assert!(slice.ptr_eq(&all.slice(15, 3)) && all.ptr_eq(&all.clone()));
        assert!(!slice.ptr_eq(&all.slice(15, 2)) && !slice.ptr_eq(&all.slice(14, 3)));
        assert!(!slice.ptr_eq(&slice.to_vec().into()), "equal values elsewhere");
        assert_eq!(all.slice(50, 0).len(), 0);
    }

    #[test]
    #[should_panic(expected = "3 and 3 of 5 values")]
    fn a_slice_ends_with_the_values_that_it_is_of() {
        let all: Values<u8> = (0..10).collect();
        all.slice(0, 5).slice(3, 3);
    }
}
