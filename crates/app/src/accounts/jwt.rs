//! Access tokens and tokens of service accounts: JWTs signed with HS256 and a key from the database, valid in every process of the
//! installation.

use std::collections::HashMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::{Random, SERVICE_ACCOUNT_MAX_LIFETIME, ServiceTokenId, SessionId, Span, Timestamp, UserId};
use serde::{Deserialize, Serialize};
use store::{Platform, SigningKey, Tx};

use crate::accounts::hs256::{self, UncheckedToken};
use crate::accounts::secret_digest::digest;
use crate::platform::sealing::KeyRing;
use crate::{App, CredentialError, Error};

const ISSUER: &str = "keepclear";
const AUDIENCE: &str = "keepclear/api/v2";

/// Purpose for which signing keys are sealed, each with its key id.
pub(crate) const SEAL_PURPOSE: &str = "signing_keys.secret";

/// Longer than any token that the service issues. Longer ones are refused without being decoded.
const MAX_TOKEN_BYTES: usize = 2_048;

/// Time after a rotation during which another process may still sign with the old key, because it checks only every second.
const KEY_PROPAGATION_TIME: Span = Span::seconds(2);

#[derive(Clone, Debug)]
pub struct AccessToken {
    pub token: String,
    pub expires_at: Timestamp,
}

#[derive(Debug, Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    sub: String,
    /// The id of the session, or of the service account's token.
    sid: i64,
    iat: i64,
    nbf: i64,
    exp: i64,
    jti: String,
    /// Absent from the access token of a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<TokenKind>,
}

/// What a token belongs to, if not to a session.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TokenKind {
    ServiceAccount,
}

/// The claims of a verified token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VerifiedToken {
    pub credential: SignedCredential,
    pub user: UserId,
    pub expires_at: Timestamp,
}

/// What has to be found in the store for a token to be valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignedCredential {
    Session(SessionId),
    /// The hash of the `jti` of a service account's token. It is a secret, so that a leaked signing key alone forges no such token.
    ServiceToken([u8; 32]),
}

/// The tokens that were issued before a signing key is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlierTokens {
    /// They stay valid until they expire.
    Keep,
    /// Access tokens and tokens of service accounts become invalid at once. Sessions continue with their refresh tokens.
    Revoke,
}

pub(crate) struct JwtKeys {
    /// The key that signs.
    kid: String,
    keys: HashMap<String, Key>,
}

struct Key {
    secret: Vec<u8>,
    retired_at: Option<Timestamp>,
}

impl Key {
    /// Whether this key can have signed a token issued at that time. A retired key signs nothing once every process knows.
    fn could_have_signed(&self, issued_at: i64) -> bool {
        self.retired_at.is_none_or(|retired| issued_at <= (retired + KEY_PROPAGATION_TIME).seconds())
    }
}

impl JwtKeys {
    /// Builds the key set from unsealed keys, newest first. The first one signs.
    pub fn new(keys: &[SigningKey]) -> Result<Self, Error> {
        let newest = keys.first().ok_or_else(|| Error::internal("the store holds no signing key"))?;
        let by_kid = keys.iter().map(|key| {
            let SigningKey { kid, secret, retired_at, .. } = key.clone();
            (kid, Key { secret, retired_at })
        });
        Ok(Self { kid: newest.kid.clone(), keys: by_kid.collect() })
    }

    fn sign(&self, claims: &Claims) -> Result<String, Error> {
        let key = self.keys.get(&self.kid).ok_or_else(|| Error::internal("the signing key is gone"))?;
        hs256::sign(&self.kid, &key.secret, claims).map_err(Error::internal)
    }

