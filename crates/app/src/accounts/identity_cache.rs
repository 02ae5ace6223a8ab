//! A cache from credentials to the identities behind them.
//!
//! A process drops its cache as soon as the installation's `auth_version` changes, and checks that version before it trusts the
//! cache for longer than [`VERSION_CHECK_INTERVAL`]. So a logout or a revocation in any process takes effect in all of them
//! within a second, and a request costs no query while nothing changes.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use domain::{BrandId, Clock, Monotonic, SessionId, Span};
use store::Tx;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::accounts::identity::Identity;
use crate::accounts::jwt::{self, JwtKeys};
use crate::{App, Error, ErrorKind};

/// Age of the last check of `auth_version` after which the next request checks again.
const VERSION_CHECK_INTERVAL: Span = Span::millis(400);
/// Age up to which the last check is good enough while another is in progress; beyond it every request waits for the new one.
const MAX_VERSION_AGE: Span = Span::millis(900);
/// Time for which an identity is cached. The last use is recorded when the identity is read again, so at most once in this time.
pub(super) const IDENTITY_TTL: Span = Span::minutes(1);
/// Time that a check may take before the database counts as unavailable.
const VERSION_CHECK_TIMEOUT: Duration = Duration::from_secs(3);
/// Maximum number of cached identities. When it is reached, the cache is emptied.
const MAX_IDENTITIES: usize = 50_000;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum CacheKey {
    Cookie([u8; 32]),
    Session(SessionId),
    ServiceToken([u8; 32]),
    Device([u8; 32]),
}

struct CachedIdentity {
    identity: Identity,
    cached_at: Monotonic,
    /// Whether this use of the credential was recorded. Otherwise the next request that counts as one looks it up again.
    is_use: bool,
}

#[derive(Default)]
struct CacheState {
    version: i64,
    /// Incremented whenever the cache is cleared. Rows that were read in an earlier epoch are not cached.
    epoch: u64,
    version_checked_at: Option<Monotonic>,
    identities: HashMap<CacheKey, CachedIdentity>,
    /// Credentials that were valid at some time, with their brand. They stay here when their identity is no longer cached.
    previously_valid: HashMap<CacheKey, BrandId>,
    keys: Option<Arc<JwtKeys>>,
}

impl CacheState {
    fn clear(&mut self) {
        let previously_valid = std::mem::take(&mut self.previously_valid);
        *self = Self { version: self.version, epoch: self.epoch + 1, previously_valid, ..Self::default() };
    }
}

/// The identities and signing keys that this process has verified recently.
#[derive(Default)]
pub(crate) struct IdentityCache {
    state: RwLock<CacheState>,
    /// Locked during a check. The value is the time of the last failed check.
    version_check: Mutex<Option<Instant>>,
}

impl IdentityCache {
    fn read<T>(&self, look: impl FnOnce(&CacheState) -> T) -> T {
        look(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, change: impl FnOnce(&mut CacheState) -> T) -> T {
        change(&mut self.state.write().unwrap_or_else(PoisonError::into_inner))
    }

    fn version_age(&self, now: Monotonic) -> Option<Span> {
        self.read(|state| state.version_checked_at).map(|at| now - at)
    }

    /// Returns the number of times that the cache was cleared. It is read before the rows that are to be cached.
    pub(super) fn epoch(&self) -> u64 {
        self.read(|state| state.epoch)
    }

    /// Returns the brand of a credential that was valid before.
    pub(super) fn previous_brand(&self, key: CacheKey) -> Option<BrandId> {
        self.read(|state| state.previously_valid.get(&key).copied())
    }

    /// Finds the identity of a credential, unless it is too old, has ended, or this use of it has yet to be recorded.
    pub(super) fn find(&self, key: CacheKey, is_use: bool, clock: &Clock) -> Option<Identity> {
        let (now, elapsed) = (clock.now(), clock.monotonic());
        self.read(|state| {
            let cached = state.identities.get(&key)?;
            let ends = match &cached.identity {
                Identity::User(user) => now >= user.sign_in_expires_at,
                Identity::Device(_) => false,
            };
            let is_recorded = cached.is_use || !is_use;
            (elapsed - cached.cached_at < IDENTITY_TTL && !ends && is_recorded)
                .then(|| cached.identity.clone())
        })
    }

    /// Caches an identity whose rows were read in this epoch, with whether its use was recorded. If the cache was cleared since, the rows
    /// may be stale and are not cached.
    pub(super) fn insert(
        &self,
        key: CacheKey,
        (identity, is_use): (Identity, bool),
        epoch: u64,
        cached_at: Monotonic,
    ) {
        let brand = identity.brand();
        let cached = CachedIdentity { identity, cached_at, is_use };
        self.write(|state| {
            if state.previously_valid.len() >= MAX_IDENTITIES {
                state.previously_valid.clear();
            }
            state.previously_valid.insert(key, brand);
            if state.epoch == epoch {
                if state.identities.len() >= MAX_IDENTITIES {
                    state.identities.clear();
                }
                state.identities.insert(key, cached);
            }
        });
    }
}

#[macros::boxed]
impl App {
    /// Commits a change of access rights. This process clears its cache immediately, the others do so within a second.
    pub(crate) async fn commit_access_change(&self, mut tx: Tx) -> Result<(), Error> {
        self.mark_access_change(&mut tx).await?;
        tx.commit().await?;
        self.clear_identity_cache();
        Ok(())
    }

