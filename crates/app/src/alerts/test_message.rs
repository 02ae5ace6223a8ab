//! Test messages: what an alert would say now, to its recipients and webhooks, marked as a test.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use domain::access::ManageAlerts;
use domain::{
    AlertComparison, AlertEvent, AlertFiring, AlertFiringId, AlertMessageId, AlertMessageKind,
    AlertMessageState, AlertRule, AlertRuleId, BrandId, FiringSubject, Judgement, Measurement, MessageEvent,
    ProjectId, Span, SplitKey, TimeZone, Timestamp,
};
use serde_json::json;
use store::{Projects, Tx};
use tokio::sync::OnceCell;

use super::evaluation::{LoadedRule, SampledSplit};
use super::rules::{require_yours, viewer};
use crate::platform::audit::AuditEntry;
use crate::{App, Caller, Error, ErrorKind};

/// Tests of one rule within [`PERIOD`].
const MAX_TESTS: i64 = 5;
/// Tests by one user and of one brand, whatever rules were deleted meanwhile: tests are mails to people who have not asked for them.
const MAX_TESTS_OF_USER: i64 = 20;
const MAX_TESTS_OF_BRAND: i64 = 60;
const PERIOD: Span = Span::minutes(60);

const TESTED: &str = "alert.tested";
const AUDITED_KIND: &str = "alert";

/// Tests whose values are kept; a test is sent within seconds.
const MAX_SAMPLES: usize = 16;

/// Attempts at a mail after which a rule that cannot be measured is shown with an example.
pub(super) const MAX_MEASURING_ATTEMPTS: i64 = 5;

/// In the place of a firing, which a test does not have.
const NO_FIRING: AlertFiringId = AlertFiringId(0);

type Sample = Arc<OnceCell<Arc<Vec<SampledSplit>>>>;

/// What was measured for the tests that were sent last: each is measured once, so that all recipients read the same.
#[derive(Default)]
pub(crate) struct SampleCache(Mutex<VecDeque<(AlertMessageId, Sample)>>);

impl SampleCache {
    fn get(&self, message: AlertMessageId) -> Sample {
        let mut samples = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, sample)) = samples.iter().find(|(known, _)| *known == message) {
            return Arc::clone(sample);
        }
        let sample = Sample::default();
        samples.push_back((message, Arc::clone(&sample)));
        if samples.len() > MAX_SAMPLES {
            samples.pop_front();
        }
        sample
    }
}

#[macros::boxed]
impl App {
    /// Sends a test to the recipients and webhooks of a rule, and returns to how many. Those who get no mails are not among them.
    pub async fn test_alert(&self, caller: &Caller<ManageAlerts>, id: AlertRuleId) -> Result<u64, Error> {
        let (brand, now) = (caller.scope().brand(), self.clock.now());
        let scope = self.scope_of(brand);
        let mut tx = self.store.begin().await?;
        let rule = tx.alert_rules(caller.scope()).find_locked(id, viewer(caller)).await?;
        let rule = rule.ok_or_else(|| Error::not_found("alert"))?;
        require_yours(caller, &rule)?;
        let kind = AlertMessageKind::Test;
        let (tests, _) = tx.alert_messages(&scope).recent(id, &[kind], now - PERIOD).await?;
        if tests >= MAX_TESTS {
            let detail = format!("An alert can be tested {MAX_TESTS} times an hour.");
            return Err(Error::new(ErrorKind::Conflict, "too_many_tests", detail));
        }
        self.check_test_limits(&mut tx, caller, now).await?;
        let state = AlertMessageState::Released;
        let message = tx.alert_messages(&scope).add(id, kind, state, now, now).await?;
        let mails = self.deliver_message(&mut tx, &scope, id, (message, kind), now).await?;
        let event = MessageEvent { firing: NO_FIRING, event: AlertEvent::Test };
        let calls = self.add_webhook_events(&mut tx, brand, id, Some(message), event, now).await?;
        let act = AuditEntry::by_caller(caller).on(TESTED, AUDITED_KIND, id.0);
        let details = json!({ "mails": mails, "webhooks": calls });
        self.record_audit(&mut tx, act.with_details(details)).await?;
        tx.commit().await?;
        Ok(mails + calls)
    }
}

impl App {
    async fn check_test_limits(
        &self,
        tx: &mut Tx,
        caller: &Caller<ManageAlerts>,
        now: Timestamp,
    ) -> Result<(), Error> {
        let what = (TESTED, AUDITED_KIND);
        for (user, max, whose) in [
            (Some(caller.identity.user), MAX_TESTS_OF_USER, "You can test your alerts"),
            (None, MAX_TESTS_OF_BRAND, "The alerts of a brand can be tested"),
        ] {
            if tx.audits_of(caller.scope()).count_since(what, user, now - PERIOD).await? >= max {
                let detail = format!("{whose} {max} times an hour.");
                return Err(Error::new(ErrorKind::Conflict, "too_many_tests", detail));
            }
        }
        Ok(())
    }

    /// Measures a rule for a test, once for all who get it. Fails if that is not possible now; after several attempts at a mail there is
    /// no value instead.
    pub(super) async fn measure_for_test(
        &self,
        message: AlertMessageId,
        rule: &AlertRule,
        brand: BrandId,
        attempt: i64,
    ) -> Result<Arc<Vec<SampledSplit>>, Error> {
        let sample = self.alerts.samples.get(message);
        match sample.get_or_try_init(|| self.measure_sample(rule, brand)).await {
            Ok(measured) => Ok(Arc::clone(measured)),
            Err(error) if attempt < MAX_MEASURING_ATTEMPTS => Err(error),
            Err(error) => {
                tracing::warn!("alert {} could not be measured for a test: {error}", rule.id);
                Ok(Arc::default())
            }
        }
    }