    /// Takes a token apart, before any key is known.
    fn parse(token: &str) -> Option<UncheckedToken<'_>> {
        (token.len() <= MAX_TOKEN_BYTES).then(|| UncheckedToken::parse(token)).flatten()
    }

    /// Checks signature, key, issuer, audience and times, for access tokens that live no longer than `lifetime`.
    fn verify(
        &self,
        token: &UncheckedToken<'_>,
        now: Timestamp,
        lifetime: Span,
    ) -> Result<VerifiedToken, CredentialError> {
        // The kid only selects one of our own keys. It is never used as a file name, a URL or a key of the sender.
        let key = self.keys.get(&token.kid).ok_or(CredentialError::Invalid)?;
        let claims: Claims = token.verify(&key.secret).ok_or(CredentialError::Invalid)?;
        if claims.iss != ISSUER || claims.aud != AUDIENCE {
            return Err(CredentialError::Invalid);
        }
        let user = claims.sub.parse::<i64>().map_err(|_| CredentialError::Invalid)?;
        let Claims { iat, nbf, exp, .. } = claims;
        // A leaked key that was retired must not work for later tokens, nor for tokens that live longer than ours.
        let (lifetime, could_be_ours, credential) = match claims.kind {
            None => {
                let credential = SignedCredential::Session(SessionId(claims.sid));
                (lifetime, key.could_have_signed(iat), credential)
            }
            // A key alone forges none, because of the secret in `jti`. So the clocks of two hosts need not agree on when a key was
            // retired, and rotating it ends no token.
            Some(TokenKind::ServiceAccount) => {
                let credential = SignedCredential::ServiceToken(digest(&claims.jti));
                (SERVICE_ACCOUNT_MAX_LIFETIME, true, credential)
            }
        };
        let now = now.seconds();
        if now >= exp {
            Err(CredentialError::Expired)
        } else if now < nbf || !could_be_ours || exp.saturating_sub(iat) > lifetime.ceil_seconds() {
            Err(CredentialError::Invalid)
        } else {
            Ok(VerifiedToken { credential, user: UserId(user), expires_at: Timestamp::from_seconds(exp) })
        }
    }

    /// Signs the token of a service account, whose `jti` is that secret.
    pub fn sign_service_token(
        &self,
        (id, account): (ServiceTokenId, UserId),
        secret: String,
        (issued_at, expires_at): (Timestamp, Timestamp),
    ) -> Result<String, Error> {
        self.sign(&Claims {
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: account.to_string(),
            sid: id.0,
            iat: issued_at.seconds(),
            nbf: issued_at.seconds(),
            exp: expires_at.seconds(),
            jti: secret,
            kind: Some(TokenKind::ServiceAccount),
        })
    }
}

/// Creates the key that signs from now on.
pub(crate) async fn add_signing_key(
    tx: &mut Tx,
    platform: &Platform,
    (keys, random): (&KeyRing, &Random),
    now: Timestamp,
) -> Result<String, Error> {
    let kid = BASE64_URL_SAFE_NO_PAD.encode(random.bytes::<9>());
    let secret = keys.seal(SEAL_PURPOSE, kid.as_bytes(), &random.bytes::<32>(), random)?;
    tx.installation(platform).add_signing_key(&kid, &secret, now).await?;
    Ok(kid)
}

#[macros::boxed]
impl App {
    pub(crate) fn access_token_lifetime(&self) -> Span {
        Span::minutes(self.config.access_token_lifetime_minutes.into())
    }

