//! What is known of a brand's columns without looking at them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use domain::BrandId;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::Instant;

use super::held::Held;

/// The columns of a brand, if they are there. Whoever holds the lock brings them up to date; scans go on without it.
#[derive(Debug)]
pub(crate) struct BrandColumns {
    held: Arc<Mutex<Option<Held>>>,
    made_at: Instant,
    /// Milliseconds since it was made.
    asked_at: AtomicU64,
    bytes: AtomicUsize,
    is_followed: AtomicBool,
    is_too_large: AtomicBool,
}

impl Default for BrandColumns {
    fn default() -> Self {
        Self {
            held: Arc::default(),
            made_at: Instant::now(),
            asked_at: AtomicU64::new(0),
            bytes: AtomicUsize::new(0),
            is_followed: AtomicBool::new(false),
            is_too_large: AtomicBool::new(false),
        }
    }
}

impl BrandColumns {
    pub async fn lock(&self) -> OwnedMutexGuard<Option<Held>> {
        Arc::clone(&self.held).lock_owned().await
    }

    /// Someone asks about it.
    pub fn is_asked(&self) {
        let now = u64::try_from(self.made_at.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.asked_at.store(now, Ordering::Relaxed);
    }

    /// When someone last asked about it.
    pub fn asked_at(&self) -> Instant {
        self.made_at + Duration::from_millis(self.asked_at.load(Ordering::Relaxed))
    }

    /// For how long nobody has asked about it.
    pub fn asked_for(&self) -> Duration {
        self.asked_at().elapsed()
    }

    /// How many bytes it takes.
    pub fn weighs(&self, bytes: usize) {
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Lets go of the columns, unless someone is busy with them; gives how many bytes that frees.
    pub fn let_go(&self) -> usize {
        let Ok(mut held) = self.held.try_lock() else { return 0 };
        *held = None;
        self.bytes.swap(0, Ordering::Relaxed)
    }

    /// Lets go of columns that are no good.
    pub async fn forget(&self) {
        *self.lock().await = None;
        self.weighs(0);
    }

    /// Whether it is followed only from now on.
    pub fn begin_following(&self) -> bool {
        !self.is_followed.swap(true, Ordering::AcqRel)
    }

    pub fn end_following(&self) {
        self.is_followed.store(false, Ordering::Release);
    }

    pub fn is_too_large(&self) -> bool {
        self.is_too_large.load(Ordering::Relaxed)
    }

    /// It takes more memory than one brand may: the rows answer from now on.
    pub fn set_too_large(&self, id: BrandId) {
        tracing::warn!("the columns of brand {id} take more memory than one brand may; the rows answer");
        self.weighs(0);
        self.is_too_large.store(true, Ordering::Relaxed);
    }
}
