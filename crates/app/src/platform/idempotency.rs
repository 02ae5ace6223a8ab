//! Idempotent writes: a retry with the same key gets the stored response instead of a second effect.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use domain::{IdempotencyKey, PersonId, Span, StoredResponse};
use store::Tx;

use crate::{App, Error, ErrorKind};

/// Responses are stored for this long.
pub(crate) const RETENTION: Span = Span::minutes(24 * 60);

/// A write with the function that builds its response.
pub struct Idempotent<'a, T> {
    key: Option<IdempotencyKey>,
    respond: Box<dyn FnOnce(&T) -> StoredResponse + Send + 'a>,
}

impl<'a, T> Idempotent<'a, T> {
    /// With a key, the response is stored under it; without one, every call has an effect.
    pub fn new(key: Option<IdempotencyKey>, respond: impl FnOnce(&T) -> StoredResponse + Send + 'a) -> Self {
        Self { key, respond: Box::new(respond) }
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
pub(crate) struct InFlightKeys(Mutex<HashSet<IdempotencyKey>>);

/// Removes its key when the request ends, however it ends.
struct InFlightGuard<'a> {
    keys: &'a InFlightKeys,
    key: IdempotencyKey,
}

impl InFlightKeys {
    fn begin(&self, key: &IdempotencyKey) -> Option<InFlightGuard<'_>> {
        let is_first = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone());
        is_first.then(|| InFlightGuard { keys: self, key: key.clone() })
    }
}

impl Drop for InFlightGuard<'_> {
    fn drop(&mut self) {
        self.keys.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
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
        let Idempotent { key, respond: shape } = idempotent;
        let Some(key) = key else {
            let mut tx = self.store.begin().await?;
            let made = effect(&mut tx).await?;
            tx.commit().await?;
            return Ok(shape(&made));
        };
        let _guard = self.idempotency_in_flight.begin(&key).ok_or_else(|| {
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
