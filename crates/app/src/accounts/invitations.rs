//! Invitations of users to a brand, and their acceptance.

use domain::access::ManageUsers;
use domain::{
    EmailAddress, Invalid, LinkPurpose, Name, ProjectId, Role, Span, StoredResponse, Timestamp, UserId,
    UserState,
};
use serde_json::json;
use store::{AccountLink, NewUser};

use crate::platform::audit::AuditEntry;
use crate::{App, Error, ErrorKind, FreshCaller, Idempotent, Origin, UserWithProjects};

/// An invitation as an admin enters it.
#[derive(Clone, Debug)]
pub struct NewInvitation {
    /// Address that the invitation is sent to. Addresses are unique in the installation among users who can sign in.
    pub email: EmailAddress,
    pub name: Name,
    pub role: Role,
    /// The only projects that the user will see, or `None` for all.
    pub projects: Option<Vec<ProjectId>>,
}

/// An open invitation as its recipient sees it.
#[derive(Clone, Debug)]
pub struct OpenInvitation {
    /// Address to sign in with.
    pub email: String,
    pub name: String,
    pub role: Role,
    pub brand_name: String,
    pub expires_at: Timestamp,
}

#[macros::boxed]
impl App {
    /// Adds a user without a password and mails them a link to choose one.
    pub async fn invite_user(
        &self,
        caller: &FreshCaller<ManageUsers>,
        invitation: &NewInvitation,
        idempotent: Idempotent<'_, UserWithProjects>,
    ) -> Result<StoredResponse, Error> {
        let new = NewUser {
            brand: caller.identity.brand(),
            email: &invitation.email,
            name: &invitation.name,
            role: invitation.role,
            state: UserState::Invited,
            password_hash: None,
        };
        caller.check_grant(invitation.role, invitation.projects.as_deref())?;
        self.run_idempotent(idempotent, async |tx| {
            tx.lock_and_bump_registry(caller.scope()).await?;
            // Within the caller's brand an address belongs to one user, even one whom the caller does not see. Whether another brand
            // has the address is decided when the invitation is accepted, and reported only to the owner of the address.
            if tx.users_of(caller.scope()).has_email(&invitation.email).await? {
                let taken = Invalid::new("email_taken", "already belongs to a user of this brand");
                return Err(Error::invalid_field("email", taken));
            }
            let user = tx.users(&self.platform).add(&new, self.clock.now()).await?;
            if let Some(projects) = &invitation.projects {
                self.restrict_new(tx, user.id, projects).await?;
            }
            self.issue_account_link(
                tx,
                &user,
                LinkPurpose::Invitation,
                Some(caller.identity.user),
                self.invitation_lifetime(),
            )
            .await?;
            let entry =
                AuditEntry::by_caller(caller).on("user.invited", "user", user.id.0).with_details(json!({
                    "after": { "role": user.role, "state": user.state, "project_ids": invitation.projects },
                }));
            self.record_audit(tx, entry.with_personal(&json!({ "email": user.email, "name": user.name })))
                .await?;
            self.find_user_with_projects(tx, caller, user.id).await
        })
        .await
    }

    /// Sends an invitation again with a new link. The previous link stops working.
    pub async fn resend_invitation(
        &self,
        caller: &FreshCaller<ManageUsers>,
        id: UserId,
    ) -> Result<UserWithProjects, Error> {
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(caller.scope()).await?;
        let (user, projects) = self.find_manageable_user(&mut tx, caller, id).await?;
        if user.state != UserState::Invited {
            return Err(Error::new(
                ErrorKind::Conflict,
                "not_invited",
                format!("This user is {}, so there is no invitation to send again.", user.state.as_str()),
            ));
        }
        let sender = Some(caller.identity.user);
        let lifetime = self.invitation_lifetime();
        self.issue_account_link(&mut tx, &user, LinkPurpose::Invitation, sender, lifetime).await?;
        self.record_audit(&mut tx, AuditEntry::by_caller(caller).on("user.invited_again", "user", id.0))
            .await?;
        tx.commit().await?;
        Ok((user, projects))
    }