    /// Marks a transaction that changes access rights and is committed elsewhere. [`Self::clear_identity_cache`] comes after the commit.
    pub(crate) async fn mark_access_change(&self, tx: &mut Tx) -> Result<(), Error> {
        tx.installation(&self.platform).bump_auth_version().await?;
        Ok(())
    }

    /// Clears the cache of this process, after access rights have changed.
    pub(crate) fn clear_identity_cache(&self) {
        self.identity_cache.write(CacheState::clear);
    }

    /// Returns a number that rises whenever access may have changed, in this process at once and in others within a second.
    pub(crate) async fn access_epoch(&self) -> Result<u64, Error> {
        self.check_auth_version().await?;
        Ok(self.identity_cache.epoch())
    }

    pub(crate) async fn check_auth_version(&self) -> Result<(), Error> {
        let now = self.clock.monotonic();
        let is_fresh = |age: Option<Span>| age.is_some_and(|age| age < VERSION_CHECK_INTERVAL);
        let age = self.identity_cache.version_age(now);
        if is_fresh(age) {
            return Ok(());
        }
        let began = Instant::now();
        let mut version_check = if age.is_some_and(|age| age < MAX_VERSION_AGE) {
            let Ok(looking) = self.identity_cache.version_check.try_lock() else { return Ok(()) };
            looking
        } else {
            self.identity_cache.version_check.lock().await
        };
        let now = self.clock.monotonic();
        if is_fresh(self.identity_cache.version_age(now)) {
            return Ok(());
        }
        // Requests that waited for a check that failed share its outcome. Otherwise each would wait for a check of its own in turn.
        if version_check.is_some_and(|failed| failed >= began) {
            return Err(store_unavailable());
        }
        let epoch = self.identity_cache.epoch();
        let version = match timeout(VERSION_CHECK_TIMEOUT, self.read_auth_version())
            .await
            .unwrap_or_else(|_| Err(store_unavailable()))
        {
            Ok(version) => version,
            Err(error) => {
                *version_check = Some(Instant::now());
                return Err(error);
            }
        };
        self.identity_cache.write(|state| {
            // If the cache was cleared in the meantime, this version may be older than the change that cleared it.
            if state.epoch != epoch {
                return;
            }
            if state.version != version {
                state.clear();
                state.version = version;
            }
            state.version_checked_at = Some(now);
        });
        Ok(())
    }

    /// Reads the current version. If it has changed, the keys may have been rotated, so they are refreshed first: without the new key
    /// no credential can be verified.
    async fn read_auth_version(&self) -> Result<i64, Error> {
        let mut tx = self.store.read().await?;
        let version = tx.installation(&self.platform).auth_version().await?;
        if version != self.identity_cache.read(|state| state.version) {
            self.refresh_keys(&mut tx).await.inspect_err(|error| tracing::error!("{error}"))?;
        }
        Ok(version)
    }

    /// Returns the signing keys, which are cached like the identities.
    pub(crate) async fn signing_keys(&self) -> Result<Arc<JwtKeys>, Error> {
        if let Some(keys) = self.identity_cache.read(|state| state.keys.clone()) {
            return Ok(keys);
        }
        let epoch = self.identity_cache.epoch();
        let mut tx = self.store.read().await?;
        let mut rows = tx.installation(&self.platform).signing_keys().await?;
        for key in &mut rows {
            let sealed_for = (jwt::SEAL_PURPOSE, key.kid.as_bytes());
            key.secret = self.unseal_in(&mut tx, sealed_for, &key.secret).await?;
        }
        drop(tx);
        let keys = Arc::new(JwtKeys::new(&rows)?);
        self.identity_cache.write(|state| {
            if state.epoch == epoch {
                state.keys = Some(Arc::clone(&keys));
            }
        });
        Ok(keys)
    }
}

fn store_unavailable() -> Error {
    Error::new(ErrorKind::Unavailable, "store_unavailable", "The database cannot be reached.").retry_after(5)
}
