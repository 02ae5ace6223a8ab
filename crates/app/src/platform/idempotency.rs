//! Idempotent writes: a retry with the same key gets the stored response instead of a second effect.

use std::time::Duration;

use domain::{IdempotencyKey, PersonId, Span, StoredResponse};
use store::Tx;
use tokio::time::{sleep, timeout};

use crate::{App, Error, ErrorKind};

/// The code of the error for a repeat that comes while the first request is still running.
pub const STILL_RUNNING: &str = "still_running";
/// Responses are stored for this long.
pub(crate) const RETENTION: Span = Span::minutes(24 * 60);
/// The outcome of a commit that the database did not confirm is looked up for this long, and again after each pause.
const LOOK_UP_TIMEOUT: Duration = Duration::from_secs(10);
const LOOK_UP_PAUSE: Duration = Duration::from_millis(200);

/// A write with the function that builds its response.
pub struct Idempotent<'a, T> {
    pub(super) key: Option<IdempotencyKey>,
    pub(super) repeat: Repeat,
    pub(super) respond: Box<dyn FnOnce(&T) -> StoredResponse + Send + 'a>,
}

/// What happens to a repeat that comes while the first request is still running.
#[derive(Clone, Copy)]
pub(super) enum Repeat {
    /// It is refused as [`STILL_RUNNING`].
    Refused,
    /// It waits for the response to the first.
    Waiting,
}

impl<'a, T> Idempotent<'a, T> {
    /// With a key, the response is stored under it; without one, every call has an effect.
    pub fn new(key: Option<IdempotencyKey>, respond: impl FnOnce(&T) -> StoredResponse + Send + 'a) -> Self {
        Self { key, repeat: Repeat::Refused, respond: Box::new(respond) }
    }

    /// A repeat that comes while the first request is still running waits for its response instead of being refused.
    #[must_use]
    pub fn waiting(mut self) -> Self {
        self.repeat = Repeat::Waiting;
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
        let Idempotent { key, repeat, respond: shape } = idempotent;
        let Some(key) = key else {
            let mut tx = self.store.begin().await?;
            let made = effect(&mut tx).await?;
            tx.commit().await?;
            return Ok(shape(&made));
        };
        let guard = match repeat {
            Repeat::Waiting => self.idempotency_in_flight.begin_after(&key).await,
            Repeat::Refused => self.idempotency_in_flight.begin(&key),
        };
        let _guard = guard.ok_or_else(|| {
            let detail = "The first request with this Idempotency-Key is still running.";
            Error::new(ErrorKind::Conflict, STILL_RUNNING, detail)
        })?;
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        // Claimed before the effect: a concurrent request in another process waits here.
        if !tx.idempotency_keys().claim(&key, now, now - RETENTION).await? {
            return stored_response(&mut tx, &key).await;
        }
        let made = effect(&mut tx).await?;
        let answer = shape(&made);
        tx.idempotency_keys().store_response(&key, &answer, person(&made)).await?;
        match tx.commit().await {
            Ok(()) => Ok(answer),
            Err(unknown @ store::Error::OutcomeUnknown(_)) => self.settle_outcome(&key, unknown).await,
            Err(error) => Err(error.into()),
        }
    }

    /// Responds to a write under a key whose commit the database did not confirm: as stored if it was made, and otherwise with an error
    /// after which the same request can be sent again.
    async fn settle_outcome(
        &self,
        key: &IdempotencyKey,
        unknown: store::Error,
    ) -> Result<StoredResponse, Error> {
        tracing::warn!("{unknown}; its Idempotency-Key is looked up");
        let look_up = async {
            loop {
                match self.find_settled(key).await {
                    Err(error) if error.kind == ErrorKind::Unavailable => sleep(LOOK_UP_PAUSE).await,
                    settled => return settled,
                }
            }
        };
        match timeout(LOOK_UP_TIMEOUT, look_up).await {
            Ok(Ok(Some(answer))) => Ok(answer),
            Ok(Ok(None)) => {
                let detail =
                    "The connection to the database was lost before the change was made; send it again.";
                Err(Error::new(ErrorKind::Unavailable, "store_unavailable", detail).retry_after(1))
            }
            Ok(Err(error)) => Err(error),
            // The same request with the same key can be sent again whatever happened.
            Err(_) => Err(Error::from(unknown).retry_after(5)),
        }
    }

    /// Returns the response of a write under a key, or none if it was not made. A plain read could come too early: claiming the key waits
    /// for the transaction of the write, if the server still has it open, so that it cannot be committed afterwards.
    async fn find_settled(&self, key: &IdempotencyKey) -> Result<Option<StoredResponse>, Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        if tx.idempotency_keys().claim(key, now, now - RETENTION).await? {
            // The claim is rolled back.
            return Ok(None);
        }
        stored_response(&mut tx, key).await.map(Some)
    }
}

/// Returns the response that is stored under a key.
async fn stored_response(tx: &mut Tx, key: &IdempotencyKey) -> Result<StoredResponse, Error> {
    match tx.idempotency_keys().find(key).await? {
        Some((Some(answer), true)) => Ok(answer),
        Some((None, true)) => Err(Error::new(
            ErrorKind::Conflict,
            "person_erased",
            "The first request with this Idempotency-Key concerned a person who has since been erased.",
        )),
        _ => Err(key_reused()),
    }
}

fn key_reused() -> Error {
    Error::new(
        ErrorKind::Invalid,
        "idempotency_key_reused",
        "This Idempotency-Key was used with another body. Use a new key for a different request.",
    )
}
