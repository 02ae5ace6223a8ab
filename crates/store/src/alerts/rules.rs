//! The rules of alerts. `rule_filters` has their lists, `rule_recipients` whom they notify, `rule_scopes` what they are about.
//!
//! Whoever changes a rule, its recipients or its firings, or which rules a webhook follows, locks the brand's cursor before any of
//! them, as the evaluation does. So all lock in the same order, and an evaluation that has begun to write sees the rules as they stay
//! until it commits.

use domain::row::FromRow;
use domain::{
    ActiveHours, AlertRule, AlertRuleId, AlertSeverity, AlertStatus, AlertTerms, AlertWindow, CalendarUnit,
    ClearReason, Name, NewRecipient, OutsideHours, ProjectId, Timestamp, UserId,
};

use crate::alerts::project_coverage::OF_RULES;
use crate::engine::page::Keyed;
use crate::engine::row::{Id, Row};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Projects, Scope, Tx};

/// The values of a new or changed rule.
#[derive(Clone, Debug)]
pub struct NewRule {
    pub name: Name,
    pub terms: AlertTerms,
    /// None for all hours.
    pub active_hours: Option<ActiveHours>,
    pub outside_hours: OutsideHours,
    pub cool_down_minutes: i64,
    pub severity: AlertSeverity,
    pub notify_on_clear: bool,
    pub enabled: bool,
    pub recipients: Vec<NewRecipient>,
}

/// Whose view of the rules is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleViewer {
    /// Everything in the brand.
    Brand,
    /// What the projects of the scope cover, and the user's own.
    Reader(UserId),
}

/// What an evaluation found out about a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleStatus {
    pub status: AlertStatus,
    pub reason: Option<&'static str>,
    pub judged_at: Timestamp,
}

pub(super) const COLUMNS: &str = "select r.id, u.kind as owner_kind, r.owner_id, u.name as owner_name, r.owner_left_at, r.name,
    r.name_key, r.metric, r.comparison, r.threshold, r.window_minutes, r.window_unit, r.minimum_count, r.scope, r.split_by,
    r.active_hours, r.outside_hours, r.cool_down_minutes, r.severity, r.notify_on_clear, r.enabled, r.all_projects, r.status,
    r.status_reason, r.judged_at, r.version, r.created_at, r.updated_at
    from alert_rules r join users u on u.id = r.owner_id";

/// From the columns of the minutes and of the calendar unit; none if both are null.
impl FromRow<Row> for Option<AlertWindow> {
    fn from_row(row: &Row) -> Result<Self, Error> {
        if let Some(minutes) = row.get::<Option<i64>>("window_minutes")? {
            return Ok(Some(AlertWindow::Rolling { minutes }));
        }
        match row.get::<Option<String>>("window_unit")? {
            Some(_) => Ok(Some(AlertWindow::Calendar(row.parse("window_unit", CalendarUnit::parse)?))),
            None => Ok(None),
        }
    }
}

impl Keyed for AlertRule {
    fn key(&self) -> (&str, i64) {
        (&self.name_key, self.id.0)
    }
}

/// The rules of a brand that are not deleted.
pub struct AlertRules<'a>(pub(super) &'a mut Tx, pub(super) &'a Scope);

impl Tx {
    pub fn alert_rules<'a>(&'a mut self, scope: &'a Scope) -> AlertRules<'a> {
        AlertRules(self, scope)
    }
}

