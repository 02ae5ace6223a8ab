//! Proofs in forms that were sent twice.
//!
//! A proof replaces the session's cookie, and a code works once. A browser sends a second click with the old cookie and the same code, and
//! drops the answer to the first, whose new cookie it may never get. So the second gets the new cookie, too, because it has the same proof.
//! Until then the old cookie is as good as it was before the proof and no better: whoever has stolen it gains nothing.
//!
//! The form for a new password is proved by the current one, which is no longer the current one when the second click brings it. Then only
//! the new one shows that it is a second click: a password that was replaced proves nothing.

use domain::access::ManageOwnSignIn;
use domain::{EmailAddress, Monotonic, Permission, SessionId, Span};
use store::Tx;

use crate::accounts::proof::{FreshCaller, Proof};
use crate::accounts::secret_digest::digest;
use crate::platform::in_flight::{InFlight, InFlightGuard};
use crate::platform::short_memory::ShortMemory;
use crate::{App, Caller, Credentials, Error, ErrorKind, STILL_RUNNING};

/// Time after a proof in which its form may be sent again.
const LIFETIME: Span = Span::seconds(10);

/// The proofs that forms have brought a moment ago.
pub(crate) struct RecentProofs {
    /// Sessions in which a form is being proved, or their password changed. The next form of the session waits for it.
    in_flight: InFlight<SessionId>,
    by_session: ShortMemory<SessionId, RecentProof>,
    /// The hashes of the cookies that were replaced.
    replaced_cookies: ShortMemory<[u8; 32], SessionId>,
    /// The sessions in which the password was changed.
    changed_passwords: ShortMemory<SessionId, ()>,
}

#[derive(Clone)]
struct RecentProof {
    /// See [`digest_of`].
    digest: [u8; 32],
    /// The cookie that the session has since.
    cookie: String,
    /// Identifies the password that the account had, see [`App::password_mark`].
    password: Option<[u8; 32]>,
}

/// A proof that was brought again.
struct RepeatedProof {
    cookie: String,
    /// Whether its password was replaced since.
    is_outdated: bool,
}

impl Default for RecentProofs {
    fn default() -> Self {
        Self {
            in_flight: InFlight::default(),
            by_session: ShortMemory::lasting(LIFETIME),
            replaced_cookies: ShortMemory::lasting(LIFETIME),
            changed_passwords: ShortMemory::lasting(LIFETIME),
        }
    }
}

impl RecentProofs {
    /// Remembers that the password is changed in a session, before the commit.
    pub(super) fn remember_password_change(&self, session: SessionId, now: Monotonic) {
        self.changed_passwords.insert(session, (), now);
    }

    /// Drops what is over.
    pub fn drop_old(&self, now: Monotonic) {
        self.by_session.drop_old(now);
        self.replaced_cookies.drop_old(now);
        self.changed_passwords.drop_old(now);
    }
}

impl App {
    /// Accepts the proof of a form. Returns the caller with fresh proof and the session's new cookie, which a repeat gets, too.
    pub async fn prove_in_form<P: Permission>(
        &self,
        caller: Caller<P>,
        proof: Proof,
    ) -> Result<(FreshCaller<P>, String), Error> {
        let own = caller.with_permission::<ManageOwnSignIn>()?;
        let _turn = self.begin_form(&own).await?;
        self.prove_or_repeat(caller, proof, None).await
    }

    /// Changes the caller's own password by a form whose current password is the proof, too. Returns the session's new cookie, which counts
    /// even if the change is refused, and how the change went.
    ///
    /// No other form of the session is proved in between: it would get the cookie by a password that is about to be replaced.
    pub async fn prove_and_change_own_password(
        &self,
        caller: Caller<ManageOwnSignIn>,
        proof: Proof,
        new: &str,
    ) -> Result<(String, Result<(), Error>), Error> {
        let _turn = self.begin_form(&caller).await?;
        let current = proof.password.clone();
        let (fresh, cookie) = self.prove_or_repeat(caller, proof, Some(new)).await?;
        Ok((cookie, self.change_or_find_changed(&fresh, &current, new).await))
    }

