//! Creating rules.

use domain::access::ManageAlerts;
use domain::{AlertRuleFilter, Invalid, NewRecipient, StoredResponse, User, UserId, UserState};
use serde_json::json;
use store::{Projects, RuleViewer, Scope, Tx};

use super::view::audit_fields;
use super::{AUDITED_KIND, AlertView, NewAlert};
use crate::accounts::authors::Author;
use crate::platform::audit::AuditEntry;
use crate::{App, Caller, Error, ErrorKind, FieldError, Idempotent};

/// Maximum number of rules per owner.
const MAX_OF_OWNER: i64 = 200;
/// Maximum number of rules per brand.
const MAX_OF_BRAND: i64 = 2_000;

#[macros::boxed]
impl App {
    pub async fn create_alert(
        &self,
        caller: &Caller<ManageAlerts>,
        new: NewAlert,
        idempotent: Idempotent<'_, AlertView>,
    ) -> Result<StoredResponse, Error> {
        let (scope, user, now) = (caller.scope(), caller.identity.user, self.clock.now());
        if !self.has_stored_response(idempotent.key()).await? {
            self.check_alert_terms(&Author::of_caller(caller), &new.terms).await?;
        }
        let row = new.into_row();
        self.run_idempotent(idempotent, async |tx| {
            // One creation at a time: two concurrent ones would both find the last place free.
            tx.users(&self.platform).by_id_locked(user).await?;
            if tx.alert_rules(scope).count_of(user).await? >= MAX_OF_OWNER {
                return Err(too_many_alerts(format!("You already have {MAX_OF_OWNER} alerts; delete some.")));
            }
            let all = tx.alert_rules(scope).count(&AlertRuleFilter::default(), RuleViewer::Brand).await?;
            if all >= MAX_OF_BRAND {
                let detail = format!("The brand already has {MAX_OF_BRAND} alerts; delete some.");
                return Err(too_many_alerts(detail));
            }
            self.check_recipients(tx, caller, &row.recipients, &[]).await?;
            let rule = tx.alert_rules(scope).add(user, &row, scope.projects(), now).await?;
            let view = self.view_alert(tx, caller, rule).await?;
            let act = AuditEntry::by_caller(caller).on("alert.created", AUDITED_KIND, view.rule.id.0);
            self.record_audit(tx, act.with_details(json!({ "after": audit_fields(&view) }))).await?;
            Ok(view)
        })
        .await
    }

    /// Refuses users who are not active in the brand, and alike those of whom the caller does not know. Those who are recipients already
    /// may stay.
    pub(super) async fn check_recipients(
        &self,
        tx: &mut Tx,
        caller: &Caller<ManageAlerts>,
        recipients: &[NewRecipient],
        stored: &[UserId],
    ) -> Result<(), Error> {
        let scope = self.scope_of(caller.scope().brand());
        let mut faults = Vec::new();
        for (index, recipient) in recipients.iter().enumerate() {
            let NewRecipient::User(user) = recipient else { continue };
            if stored.contains(user) {
                continue;
            }
            let found = tx.users_of(&scope).find(*user).await?;
            let is_known = match found.filter(|user| user.state == UserState::Active) {
                Some(found) => self.shares_project(tx, caller.scope(), &found).await?,
                None => false,
            };
            if !is_known {
                let text = "is not an active user of this brand who sees something that you see";
                faults.push(FieldError {
                    field: format!("recipients.{index}.user_id"),
                    invalid: Invalid::new("unknown_user", text),
                });
            }
        }
        match faults.is_empty() {
            true => Ok(()),
            false => Err(Error::invalid(faults)),
        }
    }

    /// Whether a user sees a project of the scope. Who sees only others does not exist for a restricted caller.
    async fn shares_project(&self, tx: &mut Tx, scope: &Scope, user: &User) -> Result<bool, Error> {
        let Projects::Only(visible) = scope.projects() else { return Ok(true) };
        if !user.restricted {
            return Ok(true);
        }
        let theirs = tx.users(&self.platform).projects(user.id).await?;
        Ok(theirs.iter().any(|project| visible.contains(project)))
    }
}

fn too_many_alerts(detail: String) -> Error {
    Error::new(ErrorKind::Conflict, "too_many_alerts", detail)
}
