//! The columns of one brand, with the state that is read without their lock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use domain::BrandId;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::Instant;

use super::loaded::LoadedColumns;

/// The columns of a brand, if loaded. The holder of the lock updates them; scans use a snapshot and do not need it.
#[derive(Debug)]
pub(crate) struct BrandColumns {
    loaded: Arc<Mutex<Option<LoadedColumns>>>,
    created_at: Instant,
    /// Milliseconds since `created_at`.
    last_used_ms: AtomicU64,
    bytes: AtomicUsize,
    is_followed: AtomicBool,
    is_too_large: AtomicBool,
}

impl Default for BrandColumns {
    fn default() -> Self {
        Self {
            loaded: Arc::default(),
            created_at: Instant::now(),
            last_used_ms: AtomicU64::new(0),
            bytes: AtomicUsize::new(0),
            is_followed: AtomicBool::new(false),
            is_too_large: AtomicBool::new(false),
        }
    }
}

#[macros::boxed]
impl BrandColumns {
    pub async fn lock(&self) -> OwnedMutexGuard<Option<LoadedColumns>> {
        Arc::clone(&self.loaded).lock_owned().await
    }

    /// Records that the columns are being used.
    pub fn touch(&self) {
        let now = u64::try_from(self.created_at.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_used_ms.store(now, Ordering::Relaxed);
    }

    pub fn last_used_at(&self) -> Instant {
        self.created_at + Duration::from_millis(self.last_used_ms.load(Ordering::Relaxed))
    }

    /// Returns how long the columns have not been used.
    pub fn idle_for(&self) -> Duration {
        self.last_used_at().elapsed()
    }

    pub fn set_bytes(&self, bytes: usize) {
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Drops the columns unless they are locked; returns the number of bytes freed.
    pub fn try_evict(&self) -> usize {
        let Ok(mut held) = self.loaded.try_lock() else { return 0 };
        *held = None;
        self.bytes.swap(0, Ordering::Relaxed)
    }

    /// Drops damaged columns.
    pub async fn discard(&self) {
        *self.lock().await = None;
        self.set_bytes(0);
    }

    /// Starts following; returns whether nobody else did already.
    pub fn begin_following(&self) -> bool {
        !self.is_followed.swap(true, Ordering::AcqRel)
    }

    pub fn end_following(&self) {
        self.is_followed.store(false, Ordering::Release);
    }

    pub fn is_too_large(&self) -> bool {
        self.is_too_large.load(Ordering::Relaxed)
    }

    /// Records that the columns exceed the memory limit of a brand; from now on queries use SQL.
    pub fn set_too_large(&self, id: BrandId) {
        tracing::warn!("the columns of brand {id} exceed the memory limit of a brand; its queries use SQL");
        self.set_bytes(0);
        self.is_too_large.store(true, Ordering::Relaxed);
    }
}
