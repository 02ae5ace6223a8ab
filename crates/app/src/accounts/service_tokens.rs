//! The tokens of service accounts: issue, rotation and revocation.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::access::ManageUsers;
use domain::{
    Name, NewServiceAccount, ProjectId, Role, SERVICE_ACCOUNT_MAX_LIFETIME, ServiceTokenId, Span, Timestamp,
    UserId,
};
use serde_json::json;
use store::{Brand, ListedServiceToken, Scope, Tx};

use crate::accounts::secret_digest::digest;
use crate::accounts::service_accounts::{ServiceAccountWithProjects, require_not_archived};
use crate::platform::audit::AuditEntry;
use crate::{App, Error, ErrorKind, FreshCaller, Idempotent, ShownOnce};

/// Lifetime of an account that is created from the command line without an expiry.
const DEFAULT_LIFETIME: Span = Span::minutes(365 * 24 * 60);

/// A new token of a service account. It is shown only once.
pub struct IssuedServiceToken {
    /// The token, a JWT. Only a hash of its `jti` is stored.
    pub token: String,
    pub id: ServiceTokenId,
    pub account: ServiceAccountWithProjects,
    /// The account's previous token.
    pub replaced: Option<ServiceTokenId>,
}

/// A token that is issued from the command line. The account is created if there is none of that name.
#[derive(Clone, Debug)]
pub struct ServiceTokenRequest {
    /// Name of the account.
    pub name: Name,
    /// Role of a new account; viewer if it is not given.
    pub role: Option<Role>,
    /// Projects of a new account; all if they are not given.
    pub projects: Option<Option<Vec<ProjectId>>>,
    /// Expiry of a new account; in a year if it is not given.
    pub expires_at: Option<Timestamp>,
    /// Time for which the previous token of the account keeps working.
    pub overlap: Span,
}

#[macros::boxed]
impl App {
    /// Issues the token of a service account for an admin. The previous one works for the time of the overlap.
    pub async fn issue_service_token(
        &self,
        caller: &FreshCaller<ManageUsers>,
        id: UserId,
        overlap: Span,
    ) -> Result<IssuedServiceToken, Error> {
        let mut tx = self.store.begin().await?;
        let issued = self.replace_service_token(&mut tx, caller, id, overlap).await?;
        self.commit_access_change(tx).await?;
        Ok(issued)
    }

    /// The same for a form that may be sent twice: the second time nothing is issued, so that the token before stays valid for the
    /// overlap. A second click is shown the same token; later repeats are not, because only the hash of its `jti` is stored.
    pub async fn issue_service_token_once(
        &self,
        caller: &FreshCaller<ManageUsers>,
        id: UserId,
        overlap: Span,
        idempotent: Idempotent<'_, UserId>,
    ) -> Result<ShownOnce, Error> {
        let mut is_issued = false;
        let shown = self
            .run_once_with_secret(idempotent, async |tx| {
                let issued = self.replace_service_token(tx, caller, id, overlap).await?;
                self.mark_access_change(tx).await?;
                is_issued = true;
                Ok((id, issued.token))
            })
            .await?;
        if is_issued {
            self.clear_identity_cache();
        }
        Ok(shown)
    }

    /// Issues the token of a service account from the command line.
    pub async fn issue_service_token_by_name(
        &self,
        brand: &Brand,
        request: &ServiceTokenRequest,
    ) -> Result<IssuedServiceToken, Error> {
        let scope = self.scope_of(brand.id);
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(&scope).await?;
        let entry = || AuditEntry::by_command_line(Some(brand.id));
        let account = match tx.service_accounts(&scope).by_name(&request.name).await? {
            Some(_)
                if request.role.is_some() || request.projects.is_some() || request.expires_at.is_some() =>
            {
                let detail = format!(
                    "There is a service account {} already. Its role, projects and expiry are not changed with its token.",
                    request.name.as_str()
                );
                return Err(Error::new(ErrorKind::Conflict, "service_account_exists", detail));
            }
            Some(found) => self.find_service_account_in(&mut tx, &scope, found.id).await?,
            None => {
                let new = NewServiceAccount {
                    name: request.name.clone(),
                    role: request.role.unwrap_or(Role::Viewer),
                    projects: request.projects.clone().flatten(),
                    expires_at: request.expires_at.unwrap_or_else(|| self.clock.now() + DEFAULT_LIFETIME),
                };
                self.add_service_account(&mut tx, &scope, &new, entry()).await?
            }
        };
        let by = (None, entry());
        let issued = self.add_service_token(&mut tx, (&scope, &account), request.overlap, by).await?;
        self.commit_access_change(tx).await?;
        Ok(issued)
    }

