//! Second factors: codes of an authenticator app, and recovery codes in case it is lost.
//!
//! Users with a second factor need a code to sign in, and adding one ends all their sessions except the current one. So no session of
//! such a user was created without it, and whether a session has full access depends only on its user.

use domain::access::{ManageOwnSignIn, ManageUsers};
use domain::{AccountChange, BrandId, EmailAddress, Invalid, Timestamp, User, UserId};
use serde_json::json;
use sha2::{Digest, Sha256};
use store::Tx;

use crate::accounts::login::invalid_credentials;
use crate::accounts::totp;
use crate::platform::audit::AuditEntry;
use crate::{App, Caller, Error, ErrorKind, FreshCaller, Idempotent, Origin, ShownOnce, UserWithProjects};

/// Purpose for which seeds are sealed, each with its user's id.
const SEAL_PURPOSE: &str = "second_factors.secret";

const RECOVERY_CODE_COUNT: usize = 10;

/// Characters of a recovery code, five bits each: 120 bits cannot be guessed even with the hashes.
const RECOVERY_CODE_CHARS: usize = 24;

/// The state of a user's second factor.
#[derive(Clone, Copy, Debug)]
pub struct SecondFactorState {
    /// Whether the brand requires a second factor for the user's role.
    pub required: bool,
    /// Time since which codes are required, or `None` while they are not.
    pub enabled_at: Option<Timestamp>,
    /// Whether a seed was created that has yet to be confirmed.
    pub is_pending: bool,
    /// Number of unused recovery codes.
    pub recovery_codes_left: i64,
}

/// The data that sets up an authenticator app. It is shown only once.
pub struct Enrolment {
    /// The seed in base32, to be typed.
    pub secret: String,
    /// The seed as an `otpauth` URI, to be shown as a QR code.
    pub uri: String,
}

#[macros::boxed]
impl App {
    /// Returns the state of the caller's second factor.
    pub async fn find_second_factor(
        &self,
        caller: &Caller<ManageOwnSignIn>,
    ) -> Result<SecondFactorState, Error> {
        let mut tx = self.store.read().await?;
        self.second_factor_state(&mut tx, caller).await
    }

    /// Creates a seed for the caller. It has no effect until it is confirmed, and replaces an earlier seed that was not confirmed.
    pub async fn begin_second_factor(
        &self,
        caller: &FreshCaller<ManageOwnSignIn>,
    ) -> Result<Enrolment, Error> {
        let mut tx = self.store.begin().await?;
        let begun = self.begin_second_factor_in(&mut tx, caller).await?;
        tx.commit().await?;
        Ok(begun)
    }

    /// The same for a form that may be sent twice: a second click is shown the same seed, which would be replaced otherwise. The secret is
    /// the seed and its URI, one in each line.
    pub async fn begin_second_factor_once(
        &self,
        caller: &FreshCaller<ManageOwnSignIn>,
        idempotent: Idempotent<'_, UserId>,
    ) -> Result<ShownOnce, Error> {
        self.run_once_with_secret(idempotent, async |tx| {
            let begun = self.begin_second_factor_in(tx, caller).await?;
            Ok((caller.identity.user, format!("{}\n{}", begun.secret, begun.uri)))
        })
        .await
    }

    /// Requires codes from now on, once the caller has sent a valid one. Their other sessions, which were created without a code, end.
    /// Returns the recovery codes, which are shown only once.
    pub async fn confirm_second_factor(
        &self,
        caller: &FreshCaller<ManageOwnSignIn>,
        otp: &str,
    ) -> Result<(SecondFactorState, Vec<String>), Error> {
        let mut tx = self.store.begin().await?;
        let confirmed = self.confirm_second_factor_in(&mut tx, caller, otp).await?;
        self.commit_access_change(tx).await?;
        Ok(confirmed)
    }

    /// The same for a form that may be sent twice. The secret is the recovery codes, one in each line. A second click is shown the same
    /// ones; later repeats are not, because only their hashes are stored.
    pub async fn confirm_second_factor_once(
        &self,
        caller: &FreshCaller<ManageOwnSignIn>,
        otp: &str,
        idempotent: Idempotent<'_, SecondFactorState>,
    ) -> Result<ShownOnce, Error> {
        let mut is_confirmed = false;
        let shown = self
            .run_once_with_secret(idempotent, async |tx| {
                let (state, codes) = self.confirm_second_factor_in(tx, caller, otp).await?;
                self.mark_access_change(tx).await?;
                is_confirmed = true;
                Ok((state, codes.join("\n")))
            })
            .await?;
        if is_confirmed {
            self.clear_identity_cache();
        }
        Ok(shown)
    }