#[macros::boxed]
impl AlertRules<'_> {
    /// Adds a rule with its recipients and the projects it may see, and moves the version of the brand's rules.
    pub async fn add(
        &mut self,
        owner: UserId,
        new: &NewRule,
        projects: &Projects,
        now: Timestamp,
    ) -> Result<AlertRule, Error> {
        self.0.lock_alert_cursor(self.1.brand()).await?;
        let statement = sql!(
            "insert into alert_rules (brand_id, owner_id, name, name_key, metric, comparison, threshold, window_minutes,
                 window_unit, minimum_count, scope, split_by, active_hours, outside_hours, cool_down_minutes, severity,
                 notify_on_clear, enabled, status, status_reason, all_projects, version, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, 1, $22,
                 $22)
             returning id",
            self.1.brand(),
            owner
        );
        let statement = bind_values(statement, new).bind(*projects == Projects::All).bind(now);
        let Id(id): Id<AlertRuleId> = self.0.one(statement).await?;
        OF_RULES.add(self.0, (self.1.brand(), id.0), only(projects)).await?;
        self.replace_recipients(id, &new.recipients).await?;
        self.0.bump_alert_cursor(self.1.brand(), now).await?;
        self.one(id).await
    }

    pub async fn find(&mut self, id: AlertRuleId, viewer: RuleViewer) -> Result<Option<AlertRule>, Error> {
        let statement = self.visible(sql!(COLUMNS), viewer).push_with(" and r.id = $?", [id.into()]);
        self.0.optional(statement).await
    }

    /// Finds a rule and locks it until the end of the transaction. No evaluation writes meanwhile.
    pub async fn find_locked(
        &mut self,
        id: AlertRuleId,
        viewer: RuleViewer,
    ) -> Result<Option<AlertRule>, Error> {
        self.0.lock_alert_cursor(self.1.brand()).await?;
        // By itself, so that the owner's row is not locked too.
        let lock = self.0.row_lock();
        let statement = self.visible(sql!("select r.id from alert_rules r"), viewer);
        let locked: Option<Id<AlertRuleId>> =
            self.0.optional(statement.push_with(" and r.id = $?", [id.into()]).push(lock)).await?;
        match locked {
            Some(Id(id)) => self.find(id, viewer).await,
            None => Ok(None),
        }
    }

    /// Changes a rule that was found and locked. Its status is `disabled` if it is not enabled, else `ok` until it is judged. One that
    /// stays disabled, and about the same, keeps the reason. `owner` replaces the owner and `owner_left_at`. Recipients who stay keep
    /// their ids.
    pub async fn change(
        &mut self,
        id: AlertRuleId,
        to: &NewRule,
        owner: Option<UserId>,
        now: Timestamp,
    ) -> Result<AlertRule, Error> {
        let statement = sql!(
            "update alert_rules set name = $3, name_key = $4, metric = $5, comparison = $6, threshold = $7,
                 window_minutes = $8, window_unit = $9, minimum_count = $10, scope = $11, split_by = $12, active_hours = $13,
                 outside_hours = $14, cool_down_minutes = $15, severity = $16, notify_on_clear = $17, enabled = $18,
                 status = $19,
                 status_reason = case when status = 'disabled' and $19 = 'disabled' and scope = $11 then status_reason else $20 end,
                 judged_at = null, owner_id = coalesce($21, owner_id),
                 owner_left_at = case when $21 is null then owner_left_at end, version = version + 1, updated_at = $22
             where brand_id = $1 and id = $2",
            self.1.brand(),
            id
        );
        self.0.execute(bind_values(statement, to).bind(owner).bind(now)).await?;
        self.replace_recipients(id, &to.recipients).await?;
        self.0.bump_alert_cursor(self.1.brand(), now).await?;
        self.one(id).await
    }

    /// Deletes a rule that was found and locked: its open firings clear, what waits is not sent, and nobody is notified any more. Its
    /// firings stay, and with them its row.
    pub async fn delete(&mut self, id: AlertRuleId, now: Timestamp) -> Result<(), Error> {
        let brand = self.1.brand();
        let text = "update alert_rules set deleted_at = $3, version = version + 1, updated_at = $3
             where brand_id = $1 and id = $2 and deleted_at is null";
        if self.0.execute(sql!(text, brand, id, now)).await? == 0 {
            return Ok(());
        }
        self.0.alert_firings(self.1).close_all(id, ClearReason::RuleDeleted, now).await?;
        for text in [
            "update alert_messages set state = 'dropped' where brand_id = $1 and rule_id = $2 and state = 'waiting'",
            "delete from alert_recipients where brand_id = $1 and rule_id = $2",
        ] {
            self.0.execute(sql!(text, brand, id)).await?;
        }
        self.0.webhooks(self.1).forget_rule(id, now).await?;
        self.0.bump_alert_cursor(brand, now).await
    }

    /// Returns all rules of the brand by id, for the evaluation.
    pub async fn all(&mut self) -> Result<Vec<AlertRule>, Error> {
        let statement = self.visible(sql!(COLUMNS), RuleViewer::Brand).push(" order by r.id");
        self.0.all(statement).await
    }

    /// Sets what an evaluation found out, unless the rule has been disabled or deleted. Neither the version nor `updated_at` moves.
    pub async fn set_status(&mut self, id: AlertRuleId, to: &RuleStatus) -> Result<(), Error> {
        let text = "update alert_rules set status = $3, status_reason = $4, judged_at = $5
             where brand_id = $1 and id = $2 and enabled and deleted_at is null";
        let statement = sql!(text, self.1.brand(), id, to.status.as_str(), to.reason, to.judged_at);
        self.0.execute(statement).await?;
        Ok(())
    }

    /// Records that an owner no longer can have rules: theirs belong to the admins from now on. Returns which.
    pub async fn orphan(&mut self, owner: UserId, now: Timestamp) -> Result<Vec<AlertRuleId>, Error> {
        let brand = self.1.brand();
        self.0.lock_alert_cursor(brand).await?;
        let text = "update alert_rules set owner_left_at = $3, version = version + 1, updated_at = $3
             where brand_id = $1 and owner_id = $2 and owner_left_at is null and deleted_at is null returning id";
        let left: Vec<Id<AlertRuleId>> = self.0.all(sql!(text, brand, owner, now)).await?;
        if !left.is_empty() {
            self.0.bump_alert_cursor(brand, now).await?;
        }
        let mut left: Vec<AlertRuleId> = left.into_iter().map(|Id(id)| id).collect();
        left.sort_unstable();
        Ok(left)
    }

    async fn one(&mut self, id: AlertRuleId) -> Result<AlertRule, Error> {
        let statement = self.visible(sql!(COLUMNS), RuleViewer::Brand);
        self.0.one(statement.push_with(" and r.id = $?", [id.into()])).await
    }
}

