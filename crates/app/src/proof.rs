//! Fresh proof: some acts ask that the session has shown its password, and second factor, not long ago.

use std::ops::Deref;

use domain::access::KeepSignIn;
use domain::{Permission, Span, Timestamp};
use serde_json::json;

use crate::audit::Act;
use crate::identities::digest;
use crate::{App, Caller, Credentials, Error, Kind};

/// A user with the permission `P` who has shown who they are not long ago. A use case that changes passwords, second
/// factors, users, roles or tokens names it, and cannot be called without.
#[derive(Clone, Debug)]
pub struct FreshCaller<P>(Caller<P>);

impl<P> Deref for FreshCaller<P> {
    type Target = Caller<P>;

    fn deref(&self) -> &Caller<P> {
        &self.0
    }
}

/// What a user shows again in a session they have.
#[derive(Clone)]
pub struct Proof {
    /// Their password.
    pub password: String,
    /// A code, if they have a second factor.
    pub otp: Option<String>,
}

impl App {
    /// Refuses a caller whose session has not shown who they are for too long.
    pub async fn require_proof<P: Permission>(&self, caller: Caller<P>) -> Result<FreshCaller<P>, Error> {
        if self.is_fresh(caller.identity.proven_at) {
            return Ok(FreshCaller(caller));
        }
        // What is remembered of an identity may be older than a proof that another process took.
        let id = caller.identity.session;
        let proven_at = self.store.read().await?.sessions(&self.platform).proven_at(id).await?;
        if proven_at.is_some_and(|at| self.is_fresh(at)) {
            return Ok(FreshCaller(caller));
        }
        Err(Error::new(
            Kind::Forbidden,
            "proof_required",
            "This needs a fresh proof that it is you: send your password to session/proof, then try again.",
        ))
    }

    /// A proof of the future, from before a clock was set back, is good for as long as one of the past.
    fn is_fresh(&self, proven_at: Timestamp) -> bool {
        let now = self.clock.now();
        (now - proven_at).max(proven_at - now) < self.proof_lifetime()
    }

    fn proof_lifetime(&self) -> Span {
        Span::minutes(self.config.proof_minutes.into())
    }

    /// Takes a proof in a V1 session; tells until when it is fresh, and what the session's cookie is from now on.
    pub async fn prove_with_cookie(
        &self,
        caller: &Caller<KeepSignIn>,
        proof: Proof,
    ) -> Result<(Timestamp, String), Error> {
        let cookie = self.secret();
        let until = self.prove_session(caller, proof, Some(&digest(&cookie))).await?;
        Ok((until, cookie))
    }

    /// Takes a proof in a V2 session; tells until when it is fresh.
    pub async fn prove_with_token(
        &self,
        caller: &Caller<KeepSignIn>,
        proof: Proof,
    ) -> Result<Timestamp, Error> {
        self.prove_session(caller, proof, None).await
    }

    /// Guessing counts like at login.
    async fn prove_session(
        &self,
        caller: &Caller<KeepSignIn>,
        proof: Proof,
        new_secret: Option<&[u8]>,
    ) -> Result<Timestamp, Error> {
        let identity = &caller.identity;
        let Proof { password, otp } = proof;
        let credentials = Credentials { email: identity.email.clone(), password, otp };
        let proven = self.prove(&credentials, &caller.origin, Some(identity.brand())).await?;
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        self.confirm_with_otp(&mut tx, &proven).await?;
        if !tx.sessions(&self.platform).proven(identity.session, new_secret, now).await? {
            return Err(Error::new(Kind::Unauthenticated, "session_ended", "The session has been ended."));
        }
        let act = Act::of_caller(caller).on("session.proven", "session", identity.session.0);
        self.record(&mut tx, act.with(json!({ "cookie_replaced": new_secret.is_some() }))).await?;
        self.commit_access_change(tx).await?;
        Ok(now + self.proof_lifetime())
    }
}
