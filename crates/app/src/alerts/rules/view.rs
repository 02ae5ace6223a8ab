//! What is shown with rules.

use std::collections::HashMap;

use domain::access::ManageUsers;
use domain::{
    AlertFiringFilter, AlertRecipient, AlertRule, AlertRuleId, AlertScope, AlertWindow, EmailAddress,
    FiringState, Name, NewRecipient, PageRequest, Permission, ProjectId, ScopeList, SortedSet, UserId,
};
use serde_json::{Map, Value, json};
use store::{Projects, Scope, Tx};

use super::ownership::is_yours;
use super::{AlertView, NewAlert};
use crate::accounts::names::RedactNames;
use crate::{App, Caller, Error};

/// Open firings that are counted by reading them at once.
const MAX_READ: u16 = 500;

impl RedactNames for AlertView {
    fn redact_names(&mut self) {
        self.redact_users();
        for recipient in &mut self.recipients {
            (recipient.email, recipient.user_name) = (None, None);
        }
    }

    fn redact_users(&mut self) {
        self.rule.owner.redact_users();
    }
}

impl AlertView {
    /// Removes the names of users who are recipients, except that of the reader.
    fn redact_recipients(&mut self, reader: UserId) {
        for recipient in self.recipients.iter_mut().filter(|recipient| recipient.user != Some(reader)) {
            recipient.user_name = None;
        }
    }

    /// Returns the rule as a request would describe it.
    pub fn to_new(&self) -> Result<NewAlert, Error> {
        let rule = &self.rule;
        Ok(NewAlert {
            name: Name::parse_stored(&rule.name).map_err(Error::internal)?,
            terms: rule.terms.clone(),
            active_hours: rule.active_hours.clone(),
            outside_hours: rule.outside_hours,
            cool_down_minutes: rule.cool_down_minutes,
            severity: rule.severity,
            notify_on_clear: rule.notify_on_clear,
            enabled: rule.enabled,
            recipients: stored_recipients(&self.recipients)?,
        })
    }

    /// Whether a change would leave everything as it is.
    pub(super) fn is_same(&self, to: &NewAlert) -> Result<bool, Error> {
        let own = self.to_new()?;
        let is_judged_alike = (&own.terms, own.severity, own.enabled) == (&to.terms, to.severity, to.enabled);
        let is_sent_alike =
            (&own.active_hours, own.outside_hours, own.cool_down_minutes, own.notify_on_clear)
                == (&to.active_hours, to.outside_hours, to.cool_down_minutes, to.notify_on_clear);
        let has_same_recipients = recipient_keys(&own.recipients) == recipient_keys(&to.recipients);
        Ok(own.name == to.name && is_judged_alike && is_sent_alike && has_same_recipients)
    }
}

/// Returns recipients as a request would name them.
fn stored_recipients(recipients: &[AlertRecipient]) -> Result<Vec<NewRecipient>, Error> {
    let read = |recipient: &AlertRecipient| match (recipient.user, recipient.email.as_deref()) {
        (Some(user), _) => Ok(NewRecipient::User(user)),
        (None, Some(email)) => EmailAddress::parse(email).map(NewRecipient::Address).map_err(Error::internal),
        (None, None) => Err(Error::internal("a recipient is neither a user nor an address")),
    };
    recipients.iter().map(read).collect()
}

/// Returns by what recipients are the same.
fn recipient_keys(recipients: &[NewRecipient]) -> SortedSet<(Option<UserId>, Option<String>)> {
    let key = |recipient: &NewRecipient| match recipient {
        NewRecipient::User(user) => (Some(*user), None),
        NewRecipient::Address(address) => (None, Some(address.key())),
    };
    recipients.iter().map(key).collect()
}

impl App {
    /// Adds to a rule what is shown with it.
    pub(super) async fn view_alert<P: Permission>(
        &self,
        tx: &mut Tx,
        caller: &Caller<P>,
        rule: AlertRule,
    ) -> Result<AlertView, Error> {
        let mut views = self.view_alerts(tx, caller, vec![rule]).await?;
        views.pop().ok_or_else(|| Error::internal("an alert is shown as none"))
    }

