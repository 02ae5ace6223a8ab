//! Which brands are due, and which worker evaluates them.

use std::sync::Arc;

use domain::{
    AlertLevel, AlertStatus, ClearReason, FiringSubject, Measurement, PersonId, SplitKey, TimeZone,
    Timestamp, UserId,
};
use store::{CursorState, NewFiring, NewRule, Projects, RecordedEvaluation, RuleStatus, RuleViewer};
use testkit::{TestApp, on_both_engines};

use super::{ADA, BOB, Rows, address, at, only, rule, terms};

on_both_engines!(
    a_brand_with_rules_is_due_by_its_facts_and_by_time,
    a_lease_is_taken_over_after_its_end_and_not_before,
    a_worker_that_lost_its_lease_writes_nothing,
    a_change_during_an_evaluation_stays_due,
    every_change_moves_the_version_of_the_rules,
    a_look_costs_the_same_however_many_rules_there_are,
    changes_and_evaluations_get_through_side_by_side,
    restored_leases_are_released,
);

impl Rows {
    /// Returns the state of the brand's cursor, which must be due at this time for a new worker.
    async fn cursor(&self, now: i64) -> CursorState {
        let mut tx = self.store.read().await.unwrap();
        let due = tx.alert_cursors(&self.platform).due("a new worker", at(now)).await.unwrap();
        due.into_iter().find(|one| one.brand == self.scope.brand()).unwrap().cursor
    }

    async fn is_due(&self, worker: &str, now: i64) -> bool {
        let mut tx = self.store.read().await.unwrap();
        let due = tx.alert_cursors(&self.platform).due(worker, at(now)).await.unwrap();
        due.iter().any(|one| one.brand == self.scope.brand())
    }

    /// Takes the lease for ten seconds.
    async fn take(&self, worker: &str, now: i64) -> Option<i64> {
        let mut tx = self.store.begin().await.unwrap();
        let brand = self.scope.brand();
        let fence = tx.alert_cursors(&self.platform).take(brand, worker, at(now), at(now + 10)).await;
        tx.commit().await.unwrap();
        fence.unwrap()
    }

    /// Records an evaluation of the rules as they are, which began at a time, with the next a minute later.
    async fn record(&self, fence: i64, seq: i64, now: i64) -> bool {
        let rules_version = self.rules_version().await;
        self.record_rules(fence, (seq, rules_version), at(now), at(now + 60)).await
    }

    async fn record_rules(
        &self,
        fence: i64,
        (seq, rules_version): (i64, i64),
        evaluated_at: Timestamp,
        next_due_at: Timestamp,
    ) -> bool {
        let mut tx = self.store.begin().await.unwrap();
        let mut cursors = tx.alert_cursors(&self.platform);
        let done = RecordedEvaluation { seq, rules_version, next_due_at, evaluated_at };
        let recorded = cursors.record(self.scope.brand(), fence, &done).await.unwrap();
        tx.commit().await.unwrap();
        recorded
    }

    async fn rules_version(&self) -> i64 {
        let query = format!(
            "select cast(rules_version as text) from alert_cursors where brand_id = {}",
            self.scope.brand()
        );
        testkit::query_raw_sql(self.app.database(), &query).await[0].parse().unwrap()
    }

    async fn bump(&self, now: i64) {
        let mut tx = self.store.begin().await.unwrap();
        tx.alert_cursors(&self.platform).bump(self.scope.brand(), at(now)).await.unwrap();
        tx.commit().await.unwrap();
    }
}

async fn a_brand_with_rules_is_due_by_its_facts_and_by_time(app: TestApp) {
    let rows = Rows::new(app).await;
    assert!(!rows.is_due("w", 999).await, "it has no rules");
    let id = rows.add(&rule("Yard")).await.id;
    assert!(!rows.is_due("w", 0).await && rows.is_due("w", 1).await);
    let fence = rows.take("w", 1).await.unwrap();
    assert!(rows.record(fence, 0, 1).await);
    assert!(!rows.is_due("w", 60).await && rows.is_due("w", 61).await);

    // A new fact.
    let mut tx = rows.store.begin().await.unwrap();
    let seq = tx.lock_and_allocate_seq(&rows.scope, 3).await.unwrap().last_seq;
    tx.commit().await.unwrap();
    assert!(rows.is_due("w", 2).await);
    assert!(rows.record(fence, seq, 2).await);
    assert!(!rows.is_due("w", 59).await);
    let mut tx = rows.store.read().await.unwrap();
    let due = tx.alert_cursors(&rows.platform).due("w", at(99)).await.unwrap().remove(0);
    let counters = tx.counters(&rows.scope).await.unwrap();
    assert_eq!((due.last_seq, due.registry_version), (seq, counters.registry_version));
    assert_eq!((due.cursor.evaluated_seq, due.cursor.next_due_at), (seq, at(62)));
    drop(tx);

    let mut tx = rows.store.begin().await.unwrap();
    tx.alert_rules(&rows.scope).delete(id, at(70)).await.unwrap();
    tx.commit().await.unwrap();
    assert!(!rows.is_due("w", 999).await, "its last rule is gone");
    rows.add(&rule("Depot")).await;
    assert!(rows.is_due("w", 999).await);
}

