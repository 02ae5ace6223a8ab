//! A cache from credentials to the identities behind them.
//!
//! A process drops its cache as soon as the installation's `auth_version` changes, and checks that version before it trusts the
//! cache for longer than [`VERSION_CHECK_INTERVAL`]. So a logout or a revocation in any process takes effect in all of them
//! within a second, and a request costs no query while nothing changes.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use domain::{BrandId, Monotonic, SessionId, SessionKind, Span, Timestamp, UserId, UserState};
use store::{Projects, ServiceTokenWithAccount, SessionWithUser, Tenant, Tx};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::accounts::caller::SignIn;
use crate::accounts::identity::{Authenticated, Credential, CredentialError, DeviceIdentity, Identity};
use crate::accounts::jwt::{self, JwtKeys, SignedCredential};
use crate::accounts::secret_digest::digest;
use crate::{App, Error, ErrorKind, UserIdentity};

/// Age of the last check of `auth_version` after which the next request checks again.
const VERSION_CHECK_INTERVAL: Span = Span::millis(400);
/// Age up to which the last check is good enough while another is in progress; beyond it every request waits for the new one.
const MAX_VERSION_AGE: Span = Span::millis(900);
/// Time for which an identity is cached. The last use is recorded when the identity is read again, so at most once in this time.
const IDENTITY_TTL: Span = Span::minutes(1);
/// Time that a check may take before the database counts as unavailable.
const VERSION_CHECK_TIMEOUT: Duration = Duration::from_secs(3);
/// Time that a request waits for its last use to be recorded.
const LAST_USE_TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum number of cached identities. When it is reached, the cache is emptied.
const MAX_IDENTITIES: usize = 50_000;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum CacheKey {
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

/// Whether the proofs of a session count for the credential that was presented.
#[derive(Clone, Copy)]
enum Proofs {
    Count,
    DoNotCount,
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
}

#[macros::boxed]
impl App {
    /// Returns the tenant whose share a lookup of this credential is charged to, if the credential was valid before. Charging its brand
    /// keeps one brand from delaying the lookups of another. For an unknown credential it is `None`, because strangers could otherwise
    /// cause any number of queries.
    pub fn previously_valid_tenant(&self, credential: Credential<'_>) -> Option<Tenant> {
        let key = match credential {
            Credential::Cookie(cookie) | Credential::CookieOfOpenPage(cookie) => {
                CacheKey::Cookie(digest(cookie))
            }
            Credential::Device(token, _) => CacheKey::Device(digest(token)),
            // The signature keeps strangers from causing queries.
            Credential::Jwt(_) => return Some(Tenant::SignedTokenLookup),
        };
        self.identity_cache.read(|state| state.previously_valid.get(&key).copied()).map(Tenant::Brand)
    }

    /// Finds the identity behind a credential. The outer error is a failure of the service, the inner one a refusal.
    pub async fn identify(
        &self,
        credential: Credential<'_>,
    ) -> Result<Result<Authenticated, CredentialError>, Error> {
        self.check_auth_version().await?;
        match credential {
            Credential::Cookie(cookie) | Credential::CookieOfOpenPage(cookie) => {
                let is_use = matches!(credential, Credential::Cookie(_));
                let found = self.identify_key(CacheKey::Cookie(digest(cookie)), is_use).await?;
                Ok(found.map(|identity| {
                    let expires_at = match &identity {
                        Identity::User(user) => Some(user.sign_in_expires_at),
                        Identity::Device(_) => None,
                    };
                    Authenticated { identity, expires_at }
                }))
            }
            Credential::Jwt(token) => match self.verify_access_token(token).await? {
                Err(refusal) => Ok(Err(refusal)),
                Ok(bearer) => {
                    let key = match bearer.credential {
                        SignedCredential::Session(id) => CacheKey::Session(id),
                        SignedCredential::ServiceToken(hash) => CacheKey::ServiceToken(hash),
                    };
                    let found = self.identify_key(key, true).await?;
                    Ok(found.and_then(|identity| match &identity {
                        Identity::User(user) if user.user == bearer.user => {
                            let expires_at = match user.service_token() {
                                Some(_) => bearer.expires_at.min(user.sign_in_expires_at),
                                None => bearer.expires_at,
                            };
                            Ok(Authenticated { identity, expires_at: Some(expires_at) })
                        }
                        _ => Err(CredentialError::Invalid),
                    }))
                }
            },
            Credential::Device(token, kinds) => {
                if !kinds.iter().any(|kind| token.starts_with(kind.prefix())) {
                    return Ok(Err(CredentialError::Invalid));
                }
                let found = self.identify_key(CacheKey::Device(digest(token)), true).await?;
                Ok(found.and_then(|identity| match &identity {
                    Identity::Device(device) if kinds.contains(&device.token.kind) => {
                        Ok(Authenticated { identity, expires_at: None })
                    }
                    _ => Err(CredentialError::Invalid),
                }))
            }
        }
    }

    async fn identify_key(
        &self,
        key: CacheKey,
        is_use: bool,
    ) -> Result<Result<Identity, CredentialError>, Error> {
        if let Some(identity) = self.cached_identity(key, is_use) {
            return Ok(Ok(identity));
        }
        // Read before the rows: if the cache is cleared in between, the rows may be stale and are not cached.
        let epoch = self.identity_cache.read(|state| state.epoch);
        let found = match key {
            CacheKey::Cookie(hash) => {
                let mut tx = self.store.read().await?;
                let found = tx.sessions(&self.platform).by_cookie_hash(&hash).await?;
                if found.is_none() {
                    return self.identify_replaced_cookie(tx, hash).await;
                }
                self.validate_session(tx, found, Proofs::Count, is_use).await?
            }
            CacheKey::Session(id) => {
                let mut tx = self.store.read().await?;
                let found = tx.sessions(&self.platform).by_id(id).await?;
                self.validate_session(tx, found, Proofs::Count, is_use).await?
            }
            CacheKey::ServiceToken(hash) => self.identify_service_account(hash).await?,
            CacheKey::Device(hash) => self.identify_device(hash).await?,
        };
        if let Ok(identity) = &found {
            let brand = identity.brand();
            let cached_at = self.clock.monotonic();
            let cached = CachedIdentity { identity: identity.clone(), cached_at, is_use };
            self.identity_cache.write(|state| {
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
        Ok(found)
    }

    fn cached_identity(&self, key: CacheKey, is_use: bool) -> Option<Identity> {
        let (now, elapsed) = (self.clock.now(), self.clock.monotonic());
        self.identity_cache.read(|state| {
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

    /// Finds the session whose cookie was replaced by the proof of a form a moment ago, without that proof. It is not cached, because it is
    /// over in some seconds.
    async fn identify_replaced_cookie(
        &self,
        mut tx: Tx,
        hash: [u8; 32],
    ) -> Result<Result<Identity, CredentialError>, Error> {
        let Some(session) = self.session_of_replaced_cookie(&hash) else {
            return Ok(Err(CredentialError::Invalid));
        };
        let found = tx.sessions(&self.platform).among(&[session]).await?.pop();
        self.validate_session(tx, found, Proofs::DoNotCount, false).await
    }

    async fn validate_session(
        &self,
        mut tx: Tx,
        found: Option<SessionWithUser>,
        proofs: Proofs,
        is_use: bool,
    ) -> Result<Result<Identity, CredentialError>, Error> {
        let now = self.clock.now();
        let Some(found) = found else { return Ok(Err(CredentialError::Invalid)) };
        if let Err(refusal) = self.check_session(&found, now) {
            drop(tx);
            if refusal == CredentialError::Expired && found.session.ended_at.is_none() {
                let id = found.session.id;
                self.end_expired(async |tx| tx.sessions(&self.platform).end(id, now).await).await;
            }
            return Ok(Err(refusal));
        }
        let projects = self.projects_of(&mut tx, found.session.user, found.restricted).await?;
        drop(tx);
        if is_use && is_last_use_stale(found.session.last_used_at, now) {
            let id = found.session.id;
            self.record_last_use(async |tx| tx.sessions(&self.platform).record_use(id, now).await).await;
        }
        Ok(Ok(Identity::User(Arc::new(UserIdentity {
            user: found.session.user,
            email: found.email,
            name: found.name,
            role: found.role,
            sign_in: SignIn::Session {
                id: found.session.id,
                kind: found.session.kind,
                proven_at: match proofs {
                    Proofs::Count => Some(found.session.proven_at),
                    Proofs::DoNotCount => None,
                },
            },
            sign_in_expires_at: found.session.expires_at,
            brand_name: found.brand_name,
            viewers_see_names: found.viewers_see_names,
            password_change_due: found.password_change_due,
            has_second_factor: found.has_second_factor,
            second_factor_required: found.second_factor_roles.contains(&found.role),
            scope: self.platform.scope(found.brand, projects),
        }))))
    }

    async fn identify_service_account(
        &self,
        hash: [u8; 32],
    ) -> Result<Result<Identity, CredentialError>, Error> {
        let now = self.clock.now();
        let mut tx = self.store.read().await?;
        let Some(found) = tx.service_tokens(&self.platform).by_hash(hash).await? else {
            return Ok(Err(CredentialError::Invalid));
        };
        let id = found.id;
        if let Err(refusal) = check_service_token(&found, now) {
            drop(tx);
            if refusal == CredentialError::Expired && found.ended_at.is_none() {
                self.end_expired(async |tx| tx.service_tokens(&self.platform).expire(id, now).await).await;
            }
            return Ok(Err(refusal));
        }
        let projects = self.projects_of(&mut tx, found.account, found.restricted).await?;
        drop(tx);
        if found.last_used_at.is_none_or(|last| is_last_use_stale(last, now)) {
            self.record_last_use(async |tx| tx.service_tokens(&self.platform).record_use(id, now).await)
                .await;
        }
        Ok(Ok(Identity::User(Arc::new(UserIdentity {
            user: found.account,
            email: String::new(),
            name: found.name,
            role: found.role,
            sign_in: SignIn::ServiceToken(id),
            sign_in_expires_at: found.expires_at,
            brand_name: found.brand_name,
            viewers_see_names: found.viewers_see_names,
            password_change_due: false,
            has_second_factor: false,
            // A program cannot have a second factor. Its token has 192 random bits, and an admin with fresh proof issued it.
            second_factor_required: false,
            scope: self.platform.scope(found.brand, projects),
        }))))
    }

    async fn projects_of(&self, tx: &mut Tx, user: UserId, is_restricted: bool) -> Result<Projects, Error> {
        Ok(if is_restricted {
            Projects::Only(tx.users(&self.platform).projects(user).await?)
        } else {
            Projects::All
        })
    }

    /// Records that a session or token has expired, so that it stays expired if the clock is set back, and clears the caches of all
    /// processes.
    async fn end_expired(&self, end: impl AsyncFnOnce(&mut Tx) -> Result<bool, store::Error>) {
        let work = async {
            let mut tx = self.store.begin().await?;
            end(&mut tx).await?;
            self.commit_access_change(tx).await
        };
        match timeout(LAST_USE_TIMEOUT, work).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!("could not record the end of an expired credential: {error}"),
            Err(_) => tracing::warn!("recording the end of an expired credential timed out"),
        }
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
        let at = session.ended_at.unwrap_or(now);
        match session.ended_at {
            _ if found.state != UserState::Active => Err(CredentialError::Invalid),
            _ if at >= expires_at => Err(CredentialError::Expired),
            Some(_) => Err(CredentialError::Invalid),
            None => Ok(()),
        }
    }

    async fn identify_device(&self, hash: [u8; 32]) -> Result<Result<Identity, CredentialError>, Error> {
        let mut tx = self.store.read().await?;
        let Some(token) = tx.tokens(&self.platform).by_hash(hash).await? else {
            return Ok(Err(CredentialError::Invalid));
        };
        drop(tx);
        let now = self.clock.now();
        if token.last_used_at.is_none_or(|last| is_last_use_stale(last, now)) {
            self.record_last_use(async |tx| tx.tokens(&self.platform).record_use(token.id, now).await).await;
        }
        let scope = self.platform.scope(token.brand, Projects::All);
        Ok(Ok(Identity::Device(Arc::new(DeviceIdentity { token, scope }))))
    }

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
        Ok(self.identity_cache.read(|state| state.epoch))
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
        let epoch = self.identity_cache.read(|state| state.epoch);
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

    /// Records a last use if that is possible soon. A read does not fail because of it.
    async fn record_last_use(&self, write: impl AsyncFnOnce(&mut Tx) -> Result<(), store::Error>) {
        let work = async {
            let mut tx = self.store.begin().await?;
            write(&mut tx).await?;
            tx.commit().await
        };
        match timeout(LAST_USE_TIMEOUT, work).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!("could not record the last use of a credential: {error}"),
            Err(_) => tracing::warn!("recording the last use of a credential timed out"),
        }
    }

    /// Returns the signing keys, which are cached like the identities.
    pub(crate) async fn signing_keys(&self) -> Result<Arc<JwtKeys>, Error> {
        if let Some(keys) = self.identity_cache.read(|state| state.keys.clone()) {
            return Ok(keys);
        }
        let epoch = self.identity_cache.read(|state| state.epoch);
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

/// Checks that a service account's token is neither ended nor expired, and that its account is not archived. A token that was ended after
/// its expiry counts as expired.
pub(crate) fn check_service_token(
    found: &ServiceTokenWithAccount,
    now: Timestamp,
) -> Result<(), CredentialError> {
    match found.ended_at {
        _ if found.state != UserState::Active => Err(CredentialError::Invalid),
        at if at.unwrap_or(now) >= found.expires_at => Err(CredentialError::Expired),
        Some(_) => Err(CredentialError::Invalid),
        None => Ok(()),
    }
}

/// Whether a last use has to be recorded again. A time in the future was recorded while the clock was ahead.
fn is_last_use_stale(last: Timestamp, now: Timestamp) -> bool {
    last > now || now - last >= IDENTITY_TTL
}

fn store_unavailable() -> Error {
    Error::new(ErrorKind::Unavailable, "store_unavailable", "The database cannot be reached.").retry_after(5)
}
