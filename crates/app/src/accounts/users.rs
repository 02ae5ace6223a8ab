//! Users and their passwords.

use domain::access::{ManageAlerts, ManageOwnSignIn, ManageUsers};
use domain::{
    AccountChange, EmailAddress, Invalid, Name, Page, PageRequest, PauseReason, Permission, ProjectId, Role,
    SessionId, UNUSED_PASSWORD_LIFETIME, User, UserFilter, UserId, UserState,
};
use serde_json::json;
use store::{Brand, NewUser, Tx};

use crate::platform::audit::AuditEntry;
use crate::{App, Caller, Credentials, Error, ErrorKind, FreshCaller, PasswordPolicy};

/// A user account to create from the command line.
#[derive(Clone)]
pub struct NewAccount {
    /// Unique in the installation.
    pub email: EmailAddress,
    pub name: Name,
    pub role: Role,
    /// In clear text; only its hash is stored.
    pub password: String,
    pub password_lifetime: PasswordLifetime,
}

/// Validity of a password that was set from the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordLifetime {
    /// The user chose it.
    Permanent,
    /// Someone else knows it, so the user must change it.
    UntilChanged,
    /// It was generated and shown in a terminal. The user must change it, and it expires if it is not used within a day.
    ExpiresUnused,
}

/// The admin that is created on the first start.
pub struct FirstAdmin {
    pub email: EmailAddress,
    /// The generated password, which is not stored in clear text.
    pub password: String,
    /// Name of the brand that they manage.
    pub brand: String,
}

/// A user with the projects they are restricted to, or `None` if they see all.
pub type UserWithProjects = (User, Option<Vec<ProjectId>>);

#[macros::boxed]
impl App {
    /// If there are no users yet, creates an admin with a generated password, in the only brand or in a new one.
    pub async fn create_first_admin(&self) -> Result<Option<FirstAdmin>, Error> {
        if self.store.read().await?.users(&self.platform).count().await? > 0 {
            return Ok(None);
        }
        let email = EmailAddress::parse("admin@keepclear.local").map_err(Error::internal)?;
        let name = Name::parse("Administrator").map_err(Error::internal)?;
        let brand_name = Name::parse("My brand").map_err(Error::internal)?;
        let password = self.random.password(20);
        let hash = self.passwords.hash(&password, &self.random).await?;
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        // Hosts that start concurrently create one admin between them.
        tx.installation(&self.platform).lock().await?;
        if tx.users(&self.platform).count().await? > 0 {
            return Ok(None);
        }
        let brand = match <[Brand; 1]>::try_from(tx.brands(&self.platform).all().await?) {
            Ok([only]) => only,
            Err(_) => match tx.brands(&self.platform).by_name(&brand_name).await?.into_iter().next() {
                Some(found) => found,
                None => tx.brands(&self.platform).add(&brand_name, now).await?,
            },
        };
        let new = NewUser {
            brand: brand.id,
            email: &email,
            name: &name,
            role: Role::Admin,
            state: UserState::Active,
            password_hash: Some(&hash),
        };
        let user = tx.users(&self.platform).add(&new, now).await?;
        tx.users(&self.platform).expire_password(user.id, Some(now + UNUSED_PASSWORD_LIFETIME)).await?;
        self.record_audit(
            &mut tx,
            AuditEntry::by_service(Some(brand.id), None)
                .on("user.created", "user", user.id.0)
                .with_details(json!({ "role": user.role, "state": user.state, "reason": "first_start" }))
                .with_personal(&json!({ "email": user.email, "name": user.name })),
        )
        .await?;
        tx.commit().await?;
        Ok(Some(FirstAdmin { email, password, brand: brand.name }))
    }

    /// Adds a user who can sign in immediately, from the command line.
    pub async fn create_user(&self, brand: &Brand, account: &NewAccount) -> Result<User, Error> {
        let guessable = [account.email.as_str(), account.name.as_str(), &brand.name];
        let hash = self.validate_and_hash_password(("password", &account.password), guessable).await?;
        let new = NewUser {
            brand: brand.id,
            email: &account.email,
            name: &account.name,
            role: account.role,
            state: UserState::Active,
            password_hash: Some(&hash),
        };
        let mut tx = self.store.begin().await?;
        let scope = self.scope_of(brand.id);
        tx.lock_and_bump_registry(&scope).await?;
        if tx.users_of(&scope).has_email(&account.email).await? {
            return Err(email_taken(&account.email));
        }
        let user = match tx.users(&self.platform).add(&new, self.clock.now()).await {
            Err(store::Error::Duplicate(_)) => return Err(email_taken(&account.email)),
            other => other?,
        };
        self.set_password_lifetime(&mut tx, user.id, account.password_lifetime).await?;
        self.record_audit(
            &mut tx,
            AuditEntry::by_command_line(Some(brand.id))
                .on("user.created", "user", user.id.0)
                .with_details(json!({ "role": user.role, "state": user.state }))
                .with_personal(&json!({ "email": user.email, "name": user.name })),
        )
        .await?;
        tx.commit().await?;
        Ok(user)
    }

