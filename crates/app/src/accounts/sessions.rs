//! Sessions: signing in and out, with a cookie (V1) or with JWTs (V2).

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::access::{BeSignedIn, ManageOwnSignIn};
use domain::{OpenSession, Page, PageRequest, SessionId, SessionKind, Span, Timestamp};
use serde_json::json;
use store::{NewSession, SessionWithUser, Tx};

use crate::accounts::expired_credentials::ExpiredCredential;
use crate::accounts::login::VerifiedLogin;
use crate::accounts::secret_digest::digest;
use crate::platform::audit::AuditEntry;
use crate::platform::crypto::{constant_time_eq, hmac_sha256};
use crate::{
    AccessToken, App, Authenticated, Caller, Credential, CredentialError, Credentials, Error, ErrorKind,
    Identity, Origin, UserIdentity,
};

/// Time after a refresh during which its token may be used again and gets the same successor, for clients that lost the response.
const REFRESH_REUSE_WINDOW: Span = Span::seconds(10);

/// Purpose for which the secrets of refresh families are sealed, each with its user's id.
const SEAL_PURPOSE: &str = "sessions.secret";

const REFRESH_PREFIX: &str = "kcr_";

/// A new cookie session.
pub struct CookieLogin {
    /// The value of the cookie.
    pub cookie: String,
    pub identity: Arc<UserIdentity>,
}

/// A new or continued JWT session.
pub struct TokenLogin {
    pub access: AccessToken,
    /// The token for the next refresh.
    pub refresh_token: String,
    pub identity: Arc<UserIdentity>,
}

#[macros::boxed]
impl App {
    /// Signs in for V1. The session of a cookie that came with the request ends, because the cookie is about to be replaced.
    pub async fn log_in_with_cookie(
        &self,
        credentials: &Credentials,
        old_cookie: Option<&str>,
        origin: &Origin,
    ) -> Result<CookieLogin, Error> {
        let login = self.verify_login(credentials, origin, None).await?;
        let now = self.clock.now();
        let cookie = self.generate_secret();
        let lifetime = Span::minutes(i64::from(self.config.cookie_lifetime_hours) * 60);
        let mut tx = self.store.begin().await?;
        let begun = (SessionKind::Cookie, &digest(&cookie)[..], lifetime);
        let (_, ended) = self.start_session(&mut tx, &login, begun, origin).await?;
        let old = match old_cookie {
            Some(old) => tx.sessions(&self.platform).by_cookie_hash(&digest(old)).await?,
            None => None,
        };
        match old {
            Some(old) if tx.sessions(&self.platform).end(old.session.id, now).await? => {
                self.record_audit(
                    &mut tx,
                    AuditEntry::by_user(old.brand, old.session.user, origin)
                        .on("session.ended", "session", old.session.id.0)
                        .with_details(json!({ "reason": "replaced" })),
                )
                .await?;
                self.commit_access_change(tx).await?;
            }
            _ if ended > 0 => self.commit_access_change(tx).await?,
            _ => tx.commit().await?,
        }
        let identity = self.identify_user(Credential::Cookie(&cookie)).await?;
        Ok(CookieLogin { cookie, identity })
    }

    pub async fn log_in_with_token(
        &self,
        credentials: &Credentials,
        origin: &Origin,
    ) -> Result<TokenLogin, Error> {
        let login = self.verify_login(credentials, origin, None).await?;
        let secret = self.random.bytes::<32>();
        let lifetime = Span::minutes(i64::from(self.config.refresh_lifetime_days) * 24 * 60);
        let sealed = self.seal(SEAL_PURPOSE, login.user.id.to_string().as_bytes(), &secret)?;
        let mut tx = self.store.begin().await?;
        let begun = (SessionKind::Jwt, &sealed[..], lifetime);
        let (id, ended) = self.start_session(&mut tx, &login, begun, origin).await?;
        if ended > 0 {
            self.commit_access_change(tx).await?;
        } else {
            tx.commit().await?;
        }
        self.issue_token_login(id, login.user.id, refresh_token(&secret, id, 0)).await
    }

    /// Creates the session of a verified login and records it. Returns how many older sessions it ended because the user had too many.
    async fn start_session(
        &self,
        tx: &mut Tx,
        login: &VerifiedLogin,
        (kind, secret, lifetime): (SessionKind, &[u8], Span),
        origin: &Origin,
    ) -> Result<(SessionId, u64), Error> {
        let now = self.clock.now();
        let new = NewSession {
            brand: login.user.brand,
            user: login.user.id,
            kind,
            secret,
            expires_at: now + lifetime,
            address: &origin.address.to_string(),
        };
        self.record_login(tx, login).await?;
        let id = tx.sessions(&self.platform).add(&new, now).await?;
        let limit = self.config.max_sessions_per_user.into();
        let ended = tx.sessions(&self.platform).end_least_recent(login.user.id, limit, now).await?;
        self.record_audit(
            tx,
            AuditEntry::by_user(login.user.brand, login.user.id, origin)
                .on("session.started", "session", id.0)
                .with_details(json!({ "kind": kind.as_str(), "sessions_ended": ended })),
        )
        .await?;
        Ok((id, ended))
    }

