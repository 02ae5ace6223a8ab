//! The columns of one brand, with the state that is read without their lock.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use domain::BrandId;
use tokio::sync::{Mutex, OwnedMutexGuard, watch};
use tokio::time::Instant;
use warehouse::CopyId;

use super::loaded::LoadedColumns;

/// The columns of a brand, if loaded. The holder of the lock updates them; scans use a snapshot and do not need it.
#[derive(Debug)]
pub(crate) struct BrandColumns {
    loaded: Arc<Mutex<Option<LoadedColumns>>>,
    created_at: Instant,
    /// Milliseconds since `created_at`.
    last_used_ms: AtomicU64,
    /// The same, of the last question of a reader; 0 before the first.
    last_read_ms: AtomicU64,
    bytes: AtomicUsize,
    is_followed: AtomicBool,
    is_too_large: AtomicBool,
    /// Until when the copy answers because the facts could not be counted, in milliseconds since `created_at`.
    left_to_copy_until_ms: AtomicU64,
    /// The copy that the brand had in the warehouse when that was first asked.
    copy: OnceLock<Option<CopyId>>,
    is_loading: AtomicBool,
    progress: watch::Sender<Progress>,
    /// The revision of saved columns that turned out to be damaged, or [`NO_REVISION`].
    distrusted_revision: AtomicI64,
}

/// Who asks a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asker {
    /// Everything but the evaluation of alerts: pages, calls and jobs often ask several questions in a row.
    Reader,
    /// The evaluation of alerts, which asks while facts arrive, and can wait.
    Alerts,
}

/// How far columns that are being loaded have come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Rises whenever they reach further.
    steps: u64,
    /// How often they could not be loaded.
    pub failures: u64,
}

/// After this while, the facts of a brand that could not be counted are counted again.
const LEFT_TO_COPY: Duration = Duration::from_secs(10 * 60);

/// Revisions begin with 0.
const NO_REVISION: i64 = -1;

impl Default for BrandColumns {
    fn default() -> Self {
        Self {
            loaded: Arc::default(),
            created_at: Instant::now(),
            last_used_ms: AtomicU64::new(0),
            last_read_ms: AtomicU64::new(0),
            bytes: AtomicUsize::new(0),
            is_followed: AtomicBool::new(false),
            is_too_large: AtomicBool::new(false),
            left_to_copy_until_ms: AtomicU64::new(0),
            copy: OnceLock::new(),
            is_loading: AtomicBool::new(false),
            progress: watch::Sender::new(Progress::default()),
            distrusted_revision: AtomicI64::new(NO_REVISION),
        }
    }
}

/// The turn of the one task that loads the columns of a brand. It fails unless it has succeeded before it is dropped.
#[derive(Debug)]
pub(crate) struct LoadingTurn {
    pub brand: Arc<BrandColumns>,
    has_succeeded: bool,
}

impl LoadingTurn {
    /// Takes the turn; none if another task has it.
    pub fn take(brand: &Arc<BrandColumns>) -> Option<Self> {
        let is_taken = brand.is_loading.swap(true, Ordering::AcqRel);
        (!is_taken).then(|| Self { brand: Arc::clone(brand), has_succeeded: false })
    }

    pub fn succeed(mut self) {
        self.has_succeeded = true;
    }
}

impl Drop for LoadingTurn {
    fn drop(&mut self) {
        self.brand.is_loading.store(false, Ordering::Release);
        let failures = u64::from(!self.has_succeeded);
        self.brand.progress.send_modify(|progress| {
            progress.steps += 1;
            progress.failures += failures;
        });
    }
}

#[macros::boxed]
impl BrandColumns {
    pub async fn lock(&self) -> OwnedMutexGuard<Option<LoadedColumns>> {
        Arc::clone(&self.loaded).lock_owned().await
    }

    /// Records that the columns are being used.
    pub fn touch(&self, asker: Asker) {
        let now_ms = self.now_ms();
        self.last_used_ms.store(now_ms, Ordering::Relaxed);
        if asker == Asker::Reader {
            self.last_read_ms.store(now_ms, Ordering::Relaxed);
        }
    }