    /// Sets a user's password from the command line, and ends all of their sessions.
    pub async fn set_password(
        &self,
        email: &EmailAddress,
        password: &str,
        lifetime: PasswordLifetime,
    ) -> Result<User, Error> {
        let user = self.find_user(email).await?;
        let brand = self.store.read().await?.brand_settings(&self.scope_of(user.brand)).await?.values.name;
        let guessable = [email.as_str(), &user.name, brand.as_str()];
        let hash = self.validate_and_hash_password(("password", password), guessable).await?;
        let mut tx = self.store.begin().await?;
        self.claim_email(&mut tx, &user, email).await?;
        let ended = self.replace_password(&mut tx, user.id, &hash, None).await?;
        self.set_password_lifetime(&mut tx, user.id, lifetime).await?;
        self.enqueue_account_notice(&mut tx, (user.brand, user.id), AccountChange::PasswordChanged).await?;
        self.record_audit(
            &mut tx,
            AuditEntry::by_command_line(Some(user.brand))
                .on("user.password_changed", "user", user.id.0)
                .with_details(json!({ "sessions_ended": ended })),
        )
        .await?;
        self.commit_access_change(tx).await?;
        Ok(user)
    }

    /// Sets the validity of a password that was just set.
    async fn set_password_lifetime(
        &self,
        tx: &mut Tx,
        user: UserId,
        lifetime: PasswordLifetime,
    ) -> Result<(), Error> {
        let expires_at = match lifetime {
            PasswordLifetime::Permanent => return Ok(()),
            PasswordLifetime::UntilChanged => None,
            PasswordLifetime::ExpiresUnused => Some(self.clock.now() + UNUSED_PASSWORD_LIFETIME),
        };
        Ok(tx.users(&self.platform).expire_password(user, expires_at).await?)
    }

    /// Replaces a user's password. Ends the links they were sent before and all sessions, except `except_session` if it is given. Returns
    /// the number of ended sessions.
    pub(crate) async fn replace_password(
        &self,
        tx: &mut Tx,
        user: UserId,
        hash: &str,
        except_session: Option<SessionId>,
    ) -> Result<u64, Error> {
        let now = self.clock.now();
        tx.users(&self.platform).set_password(user, hash, now).await?;
        tx.account_links(&self.platform).end_by_user(user, now).await?;
        let mut sessions = tx.sessions(&self.platform);
        Ok(match except_session {
            Some(kept) => sessions.end_others_of(user, kept, now).await?,
            None => sessions.end_all_of(user, now).await?,
        })
    }

    /// Changes the caller's own password, which they must enter. Their other sessions end. Wrong passwords count like failed logins.
    pub async fn change_own_password(
        &self,
        caller: &FreshCaller<ManageOwnSignIn>,
        current: &str,
        new: &str,
    ) -> Result<u64, Error> {
        let identity = &caller.identity;
        let credentials =
            Credentials { email: identity.email.clone(), password: current.to_owned(), otp: None };
        let wrong = |error: Error| match error.code {
            "invalid_credentials" => Error::invalid_field(
                "current_password",
                Invalid::new("wrong_password", "is not your password"),
            ),
            _ => error,
        };
        let login = self
            .verify_login(&credentials, &caller.origin, Some(caller.identity.brand()))
            .await
            .map_err(wrong)?;
        let guessable = [&*identity.email, &identity.name, &identity.brand_name];
        let hash = self.validate_and_hash_password(("new_password", new), guessable).await?;
        let mut tx = self.store.begin().await?;
        self.confirm_login(&mut tx, &login).await.map_err(wrong)?;
        let session = identity.require_session()?;
        let ended = self.replace_password(&mut tx, identity.user, &hash, Some(session)).await?;
        self.enqueue_account_notice(
            &mut tx,
            (identity.brand(), identity.user),
            AccountChange::PasswordChanged,
        )
        .await?;
        let entry = AuditEntry::by_caller(caller).on("user.password_changed", "user", identity.user.0);
        self.record_audit(&mut tx, entry.with_details(json!({ "sessions_ended": ended }))).await?;
        // Before the commit, during which the browser may drop the request.
        self.recent_proofs.remember_password_change(session, self.clock.monotonic());
        self.commit_access_change(tx).await?;
        Ok(ended)
    }

