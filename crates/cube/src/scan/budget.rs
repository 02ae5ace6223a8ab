//! How much memory an answer may take.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::Error;

/// What is left of the memory. Large things ask before they are made.
#[derive(Debug)]
pub(super) struct MemoryBudget {
    limit_bytes: u64,
    reserved_bytes: AtomicU64,
}

impl MemoryBudget {
    pub fn new(limit_bytes: usize) -> Self {
        Self { limit_bytes: limit_bytes as u64, reserved_bytes: AtomicU64::new(0) }
    }

    /// Takes some, or says that there is too little.
    pub fn reserve(&self, bytes: usize) -> Result<(), Error> {
        let before = self.reserved_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        let needed_bytes = before.saturating_add(bytes as u64);
        match needed_bytes <= self.limit_bytes {
            true => Ok(()),
            false => Err(Error::TooLarge { needed_bytes, limit_bytes: self.limit_bytes }),
        }
    }

    /// Gives some back.
    pub fn release(&self, bytes: usize) {
        self.reserved_bytes.fetch_sub(bytes as u64, Ordering::Relaxed);
    }

    /// How much there is in all.
    pub fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }

    /// A zeroed array, if there is memory for it.
    pub fn zeroed<T: Clone + Default>(&self, len: usize) -> Result<Vec<T>, Error> {
        self.reserve(len.saturating_mul(size_of::<T>()))?;
        Ok(vec![T::default(); len])
    }
}
