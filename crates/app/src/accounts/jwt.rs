//! Access tokens: JWTs signed with HS256 and a key from the database, valid in every process of the installation.

use std::collections::HashMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::{Random, SessionId, Span, Timestamp, UserId};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use store::{Platform, SigningKey, Tx};

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
    sid: i64,
    iat: i64,
    nbf: i64,
    exp: i64,
    jti: String,
}

/// The claims of a verified token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VerifiedToken {
    pub session: SessionId,
    pub user: UserId,
    pub expires_at: Timestamp,
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
        };
        let header = Header { kid: Some(keys.kid.clone()), ..Header::new(Algorithm::HS256) };
        let token = jsonwebtoken::encode(&header, &claims, &keys.signing).map_err(Error::internal)?;
        Ok(AccessToken { token, expires_at })
    }

    /// Checks signature, algorithm, key, issuer, audience and times. Whether the session is still valid is checked elsewhere.
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
        let lifetime = self.access_token_lifetime().ceil_seconds();
        Ok(if now >= exp {
            Err(CredentialError::Expired)
        } else if now < nbf || !key.could_have_signed(iat) || exp.saturating_sub(iat) > lifetime {
            Err(CredentialError::Invalid)
        } else {
            Ok(VerifiedToken {
                session: SessionId(data.claims.sid),
                user: UserId(user),
                expires_at: Timestamp::from_seconds(exp),
            })
        })
    }

    /// Retires the signing key and creates a new one. Tokens signed with the old key stay valid until they expire.
    pub async fn rotate_signing_key(&self) -> Result<String, Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        let kid = add_signing_key(&mut tx, &self.platform, (&self.keys(), &self.random), now).await?;
        self.record_installation_audit(&mut tx, "signing_key.rotated", serde_json::json!({ "kid": kid }))
            .await?;
        self.commit_access_change(tx).await?;
        Ok(kid)
    }
}
