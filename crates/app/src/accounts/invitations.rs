//! Inviting someone to a brand, and joining it.

use domain::access::ManageUsers;
use domain::{EmailAddress, Invalid, LinkPurpose, Name, ProjectId, Role, Span, Timestamp, UserId, UserState};
use serde_json::json;
use store::{AccountLink, NewUser, StoredResponse};

use crate::platform::audit::AuditEntry;
use crate::{App, Error, ErrorKind, FreshCaller, Idempotent, Origin, UserWithProjects};

/// What an admin says of whom they invite.
#[derive(Clone, Debug)]
pub struct NewInvitation {
    /// Where the invitation goes. Emails are unique in the installation among those who can sign in.
    pub email: EmailAddress,
    /// What they are called.
    pub name: Name,
    /// What they will be allowed to do.
    pub role: Role,
    /// The only projects they will see; none for all.
    pub projects: Option<Vec<ProjectId>>,
}

/// An invitation as the one who got it sees it.
#[derive(Clone, Debug)]
pub struct OpenInvitation {
    /// To sign in with.
    pub email: String,
    /// What they are called.
    pub name: String,
    /// What they will be allowed to do.
    pub role: Role,
    /// What the brand is called.
    pub brand_name: String,
    /// From when on it opens nothing.
    pub expires_at: Timestamp,
}

impl App {
    /// Adds a user who has yet to choose a password, and mails them how.
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
            // Of the caller's own brand, in which an email stands for one person, also for those who do not see them. Whether another has the email is decided when the invitation is accepted,
            // and told to nobody but whom it belongs to.
            if tx.users_of(caller.scope()).has_email(&invitation.email).await? {
                let taken = Invalid::new("email_taken", "belongs to a user of this brand already");
                return Err(Error::invalid_field("email", taken));
            }
            let user = tx.users(&self.platform).add(&new, self.clock.now()).await?;
            if let Some(projects) = &invitation.projects {
                self.restrict(tx, user.id, Some(projects)).await?;
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

    /// Mails an invitation again, with a new link; the old one opens nothing any more.
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
                format!("This user is {}; there is no invitation to send again.", user.state.as_str()),
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

    /// What an invitation says to whoever holds its link.
    pub async fn read_invitation(&self, secret: &str) -> Result<OpenInvitation, Error> {
        self.open_invitation(secret).await.map(|(invitation, _)| invitation)
    }

    /// Joins: the invited user chooses a password, and perhaps another name, and can sign in.
    pub async fn accept_invitation(
        &self,
        secret: &str,
        (password, name): (&str, Option<&Name>),
        origin: &Origin,
    ) -> Result<OpenInvitation, Error> {
        // Hashed outside of the transaction, and only for those who hold a good link.
        let (invitation, link) = self.open_invitation(secret).await?;
        let user = link.user;
        let email = EmailAddress::parse(&invitation.email).map_err(Error::internal)?;
        let account_name = name.map_or(&*invitation.name, Name::as_str);
        let guessable = [email.as_str(), account_name, &invitation.brand_name];
        let hash = self.validate_and_hash_password(("password", password), guessable).await?;
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        // Brand, user, link: in this order wherever two of them are held.
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

/// Told only to whoever holds the link, and so reads the mail of that address.
fn address_in_use() -> Error {
    let detail = "This address already has an account in this installation, and an address has one at most. Ask to be \
                  invited under another address.";
    Error::new(ErrorKind::Conflict, "address_in_use", detail)
}

/// Unknown, used and expired links are one and the same to whoever tries them.
fn invitation_not_found() -> Error {
    Error::not_found("invitation")
}
