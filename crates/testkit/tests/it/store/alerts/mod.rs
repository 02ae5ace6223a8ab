//! Alerts: rules, their evaluation, firings, messages, deliveries and webhooks.

mod cursors;
mod device_history;
mod device_values;
mod explain;
mod firings;
mod messages;
mod recipients;
mod retention;
mod rules;
mod visibility;
mod webhooks;

use std::sync::Arc;

use domain::{
    AlertComparison, AlertFiring, AlertFiringId, AlertLevel, AlertMetric, AlertRule, AlertRuleId, AlertScope,
    AlertSeverity, AlertSplit, AlertTerms, AlertWindow, EmailAddress, FiringScope, FiringSubject,
    Measurement, Name, NewRecipient, OutsideHours, ProjectId, Role, SplitKey, TimeZone, Timestamp, UserId,
};
use store::{NewFiring, NewRule, Platform, Projects, RuleViewer, Scope, Store};
use testkit::TestApp;

const ADA: UserId = UserId(1);
const BOB: UserId = UserId(2);

/// The store of a brand, "Acme", with the admin Ada and the member Bob.
struct Rows {
    app: TestApp,
    store: Store,
    platform: Arc<Platform>,
    scope: Scope,
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(seconds)
}

/// More than three incursions with one machine within an hour.
fn terms() -> AlertTerms {
    AlertTerms {
        metric: AlertMetric::Incursions,
        comparison: AlertComparison::Above,
        threshold: AlertLevel::whole(3),
        window: Some(AlertWindow::Rolling { minutes: 60 }),
        minimum_count: None,
        scope: AlertScope::default(),
        split_by: AlertSplit::Machine,
    }
}

fn rule(name: &str) -> NewRule {
    NewRule {
        name: Name::parse(name).unwrap(),
        terms: terms(),
        active_hours: None,
        outside_hours: OutsideHours::Hold,
        cool_down_minutes: 60,
        severity: AlertSeverity::Warning,
        notify_on_clear: false,
        enabled: true,
        recipients: vec![NewRecipient::User(ADA)],
    }
}

fn address(text: &str) -> NewRecipient {
    NewRecipient::Address(EmailAddress::parse(text).unwrap())
}

fn only(ids: &[i64]) -> Projects {
    Projects::Only(ids.iter().copied().map(ProjectId).collect())
}

impl Rows {
    async fn new(app: TestApp) -> Self {
        app.create_user("ada@example.com", Role::Admin).await;
        app.create_user("bob@example.com", Role::Member).await;
        let (store, platform) = app.database().open().await;
        let scope = platform.scope(app.ensure_brand("Acme").await.id, Projects::All);
        Self { app, store, platform: Arc::new(platform), scope }
    }

    /// Returns the scope of a reader who sees only these projects.
    fn restricted(&self, ids: &[i64]) -> Scope {
        self.platform.scope(self.scope.brand(), only(ids))
    }

    /// Returns the scope of another brand.
    async fn other_brand(&self) -> Scope {
        self.platform.scope(self.app.ensure_brand("Other").await.id, Projects::All)
    }

    /// Adds a rule of Ada that sees all projects.
    async fn add(&self, new: &NewRule) -> AlertRule {
        self.add_of(ADA, new, &Projects::All).await
    }

    async fn add_of(&self, owner: UserId, new: &NewRule, projects: &Projects) -> AlertRule {
        let mut tx = self.store.begin().await.unwrap();
        let added = tx.alert_rules(&self.scope).add(owner, new, projects, at(1)).await.unwrap();
        tx.commit().await.unwrap();
        added
    }

    async fn change(&self, id: AlertRuleId, to: &NewRule) -> AlertRule {
        let mut tx = self.store.begin().await.unwrap();
        let mut rules = tx.alert_rules(&self.scope);
        rules.find_locked(id, RuleViewer::Brand).await.unwrap().unwrap();
        let changed = rules.change(id, to, None, at(2)).await.unwrap();
        tx.commit().await.unwrap();
        changed
    }

    async fn find(&self, id: AlertRuleId) -> AlertRule {
        let mut tx = self.store.read().await.unwrap();
        tx.alert_rules(&self.scope).find(id, RuleViewer::Brand).await.unwrap().unwrap()
    }

    /// Adds a firing of project 1, with these values put over it; none if the store refuses it.
    async fn try_fire(
        &self,
        rule: &AlertRule,
        split: &[i64],
        change: impl FnOnce(&mut NewFiring<'_>),
        now: Timestamp,
    ) -> Option<AlertFiringId> {
        let split_key = SplitKey::new(split.to_vec());
        let time_zone = TimeZone::parse("Europe/Berlin").unwrap();
        let mut firing = NewFiring {
            rule,
            split_key: &split_key,
            subject: FiringSubject::default(),
            value: Measurement::count(3),
            window: (Some(now - domain::Span::minutes(60)), now),
            time_zone: &time_zone,
            seq: 7,
            incursions: &[],
            details: "{}",
            projects: &[Some(ProjectId(1))],
            held_until: None,
            is_told: true,
        };
        change(&mut firing);
        let mut tx = self.store.begin().await.unwrap();
        let added = tx.alert_firings(&self.scope).add(&firing, now).await.unwrap();
        tx.commit().await.unwrap();
        added
    }

    async fn fire(&self, rule: &AlertRule, split: &[i64], now: Timestamp) -> AlertFiringId {
        self.try_fire(rule, split, |_| {}, now).await.unwrap()
    }

    async fn firing(&self, id: AlertFiringId) -> AlertFiring {
        let mut tx = self.store.read().await.unwrap();
        tx.alert_firings(&self.scope).among(&[id]).await.unwrap().remove(0)
    }

    async fn scopes(&self, ids: &[AlertFiringId]) -> Vec<(AlertFiringId, FiringScope)> {
        let mut tx = self.store.read().await.unwrap();
        tx.alert_firings(&self.scope).scopes(ids).await.unwrap()
    }
}