    /// Removes the caller's second factor. If their role requires one, their sessions permit nothing else until they add another.
    /// Removing it twice is fine.
    pub async fn remove_second_factor(
        &self,
        caller: &FreshCaller<ManageOwnSignIn>,
    ) -> Result<SecondFactorState, Error> {
        let user = caller.identity.user;
        let mut tx = self.store.begin().await?;
        tx.users(&self.platform).by_id_locked(user).await?;
        if tx.second_factors(&self.platform).remove(user).await? {
            let brand_and_user = (caller.identity.brand(), user);
            self.enqueue_account_notice(&mut tx, brand_and_user, AccountChange::SecondFactorRemoved).await?;
            self.record_audit(
                &mut tx,
                AuditEntry::by_caller(caller).on("user.second_factor_removed", "user", user.0),
            )
            .await?;
        }
        let state = self.second_factor_state(&mut tx, caller).await?;
        self.commit_access_change(tx).await?;
        Ok(state)
    }

    /// Removes the second factor of a user of the caller's brand who has lost it. Removing it twice is fine.
    pub async fn reset_second_factor(
        &self,
        caller: &FreshCaller<ManageUsers>,
        id: UserId,
    ) -> Result<UserWithProjects, Error> {
        let mut tx = self.store.begin().await?;
        // Lock order: brand, then user, wherever both are locked.
        tx.lock_and_bump_registry(caller.scope()).await?;
        self.find_manageable_user(&mut tx, caller, id).await?;
        let brand_and_user = (caller.identity.brand(), id);
        self.reset_second_factor_in(&mut tx, brand_and_user, AuditEntry::by_caller(caller)).await?;
        let after = self.find_user_with_projects(&mut tx, caller, id).await?;
        self.commit_access_change(tx).await?;
        Ok(after)
    }

    /// Removes a second factor from the command line, for when no other admin is left. Returns whether there was one.
    pub async fn reset_second_factor_by_email(&self, email: &EmailAddress) -> Result<bool, Error> {
        let user = self.find_user(email).await?;
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(&self.scope_of(user.brand)).await?;
        let entry = AuditEntry::by_command_line(Some(user.brand));
        let was_enabled = self.reset_second_factor_in(&mut tx, (user.brand, user.id), entry).await?;
        self.commit_access_change(tx).await?;
        Ok(was_enabled)
    }

    async fn begin_second_factor_in(
        &self,
        tx: &mut Tx,
        caller: &FreshCaller<ManageOwnSignIn>,
    ) -> Result<Enrolment, Error> {
        let identity = &caller.identity;
        let seed = self.random.bytes::<20>();
        let sealed = self.seal(SEAL_PURPOSE, identity.user.to_string().as_bytes(), &seed)?;
        tx.users(&self.platform).by_id_locked(identity.user).await?;
        if !tx.second_factors(&self.platform).begin(identity.user, &sealed, self.clock.now()).await? {
            return Err(Error::new(
                ErrorKind::Conflict,
                "second_factor_exists",
                "You already have a second factor. Remove it before you add another one.",
            ));
        }
        let secret = totp::encode_base32(&seed);
        let uri = format!(
            "otpauth://totp/Keepclear:{}?secret={secret}&issuer=Keepclear&algorithm=SHA1&digits=6&period=30",
            percent_encode(&identity.email)
        );
        Ok(Enrolment { secret, uri })
    }

    async fn confirm_second_factor_in(
        &self,
        tx: &mut Tx,
        caller: &FreshCaller<ManageOwnSignIn>,
        otp: &str,
    ) -> Result<(SecondFactorState, Vec<String>), Error> {
        let (identity, now) = (&caller.identity, self.clock.now());
        tx.users(&self.platform).by_id_locked(identity.user).await?;
        let found = tx.second_factors(&self.platform).find(identity.user).await?;
        let pending = found.filter(|found| found.confirmed_at.is_none()).ok_or_else(|| {
            let detail =
                "There is no second factor to confirm. Begin with POST /api/v1/session/second_factor.";
            Error::new(ErrorKind::Conflict, "second_factor_not_begun", detail)
        })?;
        let user_id = identity.user.to_string();
        let seed = self.unseal_in(tx, (SEAL_PURPOSE, user_id.as_bytes()), &pending.secret).await?;
        let last = tx
            .second_factors(&self.platform)
            .last_step(identity.user, totp::latest_accepted_step(now))
            .await?;
        let step = totp::find_step(&seed, &normalize_code(otp), now, last).ok_or_else(|| {
            Error::invalid_field("otp", Invalid::new("wrong_code", "is not the current code"))
        })?;
        let codes: Vec<String> =
            (0..RECOVERY_CODE_COUNT).map(|_| self.random.password(RECOVERY_CODE_CHARS)).collect();
        let hashes: Vec<Vec<u8>> = codes.iter().map(|code| recovery_hash(identity.user, code)).collect();
        tx.second_factors(&self.platform).confirm(identity.user, step, &hashes, now).await?;
        let session = identity.require_session()?;
        let ended = tx.sessions(&self.platform).end_others_of(identity.user, session, now).await?;
        let brand_and_user = (identity.brand(), identity.user);
        self.enqueue_account_notice(tx, brand_and_user, AccountChange::SecondFactorAdded).await?;
        let entry = AuditEntry::by_caller(caller).on("user.second_factor_added", "user", identity.user.0);
        self.record_audit(tx, entry.with_details(json!({ "sessions_ended": ended }))).await?;
        let state = self.second_factor_state(tx, caller).await?;
        Ok((state, codes.iter().map(|code| format_recovery_code(code)).collect()))
    }

