//! Fresh proofs: sensitive operations require that the session has recently proved the password and the second factor.

use std::ops::Deref;

use domain::access::ManageOwnSignIn;
use domain::{Permission, SessionKind, Span, Timestamp, UserId};
use serde_json::json;
use store::Tx;

use crate::accounts::caller::{SignIn, not_for_service_accounts};
use crate::accounts::login::invalid_credentials;
use crate::accounts::secret_digest::digest;
use crate::platform::audit::AuditEntry;
use crate::{App, Caller, Credentials, Error, ErrorKind, TokenLogin};

/// A user with the permission `P` who has proved their identity recently. Use cases that change passwords, second factors, users,
/// roles or tokens take this type, so that they cannot be called without the proof.
#[derive(Clone, Debug)]
pub struct FreshCaller<P>(Caller<P>);

impl<P> FreshCaller<P> {
    /// A caller whose proof was verified just now.
    pub(super) fn proven(caller: Caller<P>) -> Self {
        Self(caller)
    }
}

impl<P> Deref for FreshCaller<P> {
    type Target = Caller<P>;

    fn deref(&self) -> &Caller<P> {
        &self.0
    }
}

/// The password and code that a signed-in user sends again.
#[derive(Clone)]
pub struct Proof {
    pub password: String,
    /// A code, if the user has a second factor.
    pub otp: Option<String>,
}

#[macros::boxed]
impl App {
    /// Refuses a caller whose last proof is too old.
    ///
    /// Only the proof counts that the session had when the caller was identified. A proof replaces the cookie or the tokens, so whoever
    /// was identified before it may be someone who has stolen the old ones, whose request is still on its way.
    pub fn require_proof<P: Permission>(&self, caller: Caller<P>) -> Result<FreshCaller<P>, Error> {
        let SignIn::Session { kind, proven_at, .. } = caller.identity.sign_in else {
            return Err(not_for_service_accounts());
        };
        if proven_at.is_some_and(|at| self.is_fresh(at)) {
            return Ok(FreshCaller(caller));
        }
        Err(Error::new(ErrorKind::Forbidden, "proof_required", self.proof_instructions(&caller, kind)))
    }

    fn proof_instructions<P>(&self, caller: &Caller<P>, kind: SessionKind) -> String {
        let version = match kind {
            SessionKind::Cookie => "v1",
            SessionKind::Jwt => "v2",
        };
        let code = match caller.identity.has_second_factor {
            true => " and a code of your second factor as otp",
            false => "",
        };
        format!(
            "This requires a recent proof of your identity: send your password as password{code} to POST /api/{version}/session/proof, \
             then try again."
        )
    }

    /// A proof in the future, recorded before the clock was set back, is valid for as long as one in the past.
    fn is_fresh(&self, proven_at: Timestamp) -> bool {
        let now = self.clock.now();
        (now - proven_at).max(proven_at - now) < self.proof_lifetime()
    }

    fn proof_lifetime(&self) -> Span {
        Span::minutes(self.config.proof_max_age_minutes.into())
    }

    /// Accepts a proof in a V1 session. Returns the time until which it is fresh and the session's new cookie.
    pub async fn prove_with_cookie(
        &self,
        caller: &Caller<ManageOwnSignIn>,
        proof: Proof,
    ) -> Result<(Timestamp, String), Error> {
        let (cookie, now) = (self.generate_secret(), self.clock.now());
        let tx = self.record_cookie_proof(caller, proof, &cookie).await?;
        self.commit_access_change(tx).await?;
        Ok((now + self.proof_lifetime(), cookie))
    }

    /// Accepts a proof in a V2 session. Returns the time until which it is fresh and the tokens to continue with. The session is replaced
    /// by one that ends no later, so that all earlier tokens end, access tokens too: a stolen token gains nothing from the proof.
    pub async fn prove_with_token(
        &self,
        caller: &Caller<ManageOwnSignIn>,
        proof: Proof,
    ) -> Result<(Timestamp, TokenLogin), Error> {
        let now = self.clock.now();
        let (mut tx, user) = self.verify_proof(caller, proof).await?;
        let session = caller.identity.require_session()?;
        let begun = self.replace_session(&mut tx, (session, user), &caller.origin).await?;
        let Some((next, refresh_token)) = begun else { return Err(session_ended()) };
        let entry = AuditEntry::by_caller(caller).on("session.proven", "session", session.0);
        self.record_audit(&mut tx, entry.with_details(json!({ "followed_by": next }))).await?;
        self.commit_access_change(tx).await?;
        let login = self.issue_token_login(next, user, refresh_token).await?;
        Ok((now + self.proof_lifetime(), login))
    }

    /// Verifies a proof in a V1 session, records it and replaces the session's cookie. Returns the transaction to commit.
    pub(super) async fn record_cookie_proof(
        &self,
        caller: &Caller<ManageOwnSignIn>,
        proof: Proof,
        cookie: &str,
    ) -> Result<Tx, Error> {
        let now = self.clock.now();
        let (mut tx, user) = self.verify_proof(caller, proof).await?;
        let session = caller.identity.require_session()?;
        if !tx.sessions(&self.platform).record_proof((session, user), &digest(cookie), now).await? {
            return Err(session_ended());
        }
        let entry = AuditEntry::by_caller(caller).on("session.proven", "session", session.0);
        self.record_audit(&mut tx, entry.with_details(json!({ "cookie_replaced": true }))).await?;
        Ok(tx)
    }

    /// Verifies that a proof is that of the session's user, and returns the transaction to continue in. Failures count like those of
    /// logins.
    async fn verify_proof(
        &self,
        caller: &Caller<ManageOwnSignIn>,
        proof: Proof,
    ) -> Result<(Tx, UserId), Error> {
        // The caller has a session, so the error need not mention the email address.
        let wrong = |error: Error| match error.code {
            "invalid_credentials" => Error::new(error.kind, error.code, "The password or the code is wrong."),
            _ => error,
        };
        let Proof { password, otp } = proof;
        let credentials = Credentials { email: caller.identity.email.clone(), password, otp };
        let brand = Some(caller.identity.brand());
        let login = self.verify_login(&credentials, &caller.origin, brand).await.map_err(wrong)?;
        if login.user.id != caller.identity.user {
            return Err(wrong(invalid_credentials()));
        }
        let mut tx = self.store.begin().await?;
        self.confirm_login_with_otp(&mut tx, &login).await.map_err(wrong)?;
        Ok((tx, login.user.id))
    }
}

fn session_ended() -> Error {
    Error::new(ErrorKind::Unauthenticated, "session_ended", "The session has been ended.")
}
