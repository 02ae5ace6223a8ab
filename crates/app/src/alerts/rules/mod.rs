//! Rules: what people do with them.
//!
//! A rule belongs to the user who made it and never sees beyond the projects of that user; when the owner leaves, it belongs to the
//! admins and goes on. `checks` refuses what cannot be judged, `ownership` decides who may change a rule, `view` adds what is shown
//! with it, `erasure` removes people.

mod change;
mod checks;
mod create;
mod erasure;
mod ownership;
mod view;

use domain::access::{ManageAlerts, ReadInsights};
use domain::{
    ActiveHours, AlertRecipient, AlertRule, AlertRuleFilter, AlertRuleId, AlertSeverity, AlertTerms,
    ClearReason, Name, NewRecipient, OutsideHours, Page, PageRequest, ProjectId,
};
use serde_json::json;
use store::NewRule;

pub(in crate::alerts) use self::ownership::{require_yours, viewer};
use self::view::audit_fields;
use crate::platform::audit::AuditEntry;
use crate::{App, Caller, Error, IfMatch};

/// Kind of record in the audit log.
const AUDITED_KIND: &str = "alert";

/// The values of a new rule, with all defaults filled in.
#[derive(Clone, Debug)]
pub struct NewAlert {
    pub name: Name,
    pub terms: AlertTerms,
    /// None for all hours.
    pub active_hours: Option<ActiveHours>,
    pub outside_hours: OutsideHours,
    pub cool_down_minutes: i64,
    pub severity: AlertSeverity,
    pub notify_on_clear: bool,
    pub enabled: bool,
    /// At least one, each once, and at most [`AlertRecipient::MAX`].
    pub recipients: Vec<NewRecipient>,
}

/// A change of a rule: the whole rule as it is to be.
#[derive(Clone, Debug)]
pub struct AlertChange {
    pub to: NewAlert,
    /// Whether what is judged differs from what the caller has read.
    pub changes_terms: bool,
}

/// A rule as a caller sees it.
#[derive(Clone, Debug)]
pub struct AlertView {
    pub rule: AlertRule,
    /// Without names and addresses for callers who may not see names.
    pub recipients: Vec<AlertRecipient>,
    /// The projects whose facts it counts; none for all.
    pub projects: Option<Vec<ProjectId>>,
    /// The number of open firings that the caller sees.
    pub open_firings: i64,
    /// Whether the caller may change it.
    pub is_yours: bool,
}

impl NewAlert {
    fn into_row(self) -> NewRule {
        NewRule {
            name: self.name,
            terms: self.terms,
            active_hours: self.active_hours,
            outside_hours: self.outside_hours,
            cool_down_minutes: self.cool_down_minutes,
            severity: self.severity,
            notify_on_clear: self.notify_on_clear,
            enabled: self.enabled,
            recipients: self.recipients,
        }
    }
}

#[macros::boxed]
impl App {
    /// Returns a page of the rules that the caller sees, sorted by name, with the total if requested.
    pub async fn list_alerts(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &AlertRuleFilter,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<AlertView>, Option<i64>), Error> {
        let (viewer, scope) = (viewer(caller), caller.scope());
        let mut tx = self.store.read().await?;
        let found = tx.alert_rules(scope).page(filter, viewer, page).await?;
        let total = match include_total {
            true => Some(tx.alert_rules(scope).count(filter, viewer).await?),
            false => None,
        };
        let rows = self.view_alerts(&mut tx, caller, found.rows).await?;
        Ok((Page { rows, next: found.next }, total))
    }

    pub async fn find_alert(
        &self,
        caller: &Caller<ReadInsights>,
        id: AlertRuleId,
    ) -> Result<AlertView, Error> {
        let mut tx = self.store.read().await?;
        let found = tx.alert_rules(caller.scope()).find(id, viewer(caller)).await?;
        self.view_alert(&mut tx, caller, found.ok_or_else(alert_not_found)?).await
    }

    /// Deletes a rule and returns what it was. Its firings are closed and stay.
    pub async fn delete_alert(
        &self,
        caller: &Caller<ManageAlerts>,
        id: AlertRuleId,
        if_match: &IfMatch,
    ) -> Result<AlertView, Error> {
        let (scope, now) = (caller.scope(), self.clock.now());
        let mut tx = self.store.begin().await?;
        let found = tx.alert_rules(scope).find_locked(id, viewer(caller)).await?;
        let found = found.ok_or_else(alert_not_found)?;
        require_yours(caller, &found)?;
        if_match.check(found.version)?;
        let deleted = self.view_alert(&mut tx, caller, found).await?;
        let closed = tx.alert_firings(scope).close_all(id, ClearReason::RuleDeleted, now).await?;
        tx.alert_rules(scope).delete(id, now).await?;
        let act = AuditEntry::by_caller(caller).on("alert.deleted", AUDITED_KIND, id.0);
        let details = json!({ "before": audit_fields(&deleted), "closed_firings": closed });
        self.record_audit(&mut tx, act.with_details(details)).await?;
        tx.commit().await?;
        Ok(deleted)
    }
}

/// There is no such rule, as far as the caller may know.
pub(in crate::alerts) fn alert_not_found() -> Error {
    Error::not_found("alert")
}