    async fn reset_second_factor_in(
        &self,
        tx: &mut Tx,
        (brand, id): (BrandId, UserId),
        entry: AuditEntry<'_>,
    ) -> Result<bool, Error> {
        tx.users(&self.platform).by_id_locked(id).await?;
        let was_enabled = tx.second_factors(&self.platform).remove(id).await?;
        if was_enabled {
            self.enqueue_account_notice(tx, (brand, id), AccountChange::SecondFactorRemoved).await?;
            self.record_audit(tx, entry.on("user.second_factor_reset", "user", id.0)).await?;
        }
        Ok(was_enabled)
    }

    /// Uses up the code of a login or a proof, in its transaction, which has locked the user's row. A user without a second factor needs
    /// no code.
    pub(crate) async fn consume_otp(
        &self,
        tx: &mut Tx,
        user: &User,
        otp: Option<&str>,
        origin: &Origin,
    ) -> Result<(), Error> {
        let found = tx.second_factors(&self.platform).find(user.id).await?;
        let Some(factor) = found.filter(|found| found.confirmed_at.is_some()) else { return Ok(()) };
        let Some(otp) = otp.map(normalize_code) else {
            let detail =
                "This account has a second factor: send the code of your app, or a recovery code, as otp.";
            return Err(Error::new(ErrorKind::Unauthenticated, "otp_required", detail));
        };
        let now = self.clock.now();
        if otp.len() == 6 && otp.bytes().all(|byte| byte.is_ascii_digit()) {
            let user_id = user.id.to_string();
            let seed = self.unseal_in(tx, (SEAL_PURPOSE, user_id.as_bytes()), &factor.secret).await?;
            let last =
                tx.second_factors(&self.platform).last_step(user.id, totp::latest_accepted_step(now)).await?;
            let step = totp::find_step(&seed, &otp, now, last).ok_or_else(invalid_credentials)?;
            tx.second_factors(&self.platform).record_used_step(user.id, step).await?;
            return Ok(());
        }
        let hash = recovery_hash(user.id, &otp);
        if !tx.second_factors(&self.platform).use_recovery_code(user.id, &hash, now).await? {
            return Err(invalid_credentials());
        }
        let left = tx.second_factors(&self.platform).recovery_codes_left(user.id).await?;
        let entry =
            AuditEntry::by_user(user.brand, user.id, origin).on("user.recovery_code_used", "user", user.id.0);
        self.record_audit(tx, entry.with_details(json!({ "left": left }))).await
    }

    async fn second_factor_state(
        &self,
        tx: &mut Tx,
        caller: &Caller<ManageOwnSignIn>,
    ) -> Result<SecondFactorState, Error> {
        let user = caller.identity.user;
        let found = tx.second_factors(&self.platform).find(user).await?;
        let enabled_at = found.as_ref().and_then(|found| found.confirmed_at);
        let recovery_codes_left = match enabled_at {
            Some(_) => tx.second_factors(&self.platform).recovery_codes_left(user).await?,
            None => 0,
        };
        Ok(SecondFactorState {
            required: caller.identity.second_factor_required,
            enabled_at,
            is_pending: found.is_some() && enabled_at.is_none(),
            recovery_codes_left,
        })
    }
}

/// Returns a code as it is compared, without the spaces and dashes that people and apps put into it.
fn normalize_code(otp: &str) -> String {
    otp.chars().filter(|c| !c.is_whitespace() && *c != '-').flat_map(char::to_lowercase).collect()
}

/// Returns a recovery code as it is shown, in groups of four.
fn format_recovery_code(code: &str) -> String {
    let letters: Vec<char> = code.chars().collect();
    letters.chunks(4).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join("-")
}

/// An unsalted fast hash is enough, because a code is too long to be guessed: see [`RECOVERY_CODE_CHARS`].
fn recovery_hash(user: UserId, code: &str) -> Vec<u8> {
    Sha256::digest(format!("keepclear recovery code\0{user}\0{code}")).to_vec()
}

/// Encodes text for the path of a URI.
fn percent_encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_as_people_type_them() {
        assert_eq!(normalize_code(" 123 456 "), "123456");
        assert_eq!(
            normalize_code(&format_recovery_code("abcdefgh23456789").to_uppercase()),
            "abcdefgh23456789"
        );
        assert_eq!(format_recovery_code("abcdefgh23456789"), "abcd-efgh-2345-6789");
    }

    #[test]
    fn an_email_stands_in_an_address() {
        assert_eq!(percent_encode("ada+x@bücher.example"), "ada%2Bx%40b%C3%BCcher.example");
    }
}
