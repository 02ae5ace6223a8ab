//! The memory limit of a question.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::Error;

/// The remaining memory. Large allocations are reserved first.
#[derive(Debug)]
pub(super) struct MemoryBudget {
    limit_bytes: u64,
    reserved_bytes: AtomicU64,
}

impl MemoryBudget {
    pub fn new(limit_bytes: usize) -> Self {
        Self { limit_bytes: limit_bytes as u64, reserved_bytes: AtomicU64::new(0) }
    }

    /// Reserves memory, or fails if the limit would be exceeded.
    pub fn reserve(&self, bytes: usize) -> Result<(), Error> {
        let before = self.reserved_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        let needed_bytes = before.saturating_add(bytes as u64);
        match needed_bytes <= self.limit_bytes {
            true => Ok(()),
            false => Err(Error::TooLarge { needed_bytes, limit_bytes: self.limit_bytes }),
        }
    }

    /// Returns reserved memory.
    pub fn release(&self, bytes: usize) {
        self.reserved_bytes.fetch_sub(bytes as u64, Ordering::Relaxed);
    }

    /// Returns the total limit.
    pub fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }

    /// Allocates a zeroed array, if the limit allows it.
    pub fn zeroed<T: Clone + Default>(&self, len: usize) -> Result<Vec<T>, Error> {
        self.reserve(len.saturating_mul(size_of::<T>()))?;
        Ok(vec![T::default(); len])
    }
}
