//! Writes that a client may repeat: the second gets the first one's answer, and nothing happens twice.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use domain::{PersonId, Span};
use store::{Answer, IdempotencyKey, Tx};

use crate::{App, Error, Kind};

/// How long an answer is kept.
pub(crate) const KEPT: Span = Span::minutes(24 * 60);

/// A write that makes something, and the answer it is to get.
pub struct Once<'a, T> {
    key: Option<IdempotencyKey>,
    shape: Box<dyn FnOnce(&T) -> Answer + Send + 'a>,
}

impl<'a, T> Once<'a, T> {
    /// With a key, the answer is kept under it; without one, every call makes something new.
    pub fn new(key: Option<IdempotencyKey>, shape: impl FnOnce(&T) -> Answer + Send + 'a) -> Self {
        Self { key, shape: Box::new(shape) }
    }

    /// Under which key it may be repeated.
    pub(crate) fn key(&self) -> Option<IdempotencyKey> {
        self.key.clone()
    }

    /// The answer for what was made without being kept.
    pub(crate) fn answer(self, made: &T) -> Answer {
        (self.shape)(made)
    }
}

/// Keys whose first call is under way in this process.
#[derive(Default)]
pub(crate) struct Running(Mutex<HashSet<IdempotencyKey>>);

/// Takes its key out again when the call ends, however it ends.
struct Entered<'a> {
    running: &'a Running,
    key: IdempotencyKey,
}

impl Running {
    fn enter(&self, key: &IdempotencyKey) -> Option<Entered<'_>> {
        let is_first = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone());
        is_first.then(|| Entered { running: self, key: key.clone() })
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.running.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

impl App {
    /// Whether the answer is there already, from a first call under the same key: then nothing need be looked at again.
    pub(crate) async fn is_repeat(&self, key: Option<IdempotencyKey>) -> Result<bool, Error> {
        let Some(key) = &key else { return Ok(false) };
        let since = self.clock.now() - KEPT;
        Ok(self.store.read().await?.idempotency_keys().is_kept(key, since).await?)
    }

    /// Runs an effect in a transaction and answers for it; under a key, only the first time. The answer is kept in the
    /// effect's own transaction, so that neither stands without the other. Refusals are not kept: they had no effect.
    pub(crate) async fn once<T>(
        &self,
        once: Once<'_, T>,
        effect: impl AsyncFnOnce(&mut Tx) -> Result<T, Error>,
    ) -> Result<Answer, Error> {
        self.once_naming(once, |_| None, effect).await
    }

    /// The same, for what is made about a person, so that the kept answer goes when that person is erased.
    pub(crate) async fn once_naming<T>(
        &self,
        once: Once<'_, T>,
        person: impl FnOnce(&T) -> Option<PersonId>,
        effect: impl AsyncFnOnce(&mut Tx) -> Result<T, Error>,
    ) -> Result<Answer, Error> {
        let Once { key, shape } = once;
        let Some(key) = key else {
            let mut tx = self.store.begin().await?;
            let made = effect(&mut tx).await?;
            tx.commit().await?;
            return Ok(shape(&made));
        };
        let _entered = self.running.enter(&key).ok_or_else(|| {
            Error::new(
                Kind::Conflict,
                "still_running",
                "The first call with this Idempotency-Key is under way.",
            )
        })?;
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        // Claimed before anything is done: one who comes at the same time in another process waits here.
        if !tx.idempotency_keys().claim(&key, now, now - KEPT).await? {
            return match tx.idempotency_keys().find(&key).await? {
                Some((Some(answer), true)) => Ok(answer),
                Some((None, true)) => Err(Error::new(
                    Kind::Conflict,
                    "person_erased",
                    "The first call with this Idempotency-Key was about a person who has been erased since.",
                )),
                _ => Err(reused()),
            };
        }
        let made = effect(&mut tx).await?;
        let answer = shape(&made);
        tx.idempotency_keys().keep(&key, &answer, person(&made)).await?;
        tx.commit().await?;
        Ok(answer)
    }
}

fn reused() -> Error {
    Error::new(
        Kind::Invalid,
        "idempotency_key_reused",
        "This Idempotency-Key was used with another body. Use a new one for another write.",
    )
}
