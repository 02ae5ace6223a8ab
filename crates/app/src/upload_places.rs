//! Places for uploads: one per clip, a few per token and brand, and so many in all.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use blobs::UploadLimits;
use domain::{BrandId, ClipId, Monotonic, Span, TokenId};
use tokio::sync::watch;

use crate::{Error, Grant, Kind, Shares};

/// An upload that has had no byte for so long gives its clip to a newer one.
const SILENCE: Span = Span::seconds(10);

/// The uploads that are under way in this process.
pub(crate) struct UploadPlaces {
    tokens: Shares<TokenId>,
    brands: Shares<BrandId>,
    clips: Clips,
}

type Clips = Arc<Mutex<HashMap<ClipId, Arc<UnderWay>>>>;

/// An upload that has a place; given back when dropped.
pub(crate) struct UploadPlace {
    under_way: Arc<UnderWay>,
    /// The clip that nobody else may send now; none if it was given back.
    clip: Option<ClipId>,
    clips: Clips,
}

/// What a newer upload of the same clip can know of an older one, and do to it.
pub(crate) struct UnderWay {
    state: Mutex<State>,
    replaced: watch::Sender<bool>,
}

struct State {
    last_byte: Monotonic,
    grants: Option<(Grant<BrandId>, Grant<TokenId>)>,
}

impl UploadPlaces {
    pub fn new(limits: UploadLimits) -> Self {
        Self {
            tokens: Shares::new(usize::MAX, limits.per_token as usize),
            brands: Shares::new(limits.at_once as usize, limits.per_brand as usize),
            clips: Clips::default(),
        }
    }

    /// Takes a place, and the clip if it is to be written. A silent upload of the same clip is ended for it.
    pub fn begin(
        &self,
        token: TokenId,
        brand: BrandId,
        clip: Option<ClipId>,
        now: Monotonic,
    ) -> Result<UploadPlace, Error> {
        let mut clips = locked(&self.clips);
        if let Some(older) = clip.and_then(|clip| clips.get(&clip)) {
            older.give_way(now)?;
        }
        let grants = self.tokens.try_take(token, 1).and_then(|of_token| {
            let of_brand = self.brands.try_take(brand, 1)?;
            Some((of_brand, of_token))
        });
        let grants = grants.ok_or_else(|| {
            let detail = "Too many uploads are under way, of this device, of its brand or in all.";
            Error::new(Kind::Unavailable, "uploads_busy", detail).retry_after(10)
        })?;
        let state = Mutex::new(State { last_byte: now, grants: Some(grants) });
        let under_way = Arc::new(UnderWay { state, replaced: watch::Sender::new(false) });
        if let Some(clip) = clip {
            clips.insert(clip, Arc::clone(&under_way));
        }
        Ok(UploadPlace { under_way, clip, clips: Arc::clone(&self.clips) })
    }
}

impl UnderWay {
    /// Ends it for a newer one, if it is silent. What it held is free at once.
    fn give_way(&self, now: Monotonic) -> Result<(), Error> {
        let mut state = locked(&self.state);
        let left = state.last_byte + SILENCE - now;
        if left > Span::ZERO {
            let detail = "Another upload of this clip is under way.";
            return Err(Error::new(Kind::Conflict, "upload_under_way", detail).retry_after(left.seconds_up()));
        }
        state.grants = None;
        self.replaced.send_replace(true);
        Ok(())
    }

    /// Says that a byte has come.
    pub fn touch(&self, now: Monotonic) {
        locked(&self.state).last_byte = now;
    }

    /// Done when a newer upload has taken its place.
    pub async fn replaced(&self) {
        let mut replaced = self.replaced.subscribe();
        // The sender lives as long as `self`.
        let _ = replaced.wait_for(|replaced| *replaced).await;
    }
}

impl UploadPlace {
    pub fn under_way(&self) -> Arc<UnderWay> {
        Arc::clone(&self.under_way)
    }

    pub fn is_replaced(&self) -> bool {
        *self.under_way.replaced.borrow()
    }

    /// Lets others send the clip; the place among all uploads is kept.
    pub fn give_clip_back(&mut self) {
        let Some(clip) = self.clip.take() else { return };
        let mut clips = locked(&self.clips);
        if clips.get(&clip).is_some_and(|known| Arc::ptr_eq(known, &self.under_way)) {
            clips.remove(&clip);
        }
    }
}

impl Drop for UploadPlace {
    fn drop(&mut self) {
        self.give_clip_back();
        locked(&self.under_way.state).grants = None;
    }
}

/// What an upload is told that had to give way.
pub(crate) fn replaced() -> Error {
    let detail = "Nothing came for ten seconds, and a newer upload of this clip has taken its place.";
    Error::new(Kind::Conflict, "upload_replaced", detail)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
