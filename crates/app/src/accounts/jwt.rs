//! Access tokens and tokens of service accounts: JWTs signed with HS256 and a key from the database, valid in every process of the
//! installation.

use std::collections::HashMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::{Random, SERVICE_ACCOUNT_MAX_LIFETIME, ServiceTokenId, SessionId, Span, Timestamp, UserId};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use store::{Platform, SigningKey, Tx};

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
#[derive(Clone, Copy, Debug)]
pub(crate) struct VerifiedToken {
    pub credential: SignedCredential,
    pub user: UserId,
    pub expires_at: Timestamp,
}

/// What has to be found in the store for a token to be valid.
#[derive(Clone, Copy, Debug)]
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
    kid: String,
    signing: EncodingKey,
    verifying: HashMap<String, VerifyingKey>,
}

struct VerifyingKey {
    key: DecodingKey,
    retired_at: Option<Timestamp>,
}

impl VerifyingKey {
    /// Whether this key can have signed a token issued at that time. A retired key signs nothing once every process knows.
    fn could_have_signed(&self, issued_at: i64) -> bool {
        self.retired_at.is_none_or(|retired| issued_at <= (retired + KEY_PROPAGATION_TIME).seconds())
    }
}

impl JwtKeys {
    /// Builds the key set from unsealed keys, newest first. The first one signs.
    pub fn new(keys: &[SigningKey]) -> Result<Self, Error> {
        let newest = keys.first().ok_or_else(|| Error::internal("the store holds no signing key"))?;
        let verifying = keys.iter().map(|key| {
            let verifying =
                VerifyingKey { key: DecodingKey::from_secret(&key.secret), retired_at: key.retired_at };
            (key.kid.clone(), verifying)
        });
        let signing = EncodingKey::from_secret(&newest.secret);
        Ok(Self { kid: newest.kid.clone(), signing, verifying: verifying.collect() })
    }

    fn sign(&self, claims: &Claims) -> Result<String, Error> {
        let header = Header { kid: Some(self.kid.clone()), ..Header::new(Algorithm::HS256) };
        jsonwebtoken::encode(&header, claims, &self.signing).map_err(Error::internal)
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

    /// Checks signature, algorithm, key, issuer, audience and times. Whether the session or the service account's token is still valid is
    /// checked elsewhere.
    pub(crate) async fn verify_access_token(
        &self,
        token: &str,
    ) -> Result<Result<VerifiedToken, CredentialError>, Error> {
        if token.len() > MAX_TOKEN_BYTES {
            return Ok(Err(CredentialError::Invalid));
        }
        let Some(kid) = jsonwebtoken::decode_header(token).ok().and_then(|header| header.kid) else {
            return Ok(Err(CredentialError::Invalid));
        };
        let keys: Arc<JwtKeys> = self.signing_keys().await?;
        // The kid only selects one of our own keys. It is never used as a file name, a URL or a key of the sender.
        let Some(key) = keys.verifying.get(&kid) else {
            return Ok(Err(CredentialError::Invalid));
        };
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_issuer(&[ISSUER]);
        validation.set_audience(&[AUDIENCE]);
        validation.set_required_spec_claims(&["iss", "aud", "sub"]);
        // Times are checked below, against the injected clock.
        validation.validate_exp = false;
        let Ok(data) = jsonwebtoken::decode::<Claims>(token, &key.key, &validation) else {
            return Ok(Err(CredentialError::Invalid));
        };
        let now = self.clock.now().seconds();
        let Claims { iat, nbf, exp, .. } = data.claims;
        let Ok(user) = data.claims.sub.parse() else {
            return Ok(Err(CredentialError::Invalid));
        };
        // A leaked key that was retired must not work for later tokens, nor for tokens that live longer than ours.
        let (lifetime, could_be_ours, credential) = match data.claims.kind {
            None => {
                let credential = SignedCredential::Session(SessionId(data.claims.sid));
                (self.access_token_lifetime(), key.could_have_signed(iat), credential)
            }
            // A key alone forges none, because of the secret in `jti`. So the clocks of two hosts need not agree on when a key was
            // retired, and rotating it ends no token.
            Some(TokenKind::ServiceAccount) => {
                let credential = SignedCredential::ServiceToken(digest(&data.claims.jti));
                (SERVICE_ACCOUNT_MAX_LIFETIME, true, credential)
            }
        };
        let lifetime = lifetime.ceil_seconds();
        Ok(if now >= exp {
            Err(CredentialError::Expired)
        } else if now < nbf || !could_be_ours || exp.saturating_sub(iat) > lifetime {
            Err(CredentialError::Invalid)
        } else {
            Ok(VerifiedToken { credential, user: UserId(user), expires_at: Timestamp::from_seconds(exp) })
        })
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