async fn a_lease_is_taken_over_after_its_end_and_not_before(app: TestApp) {
    let rows = Rows::new(app).await;
    assert_eq!(rows.take("a", 5).await, None, "there is nothing to evaluate");
    rows.add(&rule("Yard")).await;
    let first = rows.take("a", 10).await.unwrap();
    assert_eq!(rows.take("b", 19).await, None);
    assert!(!rows.is_due("b", 19).await && rows.is_due("a", 19).await);
    // Renewed in time, it is the same lease.
    assert_eq!(rows.take("a", 19).await, Some(first));
    assert_eq!(rows.take("b", 28).await, None);
    assert!(rows.is_due("b", 29).await);
    let second = rows.take("b", 29).await.unwrap();
    assert!(second > first);
    assert_eq!(rows.take("a", 30).await, None);
    // Even the same worker gets a new fence once its time is over.
    let third = rows.take("b", 39).await.unwrap();
    assert!(third > second);
    let cursor = rows.cursor(49).await;
    assert_eq!((cursor.worker.as_deref(), cursor.leased_until, cursor.fence), (Some("b"), at(49), third));
}

async fn a_worker_that_lost_its_lease_writes_nothing(app: TestApp) {
    let rows = Rows::new(app).await;
    rows.add(&rule("Yard")).await;
    let stale = rows.take("a", 10).await.unwrap();
    let current = rows.take("b", 20).await.unwrap();
    let brand = rows.scope.brand();
    let mut tx = rows.store.begin().await.unwrap();
    let mut cursors = tx.alert_cursors(&rows.platform);
    assert!(!cursors.lock(brand, stale).await.unwrap());
    assert!(cursors.lock(brand, current).await.unwrap());
    assert!(!cursors.lock(domain::BrandId(99), current).await.unwrap());
    drop(tx);
    assert!(!rows.record(stale, 5, 21).await);
    assert_eq!(rows.cursor(40).await.evaluated_seq, 0);
    assert!(rows.record(current, 5, 21).await);
    assert_eq!(rows.cursor(90).await.evaluated_seq, 5);
}

async fn a_change_during_an_evaluation_stays_due(app: TestApp) {
    let rows = Rows::new(app).await;
    rows.add(&rule("Yard")).await;
    let fence = rows.take("w", 10).await.unwrap();
    // The evaluation began at 10. Whoever changed a rule then read the clock before that, and waited for a lock.
    let version = rows.rules_version().await;
    rows.bump(9).await;
    assert!(rows.record_rules(fence, (0, version), at(10), at(70)).await);
    assert!(rows.is_due("w", 10).await);
    // The next one sees it.
    assert!(rows.record(fence, 0, 12).await);
    assert!(!rows.is_due("w", 71).await && rows.is_due("w", 72).await);
    // An earlier time is taken as it is.
    let version = rows.rules_version().await;
    assert!(rows.record_rules(fence, (0, version), at(13), at(30)).await);
    assert!(!rows.is_due("w", 29).await && rows.is_due("w", 30).await);
    let mut tx = rows.store.read().await.unwrap();
    assert_eq!(tx.alert_cursors(&rows.platform).first_due_at().await.unwrap(), Some(at(30)));
}