    /// Returns the invitation that belongs to a link's secret.
    pub async fn read_invitation(&self, secret: &str) -> Result<OpenInvitation, Error> {
        self.open_invitation(secret).await.map(|(invitation, _)| invitation)
    }

    /// Accepts an invitation: sets the user's password and, if given, another name, and activates the account.
    pub async fn accept_invitation(
        &self,
        secret: &str,
        (password, name): (&str, Option<&Name>),
        origin: &Origin,
    ) -> Result<OpenInvitation, Error> {
        // Hashed outside the transaction, and only for a valid link.
        let (invitation, link) = self.open_invitation(secret).await?;
        let user = link.user;
        let email = EmailAddress::parse_stored(&invitation.email).map_err(Error::internal)?;
        let account_name = name.map_or(&*invitation.name, Name::as_str);
        let guessable = [email.as_str(), account_name, &invitation.brand_name];
        let hash = self.validate_and_hash_password(("password", password), guessable).await?;
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        // Lock order: brand, user, link, wherever two of them are locked.
        tx.lock_and_bump_registry(&self.scope_of(link.brand)).await?;
        let found = tx.users(&self.platform).by_id_locked(user).await?;
        let found =
            found.filter(|found| found.user.state == UserState::Invited).ok_or_else(invitation_not_found)?;
        let link = self.lock_live_account_link(&mut tx, LinkPurpose::Invitation, secret).await?;
        let link = link.ok_or_else(invitation_not_found)?;
        match tx.users(&self.platform).claim_email(user, &email).await {
            Err(store::Error::Duplicate(_)) => return Err(address_in_use()),
            other => other?,
        }
        if let Some(name) = name {
            tx.users_of(&self.scope_of(link.brand)).rename(user, name, now).await?;
        }
        tx.account_links(&self.platform).mark_used(link.id, now).await?;
        self.replace_password(&mut tx, user, &hash, None).await?;
        tx.users(&self.platform).set_access(user, found.user.role, UserState::Active, now).await?;
        let entry = AuditEntry::by_user(link.brand, user, origin).on("user.joined", "user", user.0);
        let details =
            json!({ "before": { "state": found.user.state }, "after": { "state": UserState::Active } });
        self.record_audit(&mut tx, entry.with_details(details)).await?;
        self.commit_access_change(tx).await?;
        Ok(OpenInvitation { name: account_name.to_owned(), ..invitation })
    }

    async fn open_invitation(&self, secret: &str) -> Result<(OpenInvitation, AccountLink), Error> {
        let link = self.find_account_link(LinkPurpose::Invitation, secret).await?;
        let link = link.ok_or_else(invitation_not_found)?;
        let found = self.store.read().await?.account_links(&self.platform).find_details(link.id).await?;
        let found =
            found.filter(|found| found.state == UserState::Invited).ok_or_else(invitation_not_found)?;
        if found.email_is_taken {
            return Err(address_in_use());
        }
        let invitation = OpenInvitation {
            email: found.email,
            name: found.name,
            role: found.role,
            brand_name: found.brand_name,
            expires_at: link.expires_at,
        };
        Ok((invitation, link))
    }

    fn invitation_lifetime(&self) -> Span {
        Span::minutes(i64::from(self.config.invitation_lifetime_days) * 24 * 60)
    }
}

/// Returned only to the holder of the link, who therefore reads the mail of that address.
fn address_in_use() -> Error {
    let detail = "This address already has an account in this installation, and an address can have only one. Ask to be \
                  invited under another address.";
    Error::new(ErrorKind::Conflict, "address_in_use", detail)
}

/// Unknown, used and expired links get the same error, so that they cannot be distinguished.
fn invitation_not_found() -> Error {
    Error::not_found("invitation")
}
