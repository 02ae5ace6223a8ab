//! People who sign in.

use domain::access::ManageUsers;
use domain::{Email, Invalid, Name, ProjectId, Role, UserState};
use serde_json::json;
use store::{Brand, NewUser, Page, PageRequest, User};

use crate::audit::Act;
use crate::{App, Caller, Error, Kind, PasswordPolicy};

/// What an account is made of on the command line.
#[derive(Clone)]
pub struct NewAccount {
    /// Unique in the installation.
    pub email: Email,
    /// What they are called.
    pub name: Name,
    /// What they may do.
    pub role: Role,
    /// In the clear; only its hash is kept.
    pub password: String,
}

impl App {
    /// Whether nobody can sign in yet.
    pub async fn has_no_users(&self) -> Result<bool, Error> {
        Ok(self.store.read().await?.users(&self.platform).count().await? == 0)
    }

    /// Adds a user who can sign in at once, from the command line.
    pub async fn create_user(&self, brand: &Brand, account: &NewAccount) -> Result<User, Error> {
        let hash = self.accept_password(&account.password, &account.email, account.name.as_str()).await?;
        let new = NewUser {
            brand: brand.id,
            email: &account.email,
            name: &account.name,
            role: account.role,
            state: UserState::Active,
            password_hash: Some(&hash),
        };
        let mut tx = self.store.begin().await?;
        let user = match tx.users(&self.platform).add(&new, self.clock.now()).await {
            Err(store::Error::Duplicate(_)) => {
                let taken =
                    Invalid::new("email_taken", format!("{} belongs to a user already", account.email));
                return Err(Error::invalid_field("email", taken));
            }
            other => other?,
        };
        self.record(
            &mut tx,
            Act::of_command_line(Some(brand.id))
                .on("user.created", "user", user.id.0)
                .with(json!({ "role": user.role, "state": user.state }))
                .with_personal(&json!({ "email": user.email, "name": user.name })),
        )
        .await?;
        tx.commit().await?;
        Ok(user)
    }

    /// Gives a user a new password from the command line; every session of theirs ends.
    pub async fn set_password(&self, email: &Email, password: &str) -> Result<User, Error> {
        let user = self.find_user(email).await?;
        let hash = self.accept_password(password, email, &user.name).await?;
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        tx.users(&self.platform).set_password(user.id, &hash, now).await?;
        let ended = tx.sessions(&self.platform).end_all_of(user.id, now).await?;
        self.record(
            &mut tx,
            Act::of_command_line(Some(user.brand))
                .on("user.password_changed", "user", user.id.0)
                .with(json!({ "sessions_ended": ended })),
        )
        .await?;
        self.commit_access_change(tx).await?;
        Ok(user)
    }

    /// Changes role and state from the command line; a user who may no longer come in is out at once.
    pub async fn set_access(&self, email: &Email, role: Role, state: UserState) -> Result<User, Error> {
        let user = self.find_user(email).await?;
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        tx.users(&self.platform).set_access(user.id, role, state, now).await?;
        if state != UserState::Active {
            tx.sessions(&self.platform).end_all_of(user.id, now).await?;
        }
        self.record(
            &mut tx,
            Act::of_command_line(Some(user.brand)).on("user.access_changed", "user", user.id.0).with(json!({
                "before": { "role": user.role, "state": user.state },
                "after": { "role": role, "state": state },
            })),
        )
        .await?;
        self.commit_access_change(tx).await?;
        self.find_user(email).await
    }

    /// Restricts a user to projects of their brand, or lifts the restriction.
    pub async fn restrict_user(&self, email: &Email, projects: Option<&[ProjectId]>) -> Result<(), Error> {
        let user = self.find_user(email).await?;
        let mut tx = self.store.begin().await?;
        tx.users(&self.platform).restrict(user.id, projects, self.clock.now()).await?;
        self.record(
            &mut tx,
            Act::of_command_line(Some(user.brand))
                .on("user.restricted", "user", user.id.0)
                .with(json!({ "project_ids": projects })),
        )
        .await?;
        self.commit_access_change(tx).await
    }

    /// The users of one brand, or of all, for the command line.
    pub async fn all_users(&self, brand: Option<&Brand>) -> Result<Vec<User>, Error> {
        Ok(self.store.read().await?.users(&self.platform).all(brand.map(|brand| brand.id)).await?)
    }

    /// One page of the users of the caller's brand, with how many there are if that is asked for.
    pub async fn list_users(
        &self,
        caller: &Caller<ManageUsers>,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<User>, Option<i64>), Error> {
        let mut tx = self.store.read().await?;
        let found = tx.users_of(caller.scope()).page(page).await?;
        let total = if include_total { Some(tx.users_of(caller.scope()).count().await?) } else { None };
        Ok((found, total))
    }

    /// The projects a restricted user sees; none if they see all.
    pub async fn project_ids(
        &self,
        _: &Caller<ManageUsers>,
        user: &User,
    ) -> Result<Option<Vec<ProjectId>>, Error> {
        if !user.restricted {
            return Ok(None);
        }
        Ok(Some(self.store.read().await?.users(&self.platform).projects(user.id).await?))
    }

    async fn find_user(&self, email: &Email) -> Result<User, Error> {
        let found = self.store.read().await?.users(&self.platform).by_email(email).await?;
        found.map(|found| found.user).ok_or_else(|| {
            Error::new(Kind::NotFound, "not_found", format!("There is no user with the email {email}."))
        })
    }

    async fn accept_password(&self, password: &str, email: &Email, name: &str) -> Result<String, Error> {
        PasswordPolicy::check(password, &[email.as_str(), name, "keepclear"])
            .map_err(|refused| Error::invalid_field("password", refused))?;
        self.passwords.hash(password, &self.random).await
    }
}
