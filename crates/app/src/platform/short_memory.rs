//! What is kept in memory for some seconds, so that a form that is sent twice gets the same answer.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use domain::{Monotonic, Span};

/// Values by their keys, each for the same time. Whatever is over is dropped at the next look. If nobody looks, `App::forget_what_is_over`
/// does, because it may be secret.
pub(crate) struct ShortMemory<K, V> {
    lifetime: Span,
    values: Mutex<HashMap<K, (Monotonic, V)>>,
}

impl<K: Eq + Hash, V: Clone> ShortMemory<K, V> {
    pub fn lasting(lifetime: Span) -> Self {
        Self { lifetime, values: Mutex::new(HashMap::new()) }
    }

    /// Keeps a value in place of an earlier one with this key.
    pub fn insert(&self, key: K, value: V, now: Monotonic) {
        self.with_current(now, |values| drop(values.insert(key, (now, value))));
    }

    pub fn find(&self, key: &K, now: Monotonic) -> Option<V> {
        self.with_current(now, |values| values.get(key).map(|(_, value)| value.clone()))
    }

    /// Drops what is over.
    pub fn drop_old(&self, now: Monotonic) {
        self.with_current(now, |_| ());
    }

    fn with_current<T>(&self, now: Monotonic, act: impl FnOnce(&mut HashMap<K, (Monotonic, V)>) -> T) -> T {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        values.retain(|_, (at, _)| now - *at < self.lifetime);
        act(&mut values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_kept_for_its_time_and_then_dropped() {
        let memory = ShortMemory::lasting(Span::seconds(10));
        let at = |seconds: i64| Monotonic::from_micros(seconds * 1_000_000);
        memory.insert("a", 1, at(0));
        memory.insert("b", 2, at(5));
        memory.insert("b", 3, at(6));
        assert_eq!((memory.find(&"a", at(9)), memory.find(&"b", at(9))), (Some(1), Some(3)));
        assert_eq!((memory.find(&"a", at(10)), memory.find(&"b", at(15))), (None, Some(3)));
        assert_eq!(memory.find(&"b", at(16)), None);
        assert!(memory.values.lock().unwrap().is_empty());
        memory.insert("a", 1, at(20));
        memory.drop_old(at(29));
        assert_eq!(memory.values.lock().unwrap().len(), 1);
        memory.drop_old(at(30));
        assert!(memory.values.lock().unwrap().is_empty());
    }
}
