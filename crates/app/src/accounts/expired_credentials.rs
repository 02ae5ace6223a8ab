//! Sessions and service tokens that were found expired.
//!
//! An expiry that was noticed is final, even if the clock is set back. This process remembers it immediately and refuses the credential
//! from then on. It records it in the database as soon as that is possible: in the request that noticed it if the database answers soon,
//! and otherwise in the background. The other processes refuse the credential when that is done.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::{ServiceTokenId, SessionId, SessionKind, Span, Timestamp, UserState};
use store::{ServiceTokenWithAccount, SessionWithUser};
use tokio::time::timeout;

use crate::accounts::identity::CredentialError;
use crate::{App, Error, ErrorKind};

/// Time that a request waits for the expiry that it noticed to be recorded.
const RECORD_TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum number of expiries that wait to be recorded.
const MAX_UNRECORDED: usize = 50_000;
/// Maximum number of expiries that are recorded in one transaction.
const BATCH_SIZE: usize = 200;

/// A credential that was found expired. Expiries are recorded in this order, so that processes never wait for each other in a circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ExpiredCredential {
    Session(SessionId),
    ServiceToken(ServiceTokenId),
}

/// The expiries that this process has noticed and not yet recorded, with the times at which it did so.
#[derive(Default)]
pub(crate) struct UnrecordedExpiries(Mutex<BTreeMap<ExpiredCredential, Timestamp>>);

impl UnrecordedExpiries {
    fn entries(&self) -> MutexGuard<'_, BTreeMap<ExpiredCredential, Timestamp>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, credential: ExpiredCredential) -> Option<Timestamp> {
        self.entries().get(&credential).copied()
    }

    /// Remembers an expiry. Returns false if there is no room for it.
    fn remember(&self, credential: ExpiredCredential, noticed_at: Timestamp) -> bool {
        let mut entries = self.entries();
        if entries.len() >= MAX_UNRECORDED && !entries.contains_key(&credential) {
            return false;
        }
        entries.entry(credential).or_insert(noticed_at);
        true
    }

    fn next_batch(&self) -> Vec<(ExpiredCredential, Timestamp)> {
        self.entries().iter().take(BATCH_SIZE).map(|(credential, at)| (*credential, *at)).collect()
    }

    fn forget(&self, recorded: &[(ExpiredCredential, Timestamp)]) {
        let mut entries = self.entries();
        for (credential, _) in recorded {
            entries.remove(credential);
        }
    }
}

