//! Maps ids to codes.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use super::Dictionary;

/// Hashes ids. They are our own numbers, so nobody can craft collisions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number.cast_unsigned());
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

/// A map with ids as keys.
pub(crate) type IdMap<V> = HashMap<i64, V, BuildHasherDefault<IdHasher>>;

/// The codes of the ids of one kind. The codes from opening the cube are shared with its unread parts; newer ones are separate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    base: Arc<IdMap<u32>>,
    added: IdMap<u32>,
}

impl Index {
    pub fn new(dictionary: &Dictionary) -> Self {
        let opened = dictionary.ids().zip(1..).collect();
        Self { base: Arc::new(opened), added: IdMap::default() }
    }

    pub fn find(&self, id: i64) -> Option<u32> {
        self.base.get(&id).or_else(|| self.added.get(&id)).copied()
    }

    pub fn insert(&mut self, id: i64, code: u32) {
        self.added.insert(id, code);
    }

    pub fn bytes(&self) -> usize {
        // An entry is an id and a code, padded, plus a control byte.
        (self.base.capacity() + self.added.capacity()) * 17
    }
}
