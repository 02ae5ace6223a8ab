//! Writes that a client may repeat: the second gets the first one's answer, and nothing happens twice.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use domain::{PersonId, Span};
use store::{IdempotencyKey, StoredResponse, Tx};

use crate::{App, Error, ErrorKind};

/// How long an answer is kept.
pub(crate) const RETENTION: Span = Span::minutes(24 * 60);

/// A write that makes something, and the answer it is to get.
pub struct Idempotent<'a, T> {
    key: Option<IdempotencyKey>,
    respond: Box<dyn FnOnce(&T) -> StoredResponse + Send + 'a>,
}

impl<'a, T> Idempotent<'a, T> {
    /// With a key, the answer is kept under it; without one, every call makes something new.
    pub fn new(key: Option<IdempotencyKey>, respond: impl FnOnce(&T) -> StoredResponse + Send + 'a) -> Self {
        Self { key, respond: Box::new(respond) }
    }

    /// Under which key it may be repeated.
    pub(crate) fn key(&self) -> Option<IdempotencyKey> {
        self.key.clone()
    }

    /// The answer for what was made without being kept.
    pub(crate) fn into_response(self, made: &T) -> StoredResponse {
        (self.respond)(made)
    }
}

/// Keys whose first call is under way in this process.
#[derive(Default)]
pub(crate) struct InFlightKeys(Mutex<HashSet<IdempotencyKey>>);

/// Takes its key out again when the call ends, however it ends.
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
    /// Whether the answer is there already, from a first call under the same key: then nothing need be looked at again.
    pub(crate) async fn has_stored_response(&self, key: Option<IdempotencyKey>) -> Result<bool, Error> {
        let Some(key) = &key else { return Ok(false) };
        let since = self.clock.now() - RETENTION;
        Ok(self.store.read().await?.idempotency_keys().has_response_since(key, since).await?)
    }

    /// Runs an effect in a transaction and answers for it; under a key, only the first time. The answer is kept in the
    /// effect's own transaction, so that neither stands without the other. Refusals are not kept: they had no effect.
    pub(crate) async fn run_idempotent<T>(
        &self,
        idempotent: Idempotent<'_, T>,
        effect: impl AsyncFnOnce(&mut Tx) -> Result<T, Error>,
    ) -> Result<StoredResponse, Error> {
        self.run_idempotent_for_person(idempotent, |_| None, effect).await
    }

    /// The same, for what is made about a person, so that the kept answer goes when that person is erased.
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
                "The first call with this Idempotency-Key is under way.",
            )
        })?;
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        // Claimed before anything is done: one who comes at the same time in another process waits here.
        if !tx.idempotency_keys().claim(&key, now, now - RETENTION).await? {
            return match tx.idempotency_keys().find(&key).await? {
                Some((Some(answer), true)) => Ok(answer),
                Some((None, true)) => Err(Error::new(
                    ErrorKind::Conflict,
                    "person_erased",
                    "The first call with this Idempotency-Key was about a person who has been erased since.",
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
        "This Idempotency-Key was used with another body. Use a new one for another write.",
    )
}