    /// Exchanges a refresh token for its successor and a new access token.
    ///
    /// The successor is derived from the family and its generation, so that concurrent calls get the same one. A token that is used
    /// again later was stolen or copied, and it is unknown by whom, so the family ends.
    pub async fn refresh_tokens(&self, token: &str, origin: &Origin) -> Result<TokenLogin, Error> {
        let now = self.clock.now();
        let (id, generation) = parse_refresh_token(token).ok_or_else(invalid_refresh_token)?;
        let mut tx = self.store.begin().await?;
        let found = tx.sessions(&self.platform).by_id_locked(id).await?.ok_or_else(invalid_refresh_token)?;
        let family = &found.session;
        let user = family.user.to_string();
        let secret = self.unseal_in(&mut tx, (SEAL_PURPOSE, user.as_bytes()), &family.secret).await?;
        let expected = refresh_token(&secret, id, generation);
        if !constant_time_eq(expected.as_bytes(), token.as_bytes()) {
            return Err(invalid_refresh_token());
        }
        if let Err(refusal) = self.check_session(&found, now) {
            // Its end is recorded in a transaction of its own, which would wait for this one.
            drop(tx);
            if refusal == CredentialError::Expired && found.session.ended_at.is_none() {
                self.end_expired(ExpiredCredential::Session(id), now).await?;
            }
            return Err(invalid_refresh_token());
        }
        let user = family.user;
        if generation == family.generation {
            tx.sessions(&self.platform).record_refresh(id, generation + 1, now).await?;
            tx.commit().await?;
        } else if generation + 1 == family.generation && is_within_reuse_window(family.refreshed_at, now) {
            // There is nothing to write, and the next step takes a connection of its own.
            drop(tx);
        } else {
            self.end_replayed_family(tx, &found, origin, now).await?;
            return Err(Error::new(
                ErrorKind::Unauthenticated,
                "refresh_token_reused",
                "This refresh token was used before. Its session has been ended; sign in again.",
            ));
        }
        self.issue_token_login(id, user, refresh_token(&secret, id, generation + 1)).await
    }

    async fn end_replayed_family(
        &self,
        mut tx: Tx,
        found: &SessionWithUser,
        origin: &Origin,
        now: Timestamp,
    ) -> Result<(), Error> {
        tx.sessions(&self.platform).end(found.session.id, now).await?;
        self.record_audit(
            &mut tx,
            AuditEntry::by_service(Some(found.brand), Some(origin))
                .on("session.ended", "session", found.session.id.0)
                .with_details(
                    json!({ "kind": "jwt", "reason": "refresh_token_reused", "user_id": found.session.user }),
                ),
        )
        .await?;
        self.commit_access_change(tx).await
    }

    /// Signs out: the session ends everywhere, with its cookie or its family of refresh tokens. Returns its id and when it ended.
    pub async fn log_out(&self, caller: &Caller<ManageOwnSignIn>) -> Result<(SessionId, Timestamp), Error> {
        let now = self.clock.now();
        let session = caller.identity.require_session()?;
        let mut tx = self.store.begin().await?;
        if tx.sessions(&self.platform).end(session, now).await? {
            self.record_audit(
                &mut tx,
                AuditEntry::by_caller(caller)
                    .on("session.ended", "session", session.0)
                    .with_details(json!({ "reason": "logout" })),
            )
            .await?;
        }
        self.commit_access_change(tx).await?;
        Ok((session, now))
    }

    /// Lists a page of the caller's own open sessions.
    pub async fn list_own_sessions(
        &self,
        caller: &Caller<BeSignedIn>,
        page: &PageRequest,
    ) -> Result<Page<OpenSession>, Error> {
        let mut tx = self.store.read().await?;
        let now = self.clock.now();
        let since = (now - self.max_idle(SessionKind::Cookie), now - self.max_idle(SessionKind::Jwt));
        Ok(tx.sessions(&self.platform).page_of(caller.identity.user, now, since, page).await?)
    }

    /// Finds one of the caller's own open sessions.
    pub async fn find_own_session(
        &self,
        caller: &Caller<BeSignedIn>,
        id: SessionId,
    ) -> Result<OpenSession, Error> {
        let mut tx = self.store.read().await?;
        let now = self.clock.now();
        let since = (now - self.max_idle(SessionKind::Cookie), now - self.max_idle(SessionKind::Jwt));
        let found = tx.sessions(&self.platform).find_open(caller.identity.user, id, now, since).await?;
        found.ok_or_else(|| Error::not_found("session"))
    }