/// Returns the projects that rows stand for; none if it is all.
pub(super) fn only(projects: &Projects) -> &[ProjectId] {
    match projects {
        Projects::All => &[],
        Projects::Only(ids) => ids,
    }
}

/// Returns the minutes and the calendar unit of a window.
pub(super) fn window_columns(window: Option<AlertWindow>) -> (Option<i64>, Option<&'static str>) {
    match window {
        Some(AlertWindow::Rolling { minutes }) => (Some(minutes), None),
        Some(AlertWindow::Calendar(unit)) => (None, Some(unit.as_str())),
        None => (None, None),
    }
}

/// Binds the values from the name to the reason of the status, which are `$3` to `$20`.
fn bind_values(statement: Statement, new: &NewRule) -> Statement {
    let terms = &new.terms;
    let (window_minutes, window_unit) = window_columns(terms.window);
    let (status, reason) = match new.enabled {
        true => (AlertStatus::Ok, None),
        false => (AlertStatus::Disabled, Some("by_user")),
    };
    statement
        .bind(new.name.as_str())
        .bind(new.name.key())
        .bind(terms.metric.as_str())
        .bind(terms.comparison.as_str())
        .bind(terms.threshold)
        .bind(window_minutes)
        .bind(window_unit)
        .bind(terms.minimum_count)
        .bind(terms.scope.to_json())
        .bind(terms.split_by.as_str())
        .bind(new.active_hours.as_ref().map(ActiveHours::to_json))
        .bind(new.outside_hours.as_str())
        .bind(new.cool_down_minutes)
        .bind(new.severity.as_str())
        .bind(new.notify_on_clear)
        .bind(new.enabled)
        .bind(status.as_str())
        .bind(reason)
}