#[macros::boxed]
impl App {
    /// Ends a credential that was found expired: in this process immediately, and in its row if that is possible soon, otherwise later.
    /// Fails if it can neither be recorded nor remembered; then no response may say that it has expired.
    pub(super) async fn end_expired(
        &self,
        credential: ExpiredCredential,
        now: Timestamp,
    ) -> Result<(), Error> {
        if self.unrecorded_expiries.find(credential).is_some() {
            return Ok(());
        }
        let is_remembered = self.unrecorded_expiries.remember(credential, now);
        // It may still be cached, and would be found there if the clock were set back.
        self.clear_identity_cache();
        match timeout(RECORD_TIMEOUT, self.record_expiries(&[(credential, now)])).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => tracing::warn!("could not record an expired credential yet: {error}"),
            Err(_) => tracing::warn!("recording an expired credential takes long"),
        }
        match is_remembered {
            true => Ok(()),
            false => {
                let detail = "The database cannot be written to.";
                Err(Error::new(ErrorKind::Unavailable, "store_unavailable", detail).retry_after(5))
            }
        }
    }

    /// Records the expiries that could not be recorded when they were noticed. If that fails, they are kept for the next time.
    pub async fn record_noticed_expiries(&self) -> Result<(), Error> {
        loop {
            let batch = self.unrecorded_expiries.next_batch();
            if batch.is_empty() {
                return Ok(());
            }
            self.record_expiries(&batch).await?;
        }
    }

    /// Ends the rows of expired credentials, and clears the caches of all processes.
    async fn record_expiries(&self, expired: &[(ExpiredCredential, Timestamp)]) -> Result<(), Error> {
        let mut tx = self.store.begin().await?;
        for (credential, noticed_at) in expired {
            match credential {
                ExpiredCredential::Session(id) => tx.sessions(&self.platform).end(*id, *noticed_at).await?,
                ExpiredCredential::ServiceToken(id) => {
                    tx.service_tokens(&self.platform).expire(*id, *noticed_at).await?
                }
            };
        }
        self.commit_access_change(tx).await?;
        self.unrecorded_expiries.forget(expired);
        Ok(())
    }

    /// Returns the time after which an unused session expires.
    pub(crate) fn max_idle(&self, kind: SessionKind) -> Span {
        match kind {
            SessionKind::Cookie => Span::minutes(self.config.cookie_idle_timeout_minutes.into()),
            SessionKind::Jwt => Span::minutes(i64::from(self.config.refresh_idle_timeout_days) * 24 * 60),
        }
    }

    /// Checks that a session is neither ended nor expired nor idle for too long, and that its user is still active. A session that was
    /// ended after its expiry counts as expired.
    pub(crate) fn check_session(
        &self,
        found: &SessionWithUser,
        now: Timestamp,
    ) -> Result<(), CredentialError> {
        let session = &found.session;
        let expires_at = session.expires_at.min(session.last_used_at + self.max_idle(session.kind));
        let noticed_at = || self.unrecorded_expiries.find(ExpiredCredential::Session(session.id));
        let ended_at = session.ended_at.or_else(noticed_at);
        match ended_at {
            _ if found.state != UserState::Active => Err(CredentialError::Invalid),
            at if at.unwrap_or(now) >= expires_at => Err(CredentialError::Expired),
            Some(_) => Err(CredentialError::Invalid),
            None => Ok(()),
        }
    }

    /// Checks that a service account's token is neither ended nor expired, and that its account is not archived. A token that was ended
    /// after its expiry counts as expired.
    pub(crate) fn check_service_token(
        &self,
        found: &ServiceTokenWithAccount,
        now: Timestamp,
    ) -> Result<(), CredentialError> {
        let noticed_at = || self.unrecorded_expiries.find(ExpiredCredential::ServiceToken(found.id));
        match found.ended_at.or_else(noticed_at) {
            _ if found.state != UserState::Active => Err(CredentialError::Invalid),
            at if at.unwrap_or(now) >= found.expires_at => Err(CredentialError::Expired),
            Some(_) => Err(CredentialError::Invalid),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expiries_are_kept_until_they_are_recorded_and_only_so_many() {
        let expiries = UnrecordedExpiries::default();
        let at = Timestamp::from_seconds(1_772_366_430);
        let later = at + Span::seconds(1);
        let session = |id| ExpiredCredential::Session(SessionId(id));
        let count = i64::try_from(MAX_UNRECORDED).unwrap();
        for id in 0..count {
            assert!(expiries.remember(session(id), at));
        }
        assert!(expiries.remember(session(0), later));
        assert_eq!(expiries.find(session(0)), Some(at), "the time at which it was noticed first");
        let token = ExpiredCredential::ServiceToken(ServiceTokenId(0));
        assert!(!expiries.remember(token, at));
        assert_eq!(expiries.find(token), None);
        let batch = expiries.next_batch();
        assert_eq!(batch.len(), BATCH_SIZE);
        expiries.forget(&batch);
        assert_eq!(expiries.find(session(0)), None);
        assert!(expiries.remember(token, at));
        let mut batches = 0;
        while !expiries.entries().is_empty() {
            expiries.forget(&expiries.next_batch());
            batches += 1;
        }
        assert_eq!(batches, MAX_UNRECORDED.div_ceil(BATCH_SIZE), "the token is in the last one");
    }
}
