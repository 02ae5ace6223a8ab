//! Dry runs: when an alert would have fired over the last 30 days, and how many messages it would have sent.
//!
//! `facts` lists what a rule counts, from columns; `windows` and `runtime_window` move its window over that, split by split, and `replay`
//! judges what they show with the `judge` of the evaluation. `device_replay` does so for tags, stations and visits, and `replays` for
//! drift. `message_count` applies active hours and digests, and `picture` draws the result.
//!
//! Facts count from their own time on, as if none had come late. What time alone changes is looked at every minute.

mod buckets;
mod device_course;
mod device_replay;
mod facts;
mod listing;
mod message_count;
mod minutes;
mod picture;
mod replay;
mod replays;
mod runtime_window;
mod windows;

use std::sync::Arc;

use domain::access::ManageAlerts;
use domain::insights::Interval;
use domain::{
    Actor, ActorKind, AlertMetric, AlertRule, AlertRuleId, AlertStatus, FiringSubject, MetricSource, Span,
    SplitKey, TimeZone, Timestamp,
};

use super::evaluation::LoadedRule;
use super::rules::NewAlert;
use crate::accounts::authors::Author;
use crate::{App, Caller, Error};
use replay::Outcome;

pub(in crate::alerts) use buckets::buckets;
pub(in crate::alerts) use facts::FactSource;
pub(in crate::alerts) use picture::{AlertSeries, draw_series};

/// What a rule would have done.
#[derive(Clone, Debug)]
pub struct DryRun {
    pub from: Timestamp,
    /// When it was run.
    pub to: Timestamp,
    /// The last change of the brand's facts that it includes.
    pub seq: i64,
    /// The clocks by which the splits are judged, and of their alarms.
    pub time_zones: Vec<TimeZone>,
    /// Whether the past is known only roughly.
    pub approximate: bool,
    /// Those that fire most often come first.
    pub splits: Vec<DryRunSplit>,
    /// The number of splits that are not among them.
    pub more_splits: u64,
    /// Of all splits.
    pub firings: u64,
    pub messages: u64,
    /// Why there never was a value; none if there was one, or if nothing at all would have been one.
    pub no_data: Option<&'static str>,
    /// The worst value of each day, over all splits.
    pub series: Vec<(Timestamp, Option<f64>)>,
    /// The clock of these days.
    pub clock: TimeZone,
}

#[derive(Clone, Debug)]
pub struct DryRunSplit {
    pub key: SplitKey,
    /// As the caller may see it.
    pub label: String,
    /// The last ones, in order.
    pub firings: Vec<DryRunFiring>,
    /// The number of earlier ones, which are not among them.
    pub more_firings: u64,
    /// The value that was furthest on the side of the threshold.
    pub peak: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DryRunFiring {
    pub fired_at: Timestamp,
    /// None if it would still be open.
    pub cleared_at: Option<Timestamp>,
    /// In the unit of the metric.
    pub value: f64,
    pub numerator: i64,
    pub denominator: i64,
}

/// What the splits of a rule did in a period.
#[derive(Debug)]
pub(in crate::alerts) struct Replayed {
    /// By key.
    splits: Vec<ReplayedSplit>,
    /// The worst value of each part of the period.
    pub worst: Vec<Option<f64>>,
    /// The last change that is included.
    seq: i64,
}

#[derive(Debug)]
struct ReplayedSplit {
    key: SplitKey,
    outcome: Outcome,
}

/// The ids of a split of facts, in the order of its dimensions; the rest is 0.
type SplitIds = [i64; 2];

/// What is replayed.
const PERIOD: Span = Span::minutes(30 * 24 * 60);

#[macros::boxed]
impl App {
    /// Returns when a rule would have fired over the last 30 days, if the caller had it. Nothing is stored.
    pub async fn dry_run_alert(
        &self,
        caller: &Caller<ManageAlerts>,
        new: &NewAlert,
    ) -> Result<DryRun, Error> {
        let author = Author::of_caller(caller);
        self.check_history(author.scope.brand())?;
        self.check_alert_terms(&author, &new.terms).await?;
        let (brand, now) = (author.scope.brand(), self.clock.now());
        let rule = self.trial_rule(&author, new);
        let clocks = Arc::new(self.load_rule_clocks(brand, &rule).await?);
        let clock =
            clocks.of_scope(&rule.rule.terms.scope, &rule.projects, &FiringSubject::default()).clone();
        let period = (now - PERIOD, now);
        let days = buckets(Interval::Day, period, &clock);
        let parts: Vec<Timestamp> = days.iter().map(|day| day.begins_at).collect();
        let mut replayed = match rule.rule.terms.metric.source() {
            MetricSource::Columns => {
                let source = FactSource {
                    rule: rule.clone(),
                    clocks: Arc::clone(&clocks),
                    period,
                    only: None,
                    clock: clock.clone(),
                };
                self.replay_facts(brand, source, parts.clone()).await?
            }
            MetricSource::Rows => {
                let referee = self.referee(&rule, period, parts.clone());
                self.replay_devices(&author, &rule, referee).await?
            }
            MetricSource::Weeks => self.replay_weeks(brand, &rule, &clocks, period, parts.clone()).await?,
        };
        let split_by = rule.rule.terms.split_by;
        replayed.splits.retain(|split| !clocks.is_split_erased(split_by, split.key.ids()));
        let mut run = DryRun {
            from: period.0,
            to: now,
            seq: replayed.seq,
            time_zones: Vec::new(),
            approximate: rule.rule.terms.metric == AlertMetric::BaseStationSilent,
            splits: Vec::new(),
            more_splits: 0,
            firings: 0,
            messages: 0,
            no_data: None,
            series: parts.into_iter().zip(replayed.worst).collect(),
            clock,
        };
        self.add_splits(&mut run, replayed.splits, &rule, &clocks);
        self.label_splits(&mut run, &author, &rule.rule).await?;
        Ok(run)
    }
}

impl App {
    /// Returns a new rule as if it were stored.
    fn trial_rule(&self, owner: &Author, new: &NewAlert) -> LoadedRule {
        let now = self.clock.now();
        let projects = owner.scope.projects().clone();
        let rule = AlertRule {
            id: AlertRuleId(0),
            owner: Actor { kind: ActorKind::User, id: Some(owner.user.0), name: None },
            owner_left_at: None,
            name: new.name.as_str().to_owned(),
            terms: new.terms.clone(),
            active_hours: new.active_hours.clone(),
            outside_hours: new.outside_hours,
            cool_down_minutes: new.cool_down_minutes,
            severity: new.severity,
            notify_on_clear: new.notify_on_clear,
            enabled: true,
            all_projects: projects == store::Projects::All,
            status: AlertStatus::Ok,
            status_reason: None,
            judged_at: None,
            version: 1,
            created_at: now,
            updated_at: now,
            name_key: String::new(),
        };
        LoadedRule { rule, projects, stopped: None }
    }
}