    /// Waits until no other form of the caller's session is being worked on, and begins the next one.
    async fn begin_form(
        &self,
        caller: &Caller<ManageOwnSignIn>,
    ) -> Result<InFlightGuard<'_, SessionId>, Error> {
        let session = caller.identity.require_session()?;
        let turn = self.recent_proofs.in_flight.begin_after(&session).await;
        turn.ok_or_else(|| {
            Error::new(ErrorKind::Conflict, STILL_RUNNING, "The same form is still being worked on.")
        })
    }

    /// Accepts a proof. In the form for a new password, a repeat may come after that has become the current one.
    async fn prove_or_repeat<P: Permission>(
        &self,
        caller: Caller<P>,
        proof: Proof,
        new_password: Option<&str>,
    ) -> Result<(FreshCaller<P>, String), Error> {
        let own = caller.with_permission::<ManageOwnSignIn>()?;
        let session = own.identity.require_session()?;
        if let Some(repeated) = self.find_repeated_proof(&own, &proof).await? {
            let is_accepted = match new_password {
                Some(new) if repeated.is_outdated => self.is_own_password(&own, new).await?,
                _ => !repeated.is_outdated,
            };
            if is_accepted {
                return Ok((FreshCaller::proven(caller), repeated.cookie));
            }
        }
        let before = self.store.read().await?.sessions(&self.platform).among(&[session]).await?.pop();
        let cookie = self.generate_secret();
        let digest = digest_of(&cookie, &proof);
        let mut tx = self.record_cookie_proof(&own, proof, &cookie).await?;
        let password = self.password_mark(&mut tx, &own).await?;
        // Before the commit, during which the browser may drop the request. What is remembered of a proof that is not committed is not used.
        let now = self.clock.monotonic();
        let recent = RecentProof { digest, cookie: cookie.clone(), password };
        self.recent_proofs.by_session.insert(session, recent, now);
        if let Some(old) = before.and_then(|found| <[u8; 32]>::try_from(found.session.secret).ok()) {
            self.recent_proofs.replaced_cookies.insert(old, session, now);
        }
        self.commit_access_change(tx).await?;
        Ok((FreshCaller::proven(caller), cookie))
    }

    /// Finds the session's cookie if it was issued for this very proof a moment ago.
    async fn find_repeated_proof(
        &self,
        caller: &Caller<ManageOwnSignIn>,
        proof: &Proof,
    ) -> Result<Option<RepeatedProof>, Error> {
        let session = caller.identity.require_session()?;
        let recent = self.recent_proofs.by_session.find(&session, self.clock.monotonic());
        let Some(recent) = recent.filter(|recent| recent.digest == digest_of(&recent.cookie, proof)) else {
            return Ok(None);
        };
        let hash = digest(&recent.cookie);
        let mut tx = self.store.read().await?;
        let found = tx.sessions(&self.platform).by_cookie_hash(&hash).await?;
        let is_current =
            found.is_some_and(|found| found.session.id == session && found.session.ended_at.is_none());
        if !is_current {
            return Ok(None);
        }
        let password = self.password_mark(&mut tx, caller).await?;
        let is_outdated = password.is_none() || password != recent.password;
        Ok(Some(RepeatedProof { cookie: recent.cookie, is_outdated }))
    }

    /// Returns the hash of what the caller's account has to compare its password with; none if the account cannot be found. It becomes
    /// another one with every change of the password.
    async fn password_mark(
        &self,
        tx: &mut Tx,
        caller: &Caller<ManageOwnSignIn>,
    ) -> Result<Option<[u8; 32]>, Error> {
        let Ok(email) = EmailAddress::parse_stored(&caller.identity.email) else { return Ok(None) };
        let found = tx.users(&self.platform).by_email(&email).await?;
        let own = found.filter(|found| found.user.id == caller.identity.user);
        Ok(own.and_then(|found| found.password_hash).map(|hash| digest(&hash)))
    }

    /// Changes the caller's own password by a form that needs no proof.
    pub async fn change_own_password_in_form(
        &self,
        caller: &FreshCaller<ManageOwnSignIn>,
        current: &str,
        new: &str,
    ) -> Result<(), Error> {
        let _turn = self.begin_form(caller).await?;
        self.change_or_find_changed(caller, current, new).await
    }

    /// A second click brings the password from before the first, which is no fault if the new password is the current one.
    async fn change_or_find_changed(
        &self,
        caller: &FreshCaller<ManageOwnSignIn>,
        current: &str,
        new: &str,
    ) -> Result<(), Error> {
        let Err(refusal) = self.change_own_password(caller, current, new).await else { return Ok(()) };
        let session = caller.identity.require_session()?;
        let is_wrong = refusal.fields.iter().any(|fault| fault.field == "current_password");
        let is_recent = self.recent_proofs.changed_passwords.find(&session, self.clock.monotonic()).is_some();
        if is_wrong && is_recent && self.is_own_password(caller, new).await? {
            return Ok(());
        }
        Err(refusal)
    }

    /// Whether this is the caller's password. It counts like an attempt to log in.
    async fn is_own_password(&self, caller: &Caller<ManageOwnSignIn>, password: &str) -> Result<bool, Error> {
        let identity = &caller.identity;
        let credentials =
            Credentials { email: identity.email.clone(), password: password.to_owned(), otp: None };
        let login = match self.verify_login(&credentials, &caller.origin, Some(identity.brand())).await {
            Err(error) if error.code == "invalid_credentials" => return Ok(false),
            verified => verified?,
        };
        let mut tx = self.store.begin().await?;
        self.confirm_login(&mut tx, &login).await?;
        tx.commit().await?;
        Ok(login.user.id == identity.user)
    }

    /// Returns the session whose cookie had this hash until a form replaced it a moment ago.
    pub(crate) fn session_of_replaced_cookie(&self, hash: &[u8; 32]) -> Option<SessionId> {
        self.recent_proofs.replaced_cookies.find(hash, self.clock.monotonic())
    }
}

/// Returns the hash of a proof and the cookie that was issued for it, so that neither password nor code is remembered.
fn digest_of(cookie: &str, Proof { password, otp }: &Proof) -> [u8; 32] {
    let otp = otp.as_deref().unwrap_or_default();
    digest(&format!("{cookie} {} {password} {otp}", password.len()))
}
