//! Gates before receivers: how many calls of a webhook run at the same time, and which wait because its receiver does not answer.
//!
//! A call that times out closes the gate of its webhook. From then on one call at a time tries whether the receiver answers, after longer
//! and longer times, and all other events wait without counting an attempt. Any answer opens the gate. Each process has gates of its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::{Clock, Span, Timestamp, Webhook, WebhookId};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Calls of one webhook that run at the same time.
const MAX_RUNNING: usize = 2;

/// Seconds for which a gate stays closed after each time-out in a row; the last is repeated. Each is shorter than the delay of the event
/// that timed out, so that a single event is called at its own times.
const CLOSED_S: [i64; 4] = [4, 20, 60, 300];

/// How long events wait while another one tries whether the receiver answers.
const TRIAL_WAIT: Span = Span::seconds(10);

/// The gates of all webhooks that this process has called: a few bytes each.
#[derive(Default)]
pub(crate) struct CallGates(Arc<Mutex<HashMap<WebhookId, Gate>>>);

struct Gate {
    /// A webhook that was changed is called as if it were new.
    version: i64,
    running: Arc<Semaphore>,
    /// Time-outs since the last answer.
    timeouts: usize,
    closed_until: Timestamp,
    /// Whether a call is running that tries a receiver which did not answer.
    has_trial: bool,
}

/// Whether a call may be made now.
pub enum Admission {
    Admitted(CallPermit),
    Postponed { until: Timestamp },
}

/// The place of a running call, released when dropped.
pub struct CallPermit {
    gates: Arc<Mutex<HashMap<WebhookId, Gate>>>,
    webhook: WebhookId,
    is_trial: bool,
    _running: OwnedSemaphorePermit,
}

impl CallGates {
    /// Waits until fewer than [`MAX_RUNNING`] calls of a webhook run, or refuses while its receiver does not answer. A test is let
    /// through a closed gate, unless another call is trying the receiver: whoever sends one wants to know whether it answers by now.
    pub async fn enter(&self, webhook: &Webhook, is_test: bool, clock: &Clock) -> Admission {
        if let Some(until) = self.closed_until(webhook, is_test, clock.now()) {
            return Admission::Postponed { until };
        }
        let running = Arc::clone(&gate_of(webhook, &mut lock(&self.0)).running);
        let Ok(permit) = running.acquire_owned().await else {
            return Admission::Postponed { until: clock.now() + TRIAL_WAIT };
        };
        // The calls for which this one waited may have timed out.
        let now = clock.now();
        let mut gates = lock(&self.0);
        let gate = gate_of(webhook, &mut gates);
        if let Some(until) = gate.closed_for(is_test, now) {
            return Admission::Postponed { until };
        }
        let is_trial = gate.timeouts > 0;
        gate.has_trial |= is_trial;
        let gates = Arc::clone(&self.0);
        Admission::Admitted(CallPermit { gates, webhook: webhook.id, is_trial, _running: permit })
    }

    fn closed_until(&self, webhook: &Webhook, is_test: bool, now: Timestamp) -> Option<Timestamp> {
        gate_of(webhook, &mut lock(&self.0)).closed_for(is_test, now)
    }
}

impl Gate {
    /// Returns until when an event has to wait; none if it need not.
    fn closed_for(&self, is_test: bool, now: Timestamp) -> Option<Timestamp> {
        if self.timeouts == 0 {
            return None;
        }
        if self.has_trial {
            return Some(self.closed_until.max(now + TRIAL_WAIT));
        }
        (now < self.closed_until && !is_test).then_some(self.closed_until)
    }
}

impl CallPermit {
    /// Opens the gate after an answer of any kind, or closes it after a time-out.
    pub fn record(&self, timed_out: bool, now: Timestamp) {
        let mut gates = lock(&self.gates);
        let Some(gate) = gates.get_mut(&self.webhook) else { return };
        if !timed_out {
            gate.timeouts = 0;
            return;
        }
        // Calls that ran at the same time and timed out together count as one.
        if gate.timeouts == 0 || self.is_trial {
            let place = gate.timeouts.min(CLOSED_S.len() - 1);
            gate.timeouts += 1;
            gate.closed_until = now + Span::seconds(CLOSED_S[place]);
        }
    }
}

