//! Permits for uploads: one per clip, a few per token and brand, and a limited number in all.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use blobs::UploadLimits;
use domain::{BrandId, ClipId, Monotonic, Span, TokenId};
use tokio::sync::watch;

use crate::{Error, ErrorKind, Grant, Shares};

/// Time without a byte after which an upload can be replaced by a newer one of the same clip.
const IDLE_TIMEOUT: Span = Span::seconds(10);

/// The uploads that are in progress in this process.
pub(crate) struct UploadPermits {
    tokens: Shares<TokenId>,
    brands: Shares<BrandId>,
    clips: ActiveClips,
}

type ActiveClips = Arc<Mutex<HashMap<ClipId, Arc<ActiveUpload>>>>;

/// The permit of an upload, returned when dropped.
pub(crate) struct UploadPermit {
    upload: Arc<ActiveUpload>,
    /// The clip that nobody else may upload now; `None` once it is released.
    clip: Option<ClipId>,
    clips: ActiveClips,
}

/// An upload in progress, as a newer upload of the same clip sees it.
pub(crate) struct ActiveUpload {
    state: Mutex<State>,
    replaced: watch::Sender<bool>,
}

struct State {
    last_byte_at: Monotonic,
    token: TokenId,
    grants: Option<Grants>,
}

type Grants = (Grant<BrandId>, Grant<TokenId>);

impl UploadPermits {
    pub fn new(limits: UploadLimits) -> Self {
        Self {
            tokens: Shares::new(usize::MAX, limits.per_token as usize),
            brands: Shares::new(limits.total as usize, limits.per_brand as usize),
            clips: ActiveClips::default(),
        }
    }

    /// Acquires a permit, and the clip if it is to be written. An idle upload of the same clip is replaced.
    pub fn begin(
        &self,
        token: TokenId,
        brand: BrandId,
        clip: Option<ClipId>,
        now: Monotonic,
    ) -> Result<UploadPermit, Error> {
        let mut clips = locked(&self.clips);
        let grants = match clip.and_then(|clip| clips.get(&clip)) {
            Some(older) => self.replace(older, token, brand, now)?,
            None => self.acquire(token, brand).ok_or_else(uploads_busy)?,
        };
        let state = Mutex::new(State { last_byte_at: now, token, grants: Some(grants) });
        let upload = Arc::new(ActiveUpload { state, replaced: watch::Sender::new(false) });
        if let Some(clip) = clip {
            clips.insert(clip, Arc::clone(&upload));
        }
        Ok(UploadPermit { upload, clip, clips: Arc::clone(&self.clips) })
    }
}

impl UploadPermits {
    fn acquire(&self, token: TokenId, brand: BrandId) -> Option<Grants> {
        let of_token = self.tokens.try_acquire(token, 1)?;
        Some((self.brands.try_acquire(brand, 1)?, of_token))
    }

    /// Replaces an idle upload by a newer one of the same clip, if the newer one gets its permits. It takes over those of the older upload
    /// as far as they fit: the brand is the same, but the token may differ.
    fn replace(
        &self,
        older: &ActiveUpload,
        token: TokenId,
        brand: BrandId,
        now: Monotonic,
    ) -> Result<Grants, Error> {
        let mut state = locked(&older.state);
        let left = state.last_byte_at + IDLE_TIMEOUT - now;
        if left > Span::ZERO {
            let detail = "Another upload of this clip is in progress.";
            return Err(
                Error::new(ErrorKind::Conflict, "upload_under_way", detail).retry_after(left.ceil_seconds())
            );
        }
        let grants = match state.grants.take() {
            Some(grants) if state.token == token => grants,
            Some((of_brand, of_older)) => match self.tokens.try_acquire(token, 1) {
                Some(of_token) => (of_brand, of_token),
                None => {
                    state.grants = Some((of_brand, of_older));
                    return Err(uploads_busy());
                }
            },
            None => self.acquire(token, brand).ok_or_else(uploads_busy)?,
        };
        older.replaced.send_replace(true);
        Ok(grants)
    }
}

#[macros::boxed]
impl ActiveUpload {
    /// Records that bytes have arrived.
    pub fn touch(&self, now: Monotonic) {
        locked(&self.state).last_byte_at = now;
    }

    /// Waits until a newer upload has replaced this one.
    pub async fn replaced(&self) {
        let mut replaced = self.replaced.subscribe();
        // The sender lives as long as `self`.
        let _ = replaced.wait_for(|replaced| *replaced).await;
    }
}

impl UploadPermit {
    pub fn upload(&self) -> Arc<ActiveUpload> {
        Arc::clone(&self.upload)
    }

    pub fn is_replaced(&self) -> bool {
        *self.upload.replaced.borrow()
    }

    /// Lets others upload the clip. The permit for the upload itself is kept.
    pub fn release_clip(&mut self) {
        let Some(clip) = self.clip.take() else { return };
        let mut clips = locked(&self.clips);
        if clips.get(&clip).is_some_and(|known| Arc::ptr_eq(known, &self.upload)) {
            clips.remove(&clip);
        }
    }
}

impl Drop for UploadPermit {
    fn drop(&mut self) {
        self.release_clip();
        locked(&self.upload.state).grants = None;
    }
}

fn uploads_busy() -> Error {
    let detail = "Too many uploads are in progress for this device, for its brand or in all.";
    Error::new(ErrorKind::Unavailable, "uploads_busy", detail).retry_after(10)
}

/// The error for an upload that was replaced.
pub(crate) fn upload_replaced() -> Error {
    let detail = "No bytes arrived for ten seconds, and a newer upload of this clip has replaced this one.";
    Error::new(ErrorKind::Conflict, "upload_replaced", detail)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIP: Option<ClipId> = Some(ClipId(1));
    const BRAND: BrandId = BrandId(1);

    fn at(seconds: i64) -> Monotonic {
        Monotonic::from_micros(seconds * 1_000_000)
    }

    fn places() -> UploadPermits {
        UploadPermits::new(UploadLimits { total: 4, per_brand: 2, per_token: 1 })
    }

    #[test]
    fn an_upload_is_not_ended_for_one_that_gets_no_place() {
        let places = places();
        let older = places.begin(TokenId(1), BRAND, CLIP, at(0)).ok().unwrap();
        let other = places.begin(TokenId(2), BRAND, None, at(0)).ok().unwrap();
        let refused = places.begin(TokenId(2), BRAND, CLIP, at(60)).err().unwrap();
        assert_eq!((refused.code, older.is_replaced()), ("uploads_busy", false));
        // The older upload has its permit still, too.
        assert!(places.begin(TokenId(3), BRAND, None, at(60)).is_err());
        drop(other);
        assert!(places.begin(TokenId(2), BRAND, CLIP, at(60)).is_ok());
        assert!(older.is_replaced());
    }

    #[test]
    fn a_device_replaces_its_own_silent_upload_though_it_has_no_other_place() {
        let places = places();
        let older = places.begin(TokenId(1), BRAND, CLIP, at(0)).ok().unwrap();
        assert_eq!(places.begin(TokenId(1), BRAND, CLIP, at(9)).err().unwrap().code, "upload_under_way");
        let newer = places.begin(TokenId(1), BRAND, CLIP, at(10)).ok().unwrap();
        assert!(older.is_replaced() && !newer.is_replaced());
        drop(older);
        assert!(places.begin(TokenId(1), BRAND, None, at(10)).is_err(), "the place is the newer one's");
        drop(newer);
        assert!(places.begin(TokenId(1), BRAND, None, at(10)).is_ok());
    }
}