async fn every_change_moves_the_version_of_the_rules(app: TestApp) {
    let rows = Rows::new(app).await;
    let mut new = rule("Yard");
    new.recipients.push(address("eve@example.com"));
    let rule_of = rows.add_of(BOB, &new, &only(&[1])).await;
    let about_person = |firing: &mut NewFiring<'_>| firing.subject.person = Some(PersonId(4));
    rows.try_fire(&rule_of, &[5], about_person, at(3)).await.unwrap();
    let mut last = rows.cursor(999).await.rules_version;
    for step in 0..8 {
        let mut tx = rows.store.begin().await.unwrap();
        let mut rules = tx.alert_rules(&rows.scope);
        let id = rule_of.id;
        let recipient = rules.recipients(&[id]).await.unwrap().first().map(|(_, one)| one.id);
        match step {
            0 => drop(rules.change(id, &new, None, at(9)).await.unwrap()),
            1 => assert!(rules.unsubscribe(recipient.unwrap(), at(9)).await.unwrap()),
            2 => rules.refuse(recipient.unwrap(), "550", at(9)).await.unwrap(),
            3 => assert_eq!(rules.remove_address("eve@example.com", at(9)).await.unwrap(), 1),
            4 => rules.set_scope(id, &rule_of.terms.scope, at(9)).await.unwrap(),
            5 => assert_eq!(rules.orphan(BOB, at(9)).await.unwrap(), [id]),
            6 => {
                let erased = tx.alert_firings(&rows.scope).erase_person(PersonId(4), at(9)).await;
                assert_eq!(erased.unwrap(), 1);
            }
            _ => drop(rules.add(ADA, &new, &Projects::All, at(9)).await.unwrap()),
        }
        tx.commit().await.unwrap();
        let cursor = rows.cursor(999).await;
        assert!(cursor.rules_version > last, "step {step}");
        assert_eq!(cursor.next_due_at, at(9), "step {step}");
        last = cursor.rules_version;
    }
    // What the evaluating worker writes itself, and what changes nothing, does not.
    let mut tx = rows.store.begin().await.unwrap();
    let status = RuleStatus { status: AlertStatus::Firing, reason: None, judged_at: at(9) };
    tx.alert_rules(&rows.scope).set_status(rule_of.id, &status).await.unwrap();
    tx.alert_rules(&rows.scope).set_projects(rule_of.id, &only(&[2])).await.unwrap();
    tx.alert_rules(&rows.scope).remove_address("nobody@example.com", at(9)).await.unwrap();
    tx.alert_rules(&rows.scope).orphan(UserId(77), at(9)).await.unwrap();
    tx.alert_firings(&rows.scope).erase_person(PersonId(77), at(9)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(rows.cursor(999).await.rules_version, last);
}

async fn a_look_costs_the_same_however_many_rules_there_are(app: TestApp) {
    let rows = Rows::new(app).await;
    for count in [1, 20] {
        for number in 0..count {
            let rule_of = rows.add(&rule(&format!("Rule {number}"))).await;
            rows.fire(&rule_of, &[number], at(3)).await;
        }
        let mut tx = rows.store.read().await.unwrap();
        assert_eq!(tx.alert_cursors(&rows.platform).due("w", at(99)).await.unwrap().len(), 1);
        assert_eq!(tx.statement_count(), 1);
        assert!(tx.alert_rules(&rows.scope).all().await.unwrap().len() >= count as usize);
        assert_eq!(tx.statement_count(), 2);
        assert!(tx.alert_firings(&rows.scope).open().await.unwrap().len() >= count as usize);
        assert_eq!(tx.statement_count(), 3);
        let (rules, firings, deliveries) = tx.alert_cursors(&rows.platform).counts().await.unwrap();
        assert_eq!(tx.statement_count(), 4);
        assert!(rules >= count && firings >= count && deliveries == 0);
    }
}

/// Whatever locks several rows locks the cursor first, so that nobody waits for the other.
async fn changes_and_evaluations_get_through_side_by_side(app: TestApp) {
    let rows = Rows::new(app).await;
    let mut new = rule("Yard");
    new.recipients.push(address("eve@example.com"));
    let rule_of = rows.add_of(BOB, &new, &Projects::All).await;
    let fence = rows.take("w", 1).await.unwrap();
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..24 {
        let (store, platform, scope) = (rows.store.clone(), Arc::clone(&rows.platform), rows.scope.clone());
        let (rule_of, new) = (rule_of.clone(), new.clone());
        writers.spawn(async move {
            let mut tx = store.begin().await.unwrap();
            if number % 2 == 0 {
                assert!(tx.alert_cursors(&platform).lock(scope.brand(), fence).await.unwrap());
                let key = SplitKey::new(vec![number]);
                let firing = NewFiring {
                    rule: &rule_of,
                    split_key: &key,
                    subject: FiringSubject::default(),
                    value: Measurement::count(3),
                    window: (None, at(9)),
                    time_zone: &TimeZone::utc(),
                    seq: 0,
                    incursions: &[],
                    details: "{}",
                    projects: &[None],
                    held_until: None,
                    is_told: true,
                };
                tx.alert_firings(&scope).add(&firing, at(9)).await.unwrap();
                let status = RuleStatus { status: AlertStatus::Firing, reason: None, judged_at: at(9) };
                tx.alert_rules(&scope).set_status(rule_of.id, &status).await.unwrap();
            } else if number % 3 == 0 {
                tx.alert_rules(&scope).orphan(BOB, at(9)).await.unwrap();
                tx.alert_firings(&scope).erase_person(PersonId(number), at(9)).await.unwrap();
            } else {
                let mut rules = tx.alert_rules(&scope);
                rules.find_locked(rule_of.id, RuleViewer::Brand).await.unwrap().unwrap();
                let threshold = AlertLevel::whole(number);
                let to = NewRule { terms: domain::AlertTerms { threshold, ..terms() }, ..new };
                rules.change(rule_of.id, &to, None, at(9)).await.unwrap();
                let mut firings = tx.alert_firings(&scope);
                firings.close_all(rule_of.id, ClearReason::RuleChanged, at(9)).await.unwrap();
            }
            tx.commit().await.unwrap();
        });
    }
    assert_eq!(writers.join_all().await.len(), 24);
}

async fn restored_leases_are_released(app: TestApp) {
    let rows = Rows::new(app).await;
    rows.add(&rule("Yard")).await;
    let before = rows.take("elsewhere", 10).await.unwrap();
    assert!(!rows.is_due("here", 11).await);
    let mut tx = rows.store.begin().await.unwrap();
    tx.alert_cursors(&rows.platform).release_all().await.unwrap();
    tx.commit().await.unwrap();
    assert!(rows.is_due("here", 11).await);
    assert!(rows.take("here", 11).await.unwrap() > before);
}