impl Drop for CallPermit {
    fn drop(&mut self) {
        if self.is_trial
            && let Some(gate) = lock(&self.gates).get_mut(&self.webhook)
        {
            gate.has_trial = false;
        }
    }
}

fn gate_of<'a>(webhook: &Webhook, gates: &'a mut HashMap<WebhookId, Gate>) -> &'a mut Gate {
    let gate = gates.entry(webhook.id).or_insert_with(|| Gate {
        version: webhook.version,
        running: Arc::new(Semaphore::new(MAX_RUNNING)),
        timeouts: 0,
        closed_until: Timestamp::from_seconds(0),
        has_trial: false,
    });
    if gate.version != webhook.version {
        (gate.version, gate.timeouts) = (webhook.version, 0);
    }
    gate
}

fn lock(gates: &Mutex<HashMap<WebhookId, Gate>>) -> MutexGuard<'_, HashMap<WebhookId, Gate>> {
    gates.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn webhook(version: i64) -> Webhook {
        let at = Timestamp::from_seconds(1_772_366_430);
        Webhook {
            id: WebhookId(1),
            name: "Control room".to_owned(),
            url: "https://example.com/hook".to_owned(),
            all_rules: true,
            secret_since: at,
            old_secret_until: None,
            disabled_at: None,
            disabled_reason: None,
            last_success_at: None,
            last_failure_at: None,
            version,
            created_at: at,
            updated_at: at,
            name_key: "control room".to_owned(),
        }
    }

    async fn admitted(gates: &CallGates, version: i64, is_test: bool, clock: &Clock) -> CallPermit {
        match gates.enter(&webhook(version), is_test, clock).await {
            Admission::Admitted(permit) => permit,
            Admission::Postponed { until } => panic!("postponed until {until}"),
        }
    }

    async fn postponed_s(gates: &CallGates, clock: &Clock) -> Option<i64> {
        match gates.enter(&webhook(1), false, clock).await {
            Admission::Admitted(_) => None,
            Admission::Postponed { until } => Some((until - clock.now()).whole_seconds()),
        }
    }

    #[tokio::test]
    async fn a_time_out_makes_the_others_wait_until_there_is_an_answer() {
        let (gates, clock) = (CallGates::default(), Clock::manual_at(Timestamp::from_seconds(1_772_366_430)));
        let both = [admitted(&gates, 1, false, &clock).await, admitted(&gates, 1, false, &clock).await];
        both.iter().for_each(|permit| permit.record(true, clock.now()));
        drop(both);
        assert_eq!(postponed_s(&gates, &clock).await, Some(4), "both count as one");
        clock.advance(Span::seconds(4));
        let trial = admitted(&gates, 1, false, &clock).await;
        assert_eq!(postponed_s(&gates, &clock).await, Some(10), "one tries at a time");
        trial.record(true, clock.now());
        drop(trial);
        assert_eq!(postponed_s(&gates, &clock).await, Some(20));
        // A test tries at once, and so does a webhook that was changed.
        drop(admitted(&gates, 1, true, &clock).await);
        assert_eq!(postponed_s(&gates, &clock).await, Some(20), "it has not answered");
        let trial = admitted(&gates, 1, true, &clock).await;
        trial.record(false, clock.now());
        drop(trial);
        assert_eq!(postponed_s(&gates, &clock).await, None);
        admitted(&gates, 1, false, &clock).await.record(true, clock.now());
        drop(admitted(&gates, 2, false, &clock).await);
    }

    #[tokio::test]
    async fn two_calls_of_a_webhook_run_at_the_same_time() {
        let (gates, clock) = (CallGates::default(), Clock::manual_at(Timestamp::from_seconds(1_772_366_430)));
        let first = admitted(&gates, 1, false, &clock).await;
        let second = admitted(&gates, 1, false, &clock).await;
        let available = || gate_of(&webhook(1), &mut lock(&gates.0)).running.available_permits();
        assert_eq!(available(), 0);
        first.record(false, clock.now());
        drop(first);
        assert_eq!(available(), 1);
        drop((admitted(&gates, 1, false, &clock).await, second));
        assert_eq!(available(), MAX_RUNNING);
    }
}