    /// Revokes the tokens of a service account, also one that was replaced and still works. It is fine if there is none.
    pub async fn revoke_service_tokens(
        &self,
        caller: &FreshCaller<ManageUsers>,
        id: UserId,
    ) -> Result<ServiceAccountWithProjects, Error> {
        let scope = caller.scope();
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(scope).await?;
        let before = self.find_service_account_in(&mut tx, scope, id).await?;
        let ended = tx.service_tokens(&self.platform).revoke_all_of(id, self.clock.now()).await?;
        if ended == 0 {
            return Ok(before);
        }
        let entry = AuditEntry::by_caller(caller).on("service_token.revoked", "service_account", id.0);
        self.record_audit(&mut tx, entry.with_details(json!({ "tokens_ended": ended }))).await?;
        let after = self.find_service_account_in(&mut tx, scope, id).await?;
        self.commit_access_change(tx).await?;
        Ok(after)
    }

    /// Revokes one token from the command line. Revoking it twice is fine.
    pub async fn revoke_service_token(&self, id: ServiceTokenId) -> Result<ListedServiceToken, Error> {
        let mut tx = self.store.begin().await?;
        let missing = || {
            let detail = format!("There is no token {id} of a service account.");
            Error::new(ErrorKind::NotFound, "not_found", detail)
        };
        let token = tx.service_tokens(&self.platform).by_id(id).await?.ok_or_else(missing)?;
        if tx.service_tokens(&self.platform).revoke(id, self.clock.now()).await? {
            let entry = AuditEntry::by_command_line(Some(token.brand));
            let entry = entry.on("service_token.revoked", "service_account", token.account.0);
            self.record_audit(&mut tx, entry.with_details(json!({ "token_id": id, "tokens_ended": 1 })))
                .await?;
        }
        self.commit_access_change(tx).await?;
        Ok(token)
    }

    /// Lists the tokens of the service accounts of one brand, or of all.
    pub async fn list_all_service_tokens(
        &self,
        brand: Option<&Brand>,
    ) -> Result<Vec<ListedServiceToken>, Error> {
        let mut tx = self.store.read().await?;
        Ok(tx.service_tokens(&self.platform).all(brand.map(|brand| brand.id)).await?)
    }

    /// Issues the token of a service account for an admin, in a transaction.
    async fn replace_service_token(
        &self,
        tx: &mut Tx,
        caller: &FreshCaller<ManageUsers>,
        id: UserId,
        overlap: Span,
    ) -> Result<IssuedServiceToken, Error> {
        tx.lock_and_bump_registry(caller.scope()).await?;
        let account = self.find_service_account_in(tx, caller.scope(), id).await?;
        let by = (Some(caller.identity.user), AuditEntry::by_caller(caller));
        self.add_service_token(tx, (caller.scope(), &account), overlap, by).await
    }

    /// Issues the token of a service account in a transaction that has already locked the registry. The issuer is none on the command
    /// line.
    async fn add_service_token(
        &self,
        tx: &mut Tx,
        (scope, (account, _)): (&Scope, &ServiceAccountWithProjects),
        overlap: Span,
        (issuer, entry): (Option<UserId>, AuditEntry<'_>),
    ) -> Result<IssuedServiceToken, Error> {
        require_not_archived(account)?;
        let key = self.lock_signing_key(tx).await?;
        let now = self.clock.now();
        // The account may have been created on a host whose clock is ahead, but no token is valid for longer than an account may be. Whole
        // seconds, so that the claim and the row agree exactly.
        let expires_at = account.expires_at.min(now + SERVICE_ACCOUNT_MAX_LIFETIME);
        let expires_at = Timestamp::from_seconds(expires_at.seconds());
        if expires_at <= now {
            return Err(Error::new(
                ErrorKind::Conflict,
                "service_account_expired",
                "The service account has expired. Set a later expires_at first.",
            ));
        }
        let secret = BASE64_URL_SAFE_NO_PAD.encode(self.random.bytes::<24>());
        let replaced = tx.service_tokens(&self.platform).rotate_out(account.id, now + overlap, now).await?;
        let owner = (scope.brand(), account.id);
        let times = (now, expires_at);
        let id = tx.service_tokens(&self.platform).add(owner, issuer, digest(&secret), times).await?;
        let token = key.sign_service_token((id, account.id), secret, times)?;
        let (action, overlap_s) = match replaced {
            Some(_) => ("service_token.rotated", Some(overlap.whole_seconds())),
            None => ("service_token.issued", None),
        };
        let details =
            json!({ "token_id": id, "replaced": replaced, "overlap_s": overlap_s, "expires_at": expires_at });
        let entry = entry.on(action, "service_account", account.id.0);
        self.record_audit(tx, entry.with_details(details)).await?;
        let account = self.find_service_account_in(tx, scope, account.id).await?;
        Ok(IssuedServiceToken { token, id, account, replaced })
    }
}