    async fn measure_sample(
        &self,
        rule: &AlertRule,
        brand: BrandId,
    ) -> Result<Arc<Vec<SampledSplit>>, Error> {
        let projects = match rule.all_projects {
            true => Projects::All,
            false => {
                let scope = self.scope_of(brand);
                let rows = self.store.read().await?.alert_rules(&scope).projects(&[rule.id]).await?;
                Projects::Only(rows.into_iter().map(|(_, project)| project).collect())
            }
        };
        let loaded = LoadedRule { rule: rule.clone(), projects, stopped: None };
        self.sample_rule(brand, &loaded, self.clock.now()).await.map(Arc::new)
    }

    /// Returns what a rule would say now to someone who sees these projects, as a firing that is not stored: of the split that is furthest
    /// beyond its threshold, or of a value on the threshold, if there is none. The second part is whether the value is such an example,
    /// whose clock is `zone`.
    pub(super) fn sample_firing(
        &self,
        rule: &AlertRule,
        sampled: &[SampledSplit],
        projects: &Projects,
        zone: &TimeZone,
    ) -> (AlertFiring, bool) {
        let now = self.clock.now();
        let found = furthest(rule.terms.comparison, projects, sampled);
        let (subject, value, window, zone) = match found {
            Some((split, value)) => (split.measured.subject, value, split.window, &split.zone),
            None => {
                let window = (rule.terms.window.map(|window| window.start(now, zone)), now);
                (FiringSubject::default(), example_value(rule), window, zone)
            }
        };
        let details = found.map_or_else(|| "{}".to_owned(), |(split, _)| split.measured.details.to_string());
        let sample = AlertFiring {
            id: NO_FIRING,
            rule: rule.id,
            rule_name: rule.name.clone(),
            split_key: SplitKey::new(Vec::new()),
            subject,
            metric: rule.terms.metric,
            comparison: rule.terms.comparison,
            threshold: rule.terms.threshold,
            severity: rule.severity,
            numerator: value.numerator,
            denominator: value.denominator,
            peak_numerator: value.numerator,
            peak_denominator: value.denominator,
            window_from: window.0,
            window_to: window.1,
            time_zone: zone.clone(),
            seq: 0,
            incursions: "[]".to_owned(),
            details,
            all_projects: rule.all_projects,
            fired_at: now,
            held_until: None,
            is_told: true,
            no_data_since: None,
            cleared_at: None,
            clear_reason: None,
            cleared_numerator: None,
            cleared_denominator: None,
            version: 1,
            created_at: now,
            updated_at: now,
        };
        (sample, found.is_none())
    }
}

/// Returns the split that is furthest beyond the threshold, of those into which nothing went that a reader does not see.
fn furthest<'a>(
    comparison: AlertComparison,
    projects: &Projects,
    sampled: &'a [SampledSplit],
) -> Option<(&'a SampledSplit, Measurement)> {
    let is_visible = |project: &Option<ProjectId>| match projects {
        Projects::All => true,
        Projects::Only(mine) => project.is_some_and(|project| mine.contains(&project)),
    };
    let values = sampled.iter().filter(|split| split.measured.projects.iter().all(is_visible));
    let values = values.filter_map(|split| match split.measured.judgement {
        Judgement::Value(value) => Some((split, value)),
        Judgement::NoData(_) => None,
    });
    let by_value = |one: &(&SampledSplit, Measurement), other: &(&SampledSplit, Measurement)| {
        one.1.as_f64().total_cmp(&other.1.as_f64())
    };
    match comparison {
        AlertComparison::Above => values.max_by(by_value),
        AlertComparison::Below => values.min_by(by_value),
    }
}

/// Returns a value that is exactly on the threshold.
fn example_value(rule: &AlertRule) -> Measurement {
    let scale = rule.terms.metric.scale();
    Measurement { numerator: rule.terms.threshold.millionths(), denominator: 1_000_000 * scale, scale }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use domain::MachineId;

    use super::*;
    use crate::alerts::evaluation::Measured;

    fn sampled(machine: i64, projects: &[Option<i64>], judgement: Judgement) -> SampledSplit {
        let measured = Measured {
            split: SplitKey::new(vec![machine]),
            subject: FiringSubject { machine: Some(MachineId(machine)), ..FiringSubject::default() },
            judgement,
            projects: projects.iter().map(|id| id.map(ProjectId)).collect::<BTreeSet<_>>(),
            details: json!({}),
        };
        SampledSplit { measured, window: (None, Timestamp::from_seconds(0)), zone: TimeZone::utc() }
    }

    #[test]
    fn a_sample_is_the_worst_that_the_reader_sees() {
        let value = |count: i64| Judgement::Value(Measurement::count(count));
        let splits = [
            sampled(1, &[Some(1)], value(3)),
            sampled(2, &[Some(1), Some(2)], value(9)),
            sampled(3, &[None], value(7)),
            sampled(4, &[Some(1)], Judgement::NoData("no_runtime")),
            sampled(5, &[Some(1)], value(1)),
        ];
        let machine = |comparison: AlertComparison, projects: &Projects| {
            let found = furthest(comparison, projects, &splits);
            found.and_then(|(split, _)| split.measured.subject.machine).map(|id| id.0)
        };
        let (above, below) = (AlertComparison::Above, AlertComparison::Below);
        assert_eq!(machine(above, &Projects::All), Some(2));
        assert_eq!(machine(below, &Projects::All), Some(5));
        assert_eq!(machine(above, &Projects::Only(vec![ProjectId(1)])), Some(1));
        assert_eq!(machine(above, &Projects::Only(vec![ProjectId(2)])), None);
        assert_eq!(machine(above, &Projects::Only(Vec::new())), None);
    }
}