    pub(super) async fn view_alerts<P: Permission>(
        &self,
        tx: &mut Tx,
        caller: &Caller<P>,
        rules: Vec<AlertRule>,
    ) -> Result<Vec<AlertView>, Error> {
        let scope = caller.scope();
        let ids: Vec<AlertRuleId> = rules.iter().map(|rule| rule.id).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut recipients: HashMap<AlertRuleId, Vec<AlertRecipient>> = HashMap::new();
        for (rule, recipient) in tx.alert_rules(scope).recipients(&ids).await? {
            recipients.entry(rule).or_default().push(recipient);
        }
        let mut projects: HashMap<AlertRuleId, Vec<ProjectId>> = HashMap::new();
        for (rule, project) in tx.alert_rules(scope).projects(&ids).await? {
            projects.entry(rule).or_default().push(project);
        }
        let open = count_open_firings(tx, scope, &ids).await?;
        let lists_users = lists_all_users(caller);
        let view = |rule: AlertRule| {
            let id = rule.id;
            let mut view = AlertView {
                recipients: recipients.remove(&id).unwrap_or_default(),
                projects: (!rule.all_projects).then(|| projects.remove(&id).unwrap_or_default()),
                open_firings: open.get(&id).copied().unwrap_or(0),
                is_yours: is_yours(caller, &rule),
                rule,
            };
            if !lists_users {
                view.redact_recipients(caller.identity.user);
            }
            caller.names().redact_record(view)
        };
        Ok(rules.into_iter().map(view).collect())
    }
}

/// Whether a caller can list all users. Anybody else could learn who they are by making them recipients, one id after another.
fn lists_all_users<P: Permission>(caller: &Caller<P>) -> bool {
    caller.identity.has_permission::<ManageUsers>() && *caller.scope().projects() == Projects::All
}

/// Counts the open firings of rules that a scope sees.
async fn count_open_firings(
    tx: &mut Tx,
    scope: &Scope,
    rules: &[AlertRuleId],
) -> Result<HashMap<AlertRuleId, i64>, Error> {
    let filter = AlertFiringFilter {
        rules: rules.to_vec(),
        states: vec![FiringState::Held, FiringState::Fired],
        ..AlertFiringFilter::default()
    };
    let page = PageRequest { limit: MAX_READ, after: None };
    let found = tx.visible_firings(scope).page(&filter, &page).await?;
    let mut counts: HashMap<AlertRuleId, i64> = HashMap::new();
    if found.next.is_none() {
        for firing in found.rows {
            *counts.entry(firing.rule).or_default() += 1;
        }
        return Ok(counts);
    }
    for rule in rules {
        let filter = AlertFiringFilter { rules: vec![*rule], ..filter.clone() };
        counts.insert(*rule, tx.visible_firings(scope).count(&filter).await?);
    }
    Ok(counts)
}

/// Returns the fields for the audit log. Others read it, and it stays when a person is erased: names, addresses and the ids of people are
/// left out.
pub(super) fn audit_fields(view: &AlertView) -> Value {
    let (rule, terms) = (&view.rule, &view.rule.terms);
    let (window_minutes, window) = match terms.window {
        Some(AlertWindow::Rolling { minutes }) => (Some(minutes), None),
        Some(AlertWindow::Calendar(unit)) => (None, Some(unit.as_str())),
        None => (None, None),
    };
    json!({
        "metric": terms.metric.as_str(), "comparison": terms.comparison.as_str(),
        "threshold": terms.threshold.as_f64(), "window_minutes": window_minutes, "window": window,
        "minimum_count": terms.minimum_count, "scope": audited_scope(&terms.scope),
        "split_by": terms.split_by.as_str(), "severity": rule.severity.as_str(),
        "cool_down_minutes": rule.cool_down_minutes, "outside_hours": rule.outside_hours.as_str(),
        "has_active_hours": rule.active_hours.is_some(), "notify_on_clear": rule.notify_on_clear,
        "recipients": view.recipients.len(), "enabled": rule.enabled,
    })
}

/// Returns the lists of a scope that restrict, of people only their number.
fn audited_scope(scope: &AlertScope) -> Value {
    let mut lists = Map::new();
    for list in ScopeList::ALL {
        let shown = match list {
            ScopeList::People => json!(scope.person_ids.len()),
            ScopeList::Zones => json!(scope.zones),
            _ => json!(scope.ids(list)),
        };
        if shown != json!([]) && shown != json!(0) {
            lists.insert(list.field().to_owned(), shown);
        }
    }
    Value::Object(lists)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_audit_log_has_no_ids_of_people() {
        let scope = AlertScope {
            machine_ids: vec![5, 7],
            person_ids: vec![4711],
            zones: vec!["danger".to_owned()],
            ..AlertScope::default()
        };
        let shown = audited_scope(&scope);
        assert_eq!(shown, json!({ "machine_ids": [5, 7], "person_ids": 1, "zones": ["danger"] }));
        assert_eq!(audited_scope(&AlertScope::default()), json!({}));
    }

    #[test]
    fn recipients_are_the_same_in_any_order_and_case() {
        let address = |text| NewRecipient::Address(EmailAddress::parse(text).unwrap());
        let user = NewRecipient::User(UserId(3));
        let one = [address("ada@example.com"), user.clone()];
        assert_eq!(recipient_keys(&one), recipient_keys(&[user.clone(), address("Ada@Example.com")]));
        assert_ne!(recipient_keys(&one), recipient_keys(&[user]));
    }
}
