//! Changing rules.

use domain::access::{ManageAlerts, ReadInsights};
use domain::{AlertRuleId, ClearReason, UserId};
use serde_json::json;

use super::view::audit_fields;
use super::{AUDITED_KIND, AlertChange, AlertView, NewAlert, alert_not_found, require_yours, viewer};
use crate::platform::audit::AuditEntry;
use crate::{App, Caller, Error, IfMatch};

#[macros::boxed]
impl App {
    /// Changes a rule. What is judged otherwise from then on, and what is no longer judged, closes its open firings without a word.
    pub async fn change_alert(
        &self,
        caller: &Caller<ManageAlerts>,
        id: AlertRuleId,
        if_match: &IfMatch,
        change: AlertChange,
    ) -> Result<AlertView, Error> {
        let (scope, user, now) = (caller.scope(), caller.identity.user, self.clock.now());
        let AlertChange { to, changes_terms } = change;
        // What takes connections of its own comes before the transaction.
        let seen = self.find_alert(&caller.with_permission::<ReadInsights>()?, id).await?.rule;
        require_yours(caller, &seen)?;
        if changes_terms {
            let author = self.author_of_alert(caller, &seen).await?;
            self.check_alert_terms(&author, &to.terms).await?;
        }

        let mut tx = self.store.begin().await?;
        let before = tx.alert_rules(scope).find_locked(id, viewer(caller)).await?;
        let before = before.ok_or_else(alert_not_found)?;
        require_yours(caller, &before)?;
        if_match.check(before.version)?;
        let before = self.view_alert(&mut tx, caller, before).await?;
        if before.is_same(&to)? {
            return Ok(before);
        }
        let stored: Vec<UserId> = before.recipients.iter().filter_map(|recipient| recipient.user).collect();
        self.check_recipients(&mut tx, caller, &to.recipients, &stored).await?;

        // Whoever decides what a rule without an owner is about answers for it from then on.
        let has_other_scope = before.rule.terms.scope != to.terms.scope;
        let new_owner = (before.rule.owner_left_at.is_some() && has_other_scope).then_some(user);
        let closing = reason_to_close(&before, &to);
        let has_other_hours =
            before.rule.active_hours != to.active_hours || before.rule.outside_hours != to.outside_hours;
        let after = tx.alert_rules(scope).change(id, &to.into_row(), new_owner, now).await?;
        if new_owner.is_some() {
            tx.alert_rules(scope).set_projects(id, scope.projects()).await?;
        }
        if has_other_hours {
            // What waits is looked at again when the rule is, which is now.
            tx.alert_messages(scope).make_due(id, now).await?;
        }
        let closed = match closing {
            Some(reason) => tx.alert_firings(scope).close_all(id, reason, now).await?,
            None => 0,
        };
        let after = match new_owner {
            // Read again, with the projects of the new owner.
            Some(_) => tx.alert_rules(scope).find(id, viewer(caller)).await?.ok_or_else(alert_not_found)?,
            None => after,
        };
        let after = self.view_alert(&mut tx, caller, after).await?;
        let act = AuditEntry::by_caller(caller).on("alert.changed", AUDITED_KIND, id.0);
        let details = json!({
            "before": audit_fields(&before), "after": audit_fields(&after), "closed_firings": closed,
        });
        self.record_audit(&mut tx, act.with_details(details)).await?;
        tx.commit().await?;
        Ok(after)
    }
}

/// Returns why a change closes open firings, if it does.
fn reason_to_close(before: &AlertView, to: &NewAlert) -> Option<ClearReason> {
    if before.rule.terms != to.terms {
        return Some(ClearReason::RuleChanged);
    }
    (before.rule.enabled && !to.enabled).then_some(ClearReason::RuleDisabled)
}
