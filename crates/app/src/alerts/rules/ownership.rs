//! Who sees a rule, who may change it, and what becomes of it when its owner leaves.

use domain::access::{ManageAlerts, ManageBrand};
use domain::{AlertRule, BrandId, Permission, UserId};
use serde_json::json;
use store::{Projects, RuleViewer, Tx};

use super::AUDITED_KIND;
use crate::accounts::authors::Author;
use crate::platform::audit::AuditEntry;
use crate::{App, Caller, Error, ErrorKind};

/// Returns whose rules a caller sees: all of the brand, or their own and what their projects cover.
pub(in crate::alerts) fn viewer<P: Permission>(caller: &Caller<P>) -> RuleViewer {
    match caller.scope().projects() {
        Projects::All => RuleViewer::Brand,
        Projects::Only(_) => RuleViewer::Reader(caller.identity.user),
    }
}

/// Refuses to change a rule of someone else, unless the caller manages the whole brand.
pub(in crate::alerts) fn require_yours(caller: &Caller<ManageAlerts>, rule: &AlertRule) -> Result<(), Error> {
    match is_yours(caller, rule) {
        true => Ok(()),
        false => {
            let detail = "Only its owner, or someone who manages the whole brand, can do this with an alert.";
            Err(Error::new(ErrorKind::Forbidden, "not_yours", detail))
        }
    }
}

pub(super) fn is_yours<P: Permission>(caller: &Caller<P>, rule: &AlertRule) -> bool {
    let manages_brand =
        caller.identity.has_permission::<ManageBrand>() && *caller.scope().projects() == Projects::All;
    is_owner(caller.identity.user, rule) || manages_brand
}

/// Whether a rule belongs to a user. Once its owner has left, it belongs to the admins, even if the owner comes back.
fn is_owner(user: UserId, rule: &AlertRule) -> bool {
    rule.owner_left_at.is_none() && rule.owner.id == Some(user.0)
}

impl App {
    /// Returns the access by which the terms of a rule are checked: the owner's, or the caller's if there is no owner any more.
    pub(super) async fn author_of_alert(
        &self,
        caller: &Caller<ManageAlerts>,
        rule: &AlertRule,
    ) -> Result<Author, Error> {
        let owner = rule.owner.id.map(UserId).filter(|owner| *owner != caller.identity.user);
        let found = match owner {
            Some(owner) if rule.owner_left_at.is_none() => {
                self.load_author::<ManageAlerts>(caller.scope().brand(), owner).await?.ok()
            }
            Some(_) | None => None,
        };
        Ok(found.unwrap_or_else(|| Author::of_caller(caller)))
    }

    /// Hands the rules of someone who leaves over to the admins. They go on with the projects that they have.
    pub(crate) async fn orphan_alerts_of(
        &self,
        tx: &mut Tx,
        brand: BrandId,
        owner: UserId,
    ) -> Result<(), Error> {
        let (scope, now) = (self.scope_of(brand), self.clock.now());
        let orphaned = tx.alert_rules(&scope).orphan(owner, now).await?;
        for rule in orphaned {
            let act = AuditEntry::by_service(Some(brand), None).on("alert.orphaned", AUDITED_KIND, rule.0);
            self.record_audit(tx, act.with_details(json!({ "former_owner": owner.0 }))).await?;
        }
        Ok(())
    }
}
