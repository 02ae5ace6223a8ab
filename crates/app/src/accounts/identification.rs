//! Finds the identity behind a credential, and records that it was used.

use std::sync::Arc;
use std::time::Duration;

use domain::{Timestamp, UserId};
use store::{Projects, SessionWithUser, Tenant, Tx};
use tokio::time::timeout;

use crate::accounts::caller::SignIn;
use crate::accounts::expired_credentials::ExpiredCredential;
use crate::accounts::identity::{Authenticated, Credential, CredentialError, DeviceIdentity, Identity};
use crate::accounts::identity_cache::{CacheKey, IDENTITY_TTL};
use crate::accounts::jwt::SignedCredential;
use crate::accounts::secret_digest::digest;
use crate::{App, Error, UserIdentity};

/// Time that a request waits for its last use to be recorded.
const LAST_USE_TIMEOUT: Duration = Duration::from_millis(500);

/// Whether the proofs of a session count for the credential that was presented.
#[derive(Clone, Copy)]
enum Proofs {
    Count,
    DoNotCount,
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
        self.identity_cache.previous_brand(key).map(Tenant::Brand)
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
        if let Some(identity) = self.identity_cache.find(key, is_use, &self.clock) {
            return Ok(Ok(identity));
        }
        // Read before the rows: if the cache is cleared in between, the rows may be stale and are not cached.
        let epoch = self.identity_cache.epoch();
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
            self.identity_cache.insert(key, (identity.clone(), is_use), epoch, self.clock.monotonic());
        }
        Ok(found)
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
                self.end_expired(ExpiredCredential::Session(found.session.id), now).await?;
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
        if let Err(refusal) = self.check_service_token(&found, now) {
            drop(tx);
            if refusal == CredentialError::Expired && found.ended_at.is_none() {
                self.end_expired(ExpiredCredential::ServiceToken(id), now).await?;
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
}

/// Whether a last use has to be recorded again. A time in the future was recorded while the clock was ahead.
fn is_last_use_stale(last: Timestamp, now: Timestamp) -> bool {
    last > now || now - last >= IDENTITY_TTL
}