    /// Changes role and state from the command line; what is not given stays. A user who may no longer sign in loses access
    /// immediately.
    pub async fn set_access(
        &self,
        email: &EmailAddress,
        role: Option<Role>,
        state: Option<UserState>,
    ) -> Result<(), Error> {
        let User { id, brand, .. } = self.find_user(email).await?;
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        // Lock order: brand, then user, wherever both are locked.
        tx.lock_and_bump_registry(&self.scope_of(brand)).await?;
        let found = tx.users(&self.platform).by_id_locked(id).await?;
        let user = found.map(|found| found.user).ok_or_else(|| Error::not_found("user"))?;
        let (role, state) = (role.unwrap_or(user.role), state.unwrap_or(user.state));
        if state == UserState::Active {
            self.claim_email(&mut tx, &user, email).await?;
        }
        tx.users(&self.platform).set_access(user.id, role, state, now).await?;
        if state != UserState::Active {
            tx.sessions(&self.platform).end_all_of(user.id, now).await?;
        }
        if state == UserState::Deactivated {
            let (scope, reason) = (self.scope_of(user.brand), PauseReason::AuthorDeactivated);
            tx.report_schedules(&scope).pause_of_author(user.id, reason, now).await?;
        }
        if state == UserState::Deactivated || role < ManageAlerts::MIN_ROLE {
            self.orphan_alerts_of(&mut tx, user.brand, user.id).await?;
        }
        self.record_audit(
            &mut tx,
            AuditEntry::by_command_line(Some(user.brand))
                .on("user.access_changed", "user", user.id.0)
                .with_details(json!({
                    "before": { "role": user.role, "state": user.state },
                    "after": { "role": role, "state": state },
                })),
        )
        .await?;
        self.commit_access_change(tx).await
    }

    /// Restricts a user to projects of their brand, or lifts the restriction.
    pub async fn restrict_user(
        &self,
        email: &EmailAddress,
        projects: Option<&[ProjectId]>,
    ) -> Result<(), Error> {
        let user = self.find_user(email).await?;
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(&self.scope_of(user.brand)).await?;
        self.restrict(&mut tx, user.id, projects).await?;
        self.record_audit(
            &mut tx,
            AuditEntry::by_command_line(Some(user.brand))
                .on("user.restricted", "user", user.id.0)
                .with_details(json!({ "project_ids": projects })),
        )
        .await?;
        self.commit_access_change(tx).await
    }

    /// Lists the users of one brand, or of all, for the command line.
    pub async fn all_users(&self, brand: Option<&Brand>) -> Result<Vec<User>, Error> {
        Ok(self.store.read().await?.users(&self.platform).all(brand.map(|brand| brand.id)).await?)
    }

    /// Lists a page of the users of the caller's brand, each with the projects they are restricted to, and the total if requested.
    pub async fn list_users(
        &self,
        caller: &Caller<ManageUsers>,
        filter: &UserFilter,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<UserWithProjects>, Option<i64>), Error> {
        let mut tx = self.store.read().await?;
        let found = tx.users_of(caller.scope()).page(filter, page).await?;
        let total = if include_total { Some(tx.users_of(caller.scope()).count(filter).await?) } else { None };
        let restricted = found.rows.iter().filter(|user| user.restricted).map(|user| user.id);
        let mut projects = tx.users(&self.platform).projects_of(&restricted.collect::<Vec<_>>()).await?;
        let with_projects = |user: User| {
            let own = user.restricted.then(|| projects.remove(&user.id).unwrap_or_default());
            (user, own)
        };
        let rows = found.rows.into_iter().map(with_projects).collect();
        Ok((Page { rows, next: found.next }, total))
    }

    pub(crate) async fn find_user(&self, email: &EmailAddress) -> Result<User, Error> {
        let mut tx = self.store.read().await?;
        if let Some(found) = tx.users(&self.platform).by_email(email).await? {
            return Ok(found.user);
        }
        let mut invited = tx.users(&self.platform).invited_by_email(email).await?;
        if invited.len() > 1 {
            let detail =
                format!("Several brands have invited {email}, who has accepted none of the invitations.");
            return Err(Error::new(ErrorKind::Conflict, "ambiguous_user", detail));
        }
        invited.pop().ok_or_else(|| {
            Error::new(ErrorKind::NotFound, "not_found", format!("There is no user with the email {email}."))
        })
    }

    /// Claims the email address for a user who can sign in from now on.
    async fn claim_email(&self, tx: &mut Tx, user: &User, email: &EmailAddress) -> Result<(), Error> {
        match tx.users(&self.platform).claim_email(user.id, email).await {
            Err(store::Error::Duplicate(_)) => Err(email_taken(email)),
            other => Ok(other?),
        }
    }

    /// Validates a password and hashes it. An error names `field`. `guessable` is what anyone may know about the user: email address,
    /// name, brand.
    pub(crate) async fn validate_and_hash_password(
        &self,
        (field, password): (&str, &str),
        guessable: [&str; 3],
    ) -> Result<String, Error> {
        PasswordPolicy::check(password, &guessable)
            .map_err(|refused| Error::invalid_field(field, refused))?;
        self.passwords.hash(password, &self.random).await
    }
}

fn email_taken(email: &EmailAddress) -> Error {
    Error::invalid_field("email", Invalid::new("email_taken", format!("{email} already belongs to a user")))
}
