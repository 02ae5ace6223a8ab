//! Idempotent writes: a retry with the same key gets the stored response instead of a second effect.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use domain::{IdempotencyKey, PersonId, Span, StoredResponse};
use store::Tx;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use crate::{App, Error, ErrorKind};

/// Responses are stored for this long.
pub(crate) const RETENTION: Span = Span::minutes(24 * 60);
/// A repeat that waits for the first request gives up after this long.
const MAX_WAIT: std::time::Duration = std::time::Duration::from_secs(10);

/// A write with the function that builds its response.
pub struct Idempotent<'a, T> {
    key: Option<IdempotencyKey>,
    waits: bool,
    respond: Box<dyn FnOnce(&T) -> StoredResponse + Send + 'a>,
}

impl<'a, T> Idempotent<'a, T> {
    /// With a key, the response is stored under it; without one, every call has an effect.
    pub fn new(key: Option<IdempotencyKey>, respond: impl FnOnce(&T) -> StoredResponse + Send + 'a) -> Self {
        Self { key, waits: false, respond: Box::new(respond) }
    }

    /// A repeat that comes while the first request is still running waits for its response instead of being refused.
    #[must_use]
    pub fn waiting(mut self) -> Self {
        self.waits = true;
        self
    }

    pub(crate) fn key(&self) -> Option<IdempotencyKey> {
        self.key.clone()
    }

    /// Builds the response without storing it.
    pub(crate) fn into_response(self, made: &T) -> StoredResponse {
        (self.respond)(made)
    }
}

/// Keys whose first request is running in this process.
#[derive(Default)]
pub(crate) struct InFlightKeys {
    keys: Mutex<HashSet<IdempotencyKey>>,
    /// Wakes all that wait whenever one request ends.
    ended: Notify,
}

/// Removes its key when the request ends, however it ends.
struct InFlightGuard<'a> {
    running: &'a InFlightKeys,
    key: IdempotencyKey,
}

impl InFlightKeys {
    fn begin(&self, key: &IdempotencyKey) -> Option<InFlightGuard<'_>> {
        let is_first = self.keys.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone());
        is_first.then(|| InFlightGuard { running: self, key: key.clone() })
    }

    /// The same, but waits a while for a request with this key that is running.
    async fn begin_after(&self, key: &IdempotencyKey) -> Option<InFlightGuard<'_>> {
        let deadline = Instant::now() + MAX_WAIT;
        loop {
            // Made before the look at the keys, so that it is woken by a request that ends in between.
            let ended = self.ended.notified();
            if let Some(guard) = self.begin(key) {
                return Some(guard);
            }
            timeout_at(deadline, ended).await.ok()?;
        }
    }
}

impl Drop for InFlightGuard<'_> {
    fn drop(&mut self) {
        self.running.keys.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
        self.running.ended.notify_waiters();
    }
}

impl App {
    /// Returns whether a response is stored under the key, so that nothing needs to be checked again.
    pub async fn has_stored_response(&self, key: Option<IdempotencyKey>) -> Result<bool, Error> {
        let Some(key) = &key else { return Ok(false) };
        let since = self.clock.now() - RETENTION;
        Ok(self.store.read().await?.idempotency_keys().has_response_since(key, since).await?)
    }

    /// Runs an effect in a transaction and builds its response; under a key, only the first time. The response is stored in the same
    /// transaction, so that neither exists without the other. Errors are not stored, because they had no effect.
    pub(crate) async fn run_idempotent<T>(
        &self,
        idempotent: Idempotent<'_, T>,
        effect: impl AsyncFnOnce(&mut Tx) -> Result<T, Error>,
    ) -> Result<StoredResponse, Error> {
        self.run_idempotent_for_person(idempotent, |_| None, effect).await
    }

    /// The same for an effect that concerns a person, so that the stored response is deleted when that person is erased.
    pub(crate) async fn run_idempotent_for_person<T>(
        &self,
        idempotent: Idempotent<'_, T>,
        person: impl FnOnce(&T) -> Option<PersonId>,
        effect: impl AsyncFnOnce(&mut Tx) -> Result<T, Error>,
    ) -> Result<StoredResponse, Error> {
        let Idempotent { key, waits, respond: shape } = idempotent;
        let Some(key) = key else {
            let mut tx = self.store.begin().await?;
            let made = effect(&mut tx).await?;
            tx.commit().await?;
            return Ok(shape(&made));
        };
        let guard = match waits {
            true => self.idempotency_in_flight.begin_after(&key).await,
            false => self.idempotency_in_flight.begin(&key),
        };
        let _guard = guard.ok_or_else(|| {
            Error::new(
                ErrorKind::Conflict,
                "still_running",
                "The first request with this Idempotency-Key is still running.",
            )
        })?;
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        // Claimed before the effect: a concurrent request in another process waits here.
        if !tx.idempotency_keys().claim(&key, now, now - RETENTION).await? {
            return match tx.idempotency_keys().find(&key).await? {
                Some((Some(answer), true)) => Ok(answer),
                Some((None, true)) => Err(Error::new(
                    ErrorKind::Conflict,
                    "person_erased",
                    "The first request with this Idempotency-Key concerned a person who has since been erased.",
                )),
                _ => Err(key_reused()),
            };
        }
        let made = effect(&mut tx).await?;
        let answer = shape(&made);
        tx.idempotency_keys().store_response(&key, &answer, person(&made)).await?;
        tx.commit().await?;
        Ok(answer)
    }
}

fn key_reused() -> Error {
    Error::new(
        ErrorKind::Invalid,
        "idempotency_key_reused",
        "This Idempotency-Key was used with another body. Use a new key for a different request.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> IdempotencyKey {
        IdempotencyKey {
            caller: "user 1".to_owned(),
            operation: "POST /x".to_owned(),
            key: "k".to_owned(),
            body_hash: [0; 32],
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_repeat_waits_for_the_first_and_gives_up_after_a_while() {
        let running = InFlightKeys::default();
        let first = running.begin(&key());
        assert!(first.is_some() && running.begin(&key()).is_none());
        assert!(running.begin_after(&key()).await.is_none(), "the first is still running");
        let repeat = async { running.begin_after(&key()).await.is_some() };
        let end = async {
            tokio::task::yield_now().await;
            drop(first);
        };
        let (is_admitted, ()) = tokio::join!(repeat, end);
        assert!(is_admitted);
    }
}