    /// Signs a token for a session.
    pub(crate) async fn sign_access_token(
        &self,
        session: SessionId,
        user: UserId,
    ) -> Result<AccessToken, Error> {
        // A login presents no credential, so the version has not been checked by this request yet.
        self.check_auth_version().await?;
        let keys: Arc<JwtKeys> = self.signing_keys().await?;
        let now = self.clock.now();
        // Whole seconds, so that the header, the claim and the check agree exactly.
        let expires_at = Timestamp::from_seconds((now + self.access_token_lifetime()).seconds());
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: user.to_string(),
            sid: session.0,
            iat: now.seconds(),
            nbf: now.seconds(),
            exp: expires_at.seconds(),
            jti: BASE64_URL_SAFE_NO_PAD.encode(self.random.bytes::<12>()),
            kind: None,
        };
        Ok(AccessToken { token: keys.sign(&claims)?, expires_at })
    }

    /// Returns the key that signs now, in a transaction that issues a long-lived token. Until its end no process replaces the key:
    /// neither is the token born with a key that was deleted, nor is the key deleted before the token can be revoked with it.
    pub(crate) async fn lock_signing_key(&self, tx: &mut Tx) -> Result<JwtKeys, Error> {
        tx.installation(&self.platform).lock().await?;
        let Some(mut key) = tx.installation(&self.platform).current_signing_key().await? else {
            return Err(Error::internal("the store holds no signing key"));
        };
        key.secret = self.unseal_in(tx, (SEAL_PURPOSE, key.kid.as_bytes()), &key.secret).await?;
        JwtKeys::new(&[key])
    }

    /// Checks a token by itself. Whether the session or the service account's token is still valid is checked elsewhere.
    pub(crate) async fn verify_access_token(
        &self,
        token: &str,
    ) -> Result<Result<VerifiedToken, CredentialError>, Error> {
        let Some(token) = JwtKeys::parse(token) else {
            return Ok(Err(CredentialError::Invalid));
        };
        let keys: Arc<JwtKeys> = self.signing_keys().await?;
        Ok(keys.verify(&token, self.clock.now(), self.access_token_lifetime()))
    }

    /// Replaces the signing key by a new one, and returns the id of the new one and the number of service accounts' tokens that ended.
    pub async fn rotate_signing_key(&self, earlier: EarlierTokens) -> Result<(String, u64), Error> {
        let mut tx = self.store.begin().await?;
        // Tokens that are being issued have the lock. Afterwards they are in the store, and the time is later than theirs.
        tx.installation(&self.platform).lock().await?;
        let now = self.clock.now();
        let mut ended = 0;
        if earlier == EarlierTokens::Revoke {
            tx.installation(&self.platform).delete_signing_keys().await?;
            ended = tx.service_tokens(&self.platform).revoke_all(now).await?;
        }
        let kid = add_signing_key(&mut tx, &self.platform, (&self.keys(), &self.random), now).await?;
        let details = match earlier {
            EarlierTokens::Keep => serde_json::json!({ "kid": kid }),
            EarlierTokens::Revoke => {
                serde_json::json!({ "kid": kid, "earlier": "revoked", "service_tokens_ended": ended })
            }
        };
        self.record_installation_audit(&mut tx, "signing_key.rotated", details).await?;
        self.commit_access_change(tx).await?;
        Ok((kid, ended))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const SECRET: &[u8; 32] = b"an old secret of thirty-two byte";
    const KID: &str = "c2lnbmVkLWJ5";
    const ISSUED: i64 = 1_767_225_600;
    const LIFETIME: Span = Span::minutes(15);

    /// Tokens as Keepclear 0.1 issued them with `jsonwebtoken` and aws-lc.
    const OF_A_SESSION: &str = concat!(
        "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiIsImtpZCI6ImMybG5ibVZrTFdKNSJ9.eyJpc3MiOiJrZWVwY2xlYXIiLCJhdWQiOiJ",
        "rZWVwY2xlYXIvYXBpL3YyIiwic3ViIjoiNyIsInNpZCI6NDIsImlhdCI6MTc2NzIyNTYwMCwibmJmIjoxNzY3MjI1NjAwLCJleHA",
        "iOjE3NjcyMjY1MDAsImp0aSI6IkFBQUFBQUFBQUFBQUFBQUEifQ.cjAyc_joFSIbomZikicm_HGxOQJtVwCKYJbgWj4jHm0",
    );
    const OF_A_SERVICE_ACCOUNT: &str = concat!(
        "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiIsImtpZCI6ImMybG5ibVZrTFdKNSJ9.eyJpc3MiOiJrZWVwY2xlYXIiLCJhdWQiOiJ",
        "rZWVwY2xlYXIvYXBpL3YyIiwic3ViIjoiNyIsInNpZCI6NDIsImlhdCI6MTc2NzIyNTYwMCwibmJmIjoxNzY3MjI1NjAwLCJleHA",
        "iOjE3NzUwMDE2MDAsImp0aSI6ImMyVmpjbVYwSUc5bUlHRWdjSEp2WjNKaGJTd2diMnhrIiwia2luZCI6InNlcnZpY2VfYWNjb3V",
        "udCJ9.bgiAJhXv9J2SxZH3Ew7SMI_hRsGhKCfwATO37lO92TU",
    );

    fn keys(retired_at: Option<i64>) -> JwtKeys {
        let key = |kid: &str, secret: &[u8], retired_at: Option<i64>| SigningKey {
            kid: kid.to_owned(),
            secret: secret.to_owned(),
            created_at: Timestamp::from_seconds(0),
            retired_at: retired_at.map(Timestamp::from_seconds),
        };
        let old = key(KID, SECRET, retired_at);
        let keys = if retired_at.is_some() { vec![key("newest", b"n", None), old] } else { vec![old] };
        JwtKeys::new(&keys).unwrap()
    }

    fn verify_with(keys: &JwtKeys, token: &str, now: i64) -> Result<VerifiedToken, CredentialError> {
        let token = JwtKeys::parse(token).ok_or(CredentialError::Invalid)?;
        keys.verify(&token, Timestamp::from_seconds(now), LIFETIME)
    }

    fn verify(token: &str, now: i64) -> Result<VerifiedToken, CredentialError> {
        verify_with(&keys(None), token, now)
    }

    fn claims_of(token: &str) -> Value {
        let claims = token.split('.').nth(1).unwrap();
        serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap()
    }

    /// Signs the claims of a session's token with some changed, or taken out if they are null.
    fn changed(changes: &Value) -> String {
        let mut claims = claims_of(OF_A_SESSION);
        for (name, value) in changes.as_object().unwrap() {
            match value {
                Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
                value => claims[name] = value.clone(),
            }
        }
        hs256::sign(KID, SECRET, &claims).unwrap()
    }

    #[test]
    fn tokens_of_earlier_programs_are_accepted() {
        let session = SignedCredential::Session(SessionId(42));
        let expires_at = Timestamp::from_seconds(ISSUED + 900);
        let expected = VerifiedToken { credential: session, user: UserId(7), expires_at };
        assert_eq!(verify(OF_A_SESSION, ISSUED), Ok(expected));
        assert_eq!(verify(OF_A_SESSION, ISSUED + 899), Ok(expected));
        let credential = SignedCredential::ServiceToken(digest("c2VjcmV0IG9mIGEgcHJvZ3JhbSwgb2xk"));
        let expires_at = Timestamp::from_seconds(ISSUED + 90 * 86_400);
        let expected = VerifiedToken { credential, user: UserId(7), expires_at };
        assert_eq!(verify(OF_A_SERVICE_ACCOUNT, ISSUED + 89 * 86_400), Ok(expected));
    }

    #[test]
    fn tokens_are_those_that_earlier_programs_accept() {
        let (claims, expires_at) =
            (claims_of(OF_A_SERVICE_ACCOUNT), Timestamp::from_seconds(ISSUED + 90 * 86_400));
        let secret = claims["jti"].as_str().unwrap().to_owned();
        let times = (Timestamp::from_seconds(ISSUED), expires_at);
        let token = keys(None).sign_service_token((ServiceTokenId(42), UserId(7)), secret, times).unwrap();
        assert_eq!(token, OF_A_SERVICE_ACCOUNT);
        let claims: Claims = serde_json::from_value(claims_of(OF_A_SESSION)).unwrap();
        assert_eq!(keys(None).sign(&claims).unwrap(), OF_A_SESSION);
    }

    #[test]
    fn a_token_is_good_between_its_times_to_the_second() {
        assert_eq!(verify(OF_A_SESSION, ISSUED - 1), Err(CredentialError::Invalid));
        assert_eq!(verify(OF_A_SESSION, ISSUED + 900), Err(CredentialError::Expired));
        for (changes, now, expected) in [
            (json!({}), ISSUED, None),
            (json!({ "nbf": ISSUED + 10 }), ISSUED + 9, Some(CredentialError::Invalid)),
            (json!({ "nbf": ISSUED + 10 }), ISSUED + 10, None),
            (json!({ "exp": ISSUED + 901 }), ISSUED, Some(CredentialError::Invalid)),
            (json!({ "exp": i64::MAX }), ISSUED, Some(CredentialError::Invalid)),
            (json!({ "iat": i64::MIN, "exp": i64::MAX }), ISSUED, Some(CredentialError::Invalid)),
            (json!({ "exp": -1 }), ISSUED, Some(CredentialError::Expired)),
            (json!({ "exp": i64::MAX as u64 + 1 }), ISSUED, Some(CredentialError::Invalid)),
        ] {
            assert_eq!(verify(&changed(&changes), now).err(), expected, "{changes} at {now}");
        }
    }

    #[test]
    fn claims_that_are_not_ours_are_refused() {
        for name in ["iss", "aud", "sub", "sid", "iat", "nbf", "exp", "jti"] {
            assert_eq!(
                verify(&changed(&json!({ name: null })), ISSUED),
                Err(CredentialError::Invalid),
                "{name}"
            );
        }
        for changes in [
            json!({ "iss": "elsewhere" }),
            json!({ "iss": ["keepclear"] }),
            json!({ "aud": "keepclear/api/v3" }),
            json!({ "aud": ["keepclear/api/v2"] }),
            json!({ "sub": "admin" }),
            json!({ "sub": 7 }),
            json!({ "sid": "42" }),
            json!({ "exp": (ISSUED + 900).to_string() }),
            json!({ "exp": 1_767_226_500.0 }),
            json!({ "kind": "root" }),
            json!({ "pad": "x".repeat(MAX_TOKEN_BYTES) }),
        ] {
            assert_eq!(verify(&changed(&changes), ISSUED), Err(CredentialError::Invalid), "{changes}");
        }
        assert!(verify(&changed(&json!({ "scope": "unknown claims say nothing" })), ISSUED).is_ok());
    }

    #[test]
    fn a_retired_key_signs_no_later_session() {
        let verify = |token: &str, retired: i64| verify_with(&keys(Some(retired)), token, ISSUED + 60);
        assert!(verify(OF_A_SESSION, ISSUED - KEY_PROPAGATION_TIME.ceil_seconds()).is_ok());
        let before = ISSUED - KEY_PROPAGATION_TIME.ceil_seconds() - 1;
        assert_eq!(verify(OF_A_SESSION, before), Err(CredentialError::Invalid));
        assert!(verify(OF_A_SERVICE_ACCOUNT, before).is_ok());
        let unknown = hs256::sign("unknown", SECRET, &claims_of(OF_A_SESSION)).unwrap();
        assert_eq!(verify(&unknown, ISSUED + 900), Err(CredentialError::Invalid));
        let of_another = hs256::sign("newest", SECRET, &claims_of(OF_A_SESSION)).unwrap();
        assert_eq!(verify(&of_another, ISSUED + 900), Err(CredentialError::Invalid));
    }
}
