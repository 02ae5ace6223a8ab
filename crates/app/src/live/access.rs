//! Ends the streams of those whose access has ended or changed.

use std::collections::HashMap;
use std::sync::Arc;

use domain::{Monotonic, ProjectId, Role, ServiceTokenId, SessionId, SortedSet, Span, UserId};
use store::{Projects, ServiceTokenWithAccount, SessionWithUser};

use super::hub::{BrandHub, Follower};
use crate::accounts::caller::SignIn;
use crate::{App, Error};

/// Time after which access is checked even if nothing has changed: sessions also end because nobody uses them.
const CHECK_INTERVAL: Span = Span::minutes(1);

/// Watches the access of all followers of a brand, with a few statements however many they are.
#[derive(Default)]
pub(super) struct AccessWatch {
    last_check: Option<(u64, Monotonic)>,
    is_due: bool,
}

/// The sessions and tokens of followers as they are now.
struct CurrentAccess {
    sessions: HashMap<SessionId, SessionWithUser>,
    tokens: HashMap<ServiceTokenId, ServiceTokenWithAccount>,
    projects: HashMap<UserId, Vec<ProjectId>>,
}

impl AccessWatch {
    /// Ends the streams whose credential has expired, and, if access may have changed since the last check, those of followers whose
    /// session has ended or who now have another access. They connect again with what they have now.
    pub async fn check(&mut self, app: &App, hub: &BrandHub) -> Result<(), Error> {
        let now = app.clock.now();
        let followers = hub.followers().into_iter().filter(|one| !one.has_ended());
        let (expired, followers): (Vec<_>, Vec<_>) =
            followers.partition(|one| one.expires_at.is_some_and(|at| now >= at));
        hub.end(&expired);
        self.is_due |= hub.take_newcomers();
        let (epoch, elapsed) = (app.access_epoch().await?, app.clock.monotonic());
        let is_unchanged = |(known, at): (u64, Monotonic)| known == epoch && elapsed - at < CHECK_INTERVAL;
        if !self.is_due && self.last_check.is_some_and(is_unchanged) {
            return Ok(());
        }
        // Due until it has succeeded.
        self.is_due = true;
        let current = CurrentAccess::read(app, &followers).await?;
        let changed: Vec<Arc<Follower>> =
            followers.into_iter().filter(|follower| !current.is_as_before(app, follower)).collect();
        hub.end(&changed);
        (self.is_due, self.last_check) = (false, Some((epoch, elapsed)));
        Ok(())
    }
}

impl CurrentAccess {
    async fn read(app: &App, followers: &[Arc<Follower>]) -> Result<Self, Error> {
        let sessions: SortedSet<SessionId> =
            followers.iter().filter_map(|follower| follower.identity.session()).collect();
        let tokens: SortedSet<ServiceTokenId> =
            followers.iter().filter_map(|follower| follower.identity.service_token()).collect();
        let mut tx = app.store.read().await?;
        let sessions = match sessions.is_empty() {
            true => Vec::new(),
            false => tx.sessions(&app.platform).among(&sessions).await?,
        };
        let tokens = match tokens.is_empty() {
            true => Vec::new(),
            false => tx.service_tokens(&app.platform).among(&tokens).await?,
        };
        let people = sessions.iter().filter(|found| found.restricted).map(|found| found.session.user);
        let accounts = tokens.iter().filter(|found| found.restricted).map(|found| found.account);
        let restricted: SortedSet<UserId> = people.chain(accounts).collect();
        let projects = tx.users(&app.platform).projects_of(&restricted).await?;
        Ok(Self {
            sessions: sessions.into_iter().map(|found| (found.session.id, found)).collect(),
            tokens: tokens.into_iter().map(|found| (found.id, found)).collect(),
            projects,
        })
    }

    /// Whether a follower may still see what they may have seen when they began.
    fn is_as_before(&self, app: &App, follower: &Follower) -> bool {
        let now = app.clock.now();
        match follower.identity.sign_in {
            SignIn::Session { id, .. } => self.sessions.get(&id).is_some_and(|found| {
                let lacks_second_factor =
                    found.second_factor_roles.contains(&found.role) && !found.has_second_factor;
                app.check_session(found, now).is_ok()
                    && !lacks_second_factor
                    && self.has_same_rights(follower, found.role, found.restricted)
            }),
            SignIn::ServiceToken(id) => self.tokens.get(&id).is_some_and(|found| {
                app.check_service_token(found, now).is_ok()
                    && self.has_same_rights(follower, found.role, found.restricted)
            }),
        }
    }

    fn has_same_rights(&self, follower: &Follower, role: Role, is_restricted: bool) -> bool {
        let identity = &follower.identity;
        let projects = match is_restricted {
            true => Projects::Only(self.projects.get(&identity.user).cloned().unwrap_or_default()),
            false => Projects::All,
        };
        identity.role == role && *identity.scope.projects() == projects
    }
}