    pub async fn end_own_session(
        &self,
        caller: &Caller<BeSignedIn>,
        id: SessionId,
    ) -> Result<Timestamp, Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        if !tx.sessions(&self.platform).end_own(caller.identity.user, id, now).await? {
            return Err(Error::not_found("session"));
        }
        let entry = AuditEntry::by_caller(caller).on("session.ended", "session", id.0);
        self.record_audit(&mut tx, entry.with_details(json!({ "reason": "ended_by_owner" }))).await?;
        self.commit_access_change(tx).await?;
        Ok(now)
    }

    /// Ends a JWT session of a user and starts another in its place, which ends no later. Returns its id and refresh token, or `None` if
    /// the session is not theirs or not open.
    pub(crate) async fn replace_session(
        &self,
        tx: &mut Tx,
        (id, user): (SessionId, domain::UserId),
        origin: &Origin,
    ) -> Result<Option<(SessionId, String)>, Error> {
        let now = self.clock.now();
        let found = tx.sessions(&self.platform).by_id_locked(id).await?;
        let Some(found) = found.filter(|found| found.session.user == user) else { return Ok(None) };
        if !tx.sessions(&self.platform).end(id, now).await? {
            return Ok(None);
        }
        let secret = self.random.bytes::<32>();
        let sealed = self.seal(SEAL_PURPOSE, user.to_string().as_bytes(), &secret)?;
        let new = NewSession {
            brand: found.brand,
            user,
            kind: SessionKind::Jwt,
            secret: &sealed,
            expires_at: found.session.expires_at,
            address: &origin.address.to_string(),
        };
        let next = tx.sessions(&self.platform).add(&new, now).await?;
        Ok(Some((next, refresh_token(&secret, next, 0))))
    }

    pub(crate) async fn issue_token_login(
        &self,
        id: SessionId,
        user: domain::UserId,
        refresh_token: String,
    ) -> Result<TokenLogin, Error> {
        let access = self.sign_access_token(id, user).await?;
        let identity = self.identify_user(Credential::Jwt(&access.token)).await?;
        Ok(TokenLogin { access, refresh_token, identity })
    }

    async fn identify_user(&self, credential: Credential<'_>) -> Result<Arc<UserIdentity>, Error> {
        match self.identify(credential).await? {
            Ok(Authenticated { identity: Identity::User(identity), .. }) => Ok(identity),
            // Another request ended it right after it was created.
            _ => Err(Error::new(
                ErrorKind::Unauthenticated,
                "session_ended",
                "The session was ended right after it was created. Sign in again.",
            )),
        }
    }
}

fn invalid_refresh_token() -> Error {
    Error::new(
        ErrorKind::Unauthenticated,
        "invalid_refresh_token",
        "The refresh token is unknown, expired or revoked. Sign in again.",
    )
}

/// Whether a refresh is recent enough for its token to be used again. A time far in the future was recorded while the clock was
/// ahead, and does not count as recent.
fn is_within_reuse_window(refreshed_at: Timestamp, now: Timestamp) -> bool {
    (now - refreshed_at).micros().abs() <= REFRESH_REUSE_WINDOW.micros()
}

/// Returns the refresh token of a generation: the session and the generation in clear, with a MAC that requires the family's secret.
fn refresh_token(secret: &[u8], id: SessionId, generation: i64) -> String {
    let mut bytes = Vec::with_capacity(48);
    bytes.extend(id.0.to_be_bytes());
    bytes.extend(generation.to_be_bytes());
    bytes.extend(hmac_sha256(secret, &[b"keepclear refresh token", &bytes]));
    format!("{REFRESH_PREFIX}{}", BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

/// Reads the session and the generation that a refresh token claims. The MAC is checked afterwards.
fn parse_refresh_token(token: &str) -> Option<(SessionId, i64)> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(token.strip_prefix(REFRESH_PREFIX)?).ok()?;
    let bytes: [u8; 48] = bytes.try_into().ok()?;
    let number = |from: usize| {
        let mut part = [0; 8];
        part.copy_from_slice(&bytes[from..from + 8]);
        i64::from_be_bytes(part)
    };
    let (id, generation) = (number(0), number(8));
    (0..i64::MAX).contains(&generation).then_some((SessionId(id), generation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refresh_tokens_say_whose_they_are_and_differ_by_generation() {
        let token = refresh_token(b"secret", SessionId(7), 3);
        assert_eq!(parse_refresh_token(&token), Some((SessionId(7), 3)));
        assert_eq!(token, refresh_token(b"secret", SessionId(7), 3));
        assert_ne!(token, refresh_token(b"secret", SessionId(7), 4));
        assert_ne!(token, refresh_token(b"other", SessionId(7), 3));
        for junk in ["", "kcr_", "kcr_AAAA", &token[1..], &format!("{token}A")] {
            assert_eq!(parse_refresh_token(junk), None);
        }
    }
}