    /// Returns the milliseconds since `created_at`.
    fn now_ms(&self) -> u64 {
        u64::try_from(self.created_at.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    pub fn last_used_at(&self) -> Instant {
        self.instant_of(&self.last_used_ms)
    }

    fn instant_of(&self, ms: &AtomicU64) -> Instant {
        self.created_at + Duration::from_millis(ms.load(Ordering::Relaxed))
    }

    /// Returns how long the columns have not been used.
    pub fn idle_for(&self) -> Duration {
        self.last_used_at().elapsed()
    }

    /// Returns how long no reader has used the columns.
    pub fn unread_for(&self) -> Duration {
        self.instant_of(&self.last_read_ms).elapsed()
    }

    pub fn set_bytes(&self, bytes: usize) {
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Drops the columns unless they are locked or being loaded; returns the number of bytes freed.
    pub fn try_evict(&self) -> usize {
        if self.is_loading.load(Ordering::Acquire) {
            return 0;
        }
        let Ok(mut held) = self.loaded.try_lock() else { return 0 };
        *held = None;
        self.bytes.swap(0, Ordering::Relaxed)
    }

    /// Drops damaged columns, unless others have taken their place.
    pub async fn discard(&self, load: u64) {
        let mut held = self.lock().await;
        if held.as_ref().is_some_and(|of| of.load() == load) {
            self.discard_held(&mut held);
        }
    }

    /// The same for columns that are locked. The saved columns that they were opened from are not opened again.
    pub fn discard_held(&self, held: &mut Option<LoadedColumns>) {
        let opened = held.take().and_then(|of| of.opened_revision());
        self.distrusted_revision.fetch_max(opened.unwrap_or(NO_REVISION), Ordering::Relaxed);
        self.set_bytes(0);
    }

    /// Returns the revision of the saved columns that must not be opened, if there is one.
    pub fn distrusted_revision(&self) -> Option<i64> {
        Some(self.distrusted_revision.load(Ordering::Relaxed)).filter(|revision| *revision != NO_REVISION)
    }

    /// Returns how far loading has come, to wait for more.
    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// Notifies those who wait that the columns reach further.
    pub fn note_progress(&self) {
        self.progress.send_modify(|progress| progress.steps += 1);
    }

    /// Starts following; returns whether nobody else did already.
    pub fn begin_following(&self) -> bool {
        !self.is_followed.swap(true, Ordering::AcqRel)
    }

    pub fn is_followed(&self) -> bool {
        self.is_followed.load(Ordering::Acquire)
    }

    pub fn end_following(&self) {
        self.is_followed.store(false, Ordering::Release);
    }

    /// Whether the columns exceed the memory limit of a brand, or are taken to do so for now.
    pub fn is_too_large(&self) -> bool {
        let is_left_to_copy = self.now_ms() < self.left_to_copy_until_ms.load(Ordering::Relaxed);
        is_left_to_copy || self.is_too_large.load(Ordering::Relaxed)
    }

    /// Returns the copy of the brand in the warehouse, if it is known to have one.
    pub fn copy(&self) -> Option<CopyId> {
        self.copy.get().copied().flatten()
    }

    /// Whether someone has asked for the copy.
    pub fn is_copy_known(&self) -> bool {
        self.copy.get().is_some()
    }

    pub fn note_copy(&self, copy: Option<CopyId>) {
        // Whoever asked at the same time found the same.
        let _ = self.copy.set(copy);
    }

    /// Lets the copy in the warehouse answer for a while, because it takes too long to count the facts.
    pub fn leave_to_copy(&self, id: BrandId) {
        tracing::info!(
            "the facts of brand {id} could not be counted in time; its copy in the warehouse answers for now"
        );
        self.set_bytes(0);
        let lasts_ms = u64::try_from(LEFT_TO_COPY.as_millis()).unwrap_or(u64::MAX);
        self.left_to_copy_until_ms.store(self.now_ms().saturating_add(lasts_ms), Ordering::Relaxed);
    }

    /// Records that the columns exceed the memory limit of a brand; from now on queries use the warehouse, or SQL if there is none.
    pub fn set_too_large(&self, id: BrandId) {
        tracing::warn!(
            "the columns of brand {id} exceed the memory limit of a brand; its queries use the warehouse, or SQL if there is none"
        );
        // Those who wait for its columns look again when the turn to load them ends.
        self.set_bytes(0);
        self.is_too_large.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn alerts_use_columns_and_do_not_read_them() {
        let brand = BrandColumns::default();
        let second = Duration::from_secs(1);
        tokio::time::advance(second).await;
        assert_eq!((brand.idle_for(), brand.unread_for()), (second, second));
        brand.touch(Asker::Alerts);
        assert_eq!((brand.idle_for(), brand.unread_for()), (Duration::ZERO, second));
        tokio::time::advance(second).await;
        brand.touch(Asker::Reader);
        assert_eq!((brand.idle_for(), brand.unread_for()), (Duration::ZERO, Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn a_brand_that_could_not_be_counted_is_counted_again_later() {
        let brand = BrandColumns::default();
        assert!(!brand.is_too_large());
        brand.leave_to_copy(BrandId(1));
        assert!(brand.is_too_large());
        tokio::time::advance(LEFT_TO_COPY).await;
        assert!(!brand.is_too_large());
        brand.set_too_large(BrandId(1));
        tokio::time::advance(LEFT_TO_COPY).await;
        assert!(brand.is_too_large());
    }
}
