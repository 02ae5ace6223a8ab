//! Circuit breakers of webhooks: how many calls run at the same time, and which wait because the receiver does not answer.
//!
//! A call that times out opens the circuit of its webhook. From then on one call at a time tries whether the receiver answers, after longer
//! and longer times, and all other events wait without counting an attempt. Any answer closes the circuit. Each process
//! has breakers of its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::{Clock, Span, Timestamp, Webhook, WebhookId};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Calls of one webhook that run at the same time.
const MAX_RUNNING: usize = 2;

/// Seconds for which a circuit stays open after each time-out in a row; the last is repeated. Each is shorter than the delay of the event
/// that timed out, so that a single event is called at its own times.
const OPEN_S: [i64; 4] = [4, 20, 60, 300];

/// How long events wait while another one tries whether the receiver answers.
const TRIAL_WAIT: Span = Span::seconds(10);

/// The circuit breakers of all webhooks that this process has called: a few bytes each.
#[derive(Default)]
pub(crate) struct CircuitBreakers(Arc<Mutex<HashMap<WebhookId, CircuitBreaker>>>);

struct CircuitBreaker {
    /// A webhook that was changed is called as if it were new.
    version: i64,
    running: Arc<Semaphore>,
    /// Time-outs since the last answer.
    timeouts: usize,
    open_until: Timestamp,
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
    breakers: Arc<Mutex<HashMap<WebhookId, CircuitBreaker>>>,
    webhook: WebhookId,
    is_trial: bool,
    _running: OwnedSemaphorePermit,
}

impl CircuitBreakers {
    /// Waits until fewer than [`MAX_RUNNING`] calls of a webhook run, or refuses while its receiver does not answer. A test is let
    /// through an open circuit, unless another call is trying the receiver: whoever sends one wants to know whether it answers by now.
    pub async fn enter(&self, webhook: &Webhook, is_test: bool, clock: &Clock) -> Admission {
        if let Some(until) = self.open_until(webhook, is_test, clock.now()) {
            return Admission::Postponed { until };
        }
        let running = Arc::clone(&breaker_of(webhook, &mut lock(&self.0)).running);
        let Ok(permit) = running.acquire_owned().await else {
            return Admission::Postponed { until: clock.now() + TRIAL_WAIT };
        };
        // The calls for which this one waited may have timed out.
        let now = clock.now();
        let mut breakers = lock(&self.0);
        let breaker = breaker_of(webhook, &mut breakers);
        if let Some(until) = breaker.open_for(is_test, now) {
            return Admission::Postponed { until };
        }
        let is_trial = breaker.timeouts > 0;
        breaker.has_trial |= is_trial;
        let breakers = Arc::clone(&self.0);
        Admission::Admitted(CallPermit { breakers, webhook: webhook.id, is_trial, _running: permit })
    }

    fn open_until(&self, webhook: &Webhook, is_test: bool, now: Timestamp) -> Option<Timestamp> {
        breaker_of(webhook, &mut lock(&self.0)).open_for(is_test, now)
    }
}

impl CircuitBreaker {
    /// Returns until when an event has to wait; none if it need not.
    fn open_for(&self, is_test: bool, now: Timestamp) -> Option<Timestamp> {
        if self.timeouts == 0 {
            return None;
        }
        if self.has_trial {
            return Some(self.open_until.max(now + TRIAL_WAIT));
        }
        (now < self.open_until && !is_test).then_some(self.open_until)
    }
}

impl CallPermit {
    /// Closes the circuit after an answer of any kind, or opens it after a time-out.
    pub fn record(&self, timed_out: bool, now: Timestamp) {
        let mut breakers = lock(&self.breakers);
        let Some(breaker) = breakers.get_mut(&self.webhook) else { return };
        if !timed_out {
            breaker.timeouts = 0;
            return;
        }
        // Calls that ran at the same time and timed out together count as one.
        if breaker.timeouts == 0 || self.is_trial {
            let place = breaker.timeouts.min(OPEN_S.len() - 1);
            breaker.timeouts += 1;
            breaker.open_until = now + Span::seconds(OPEN_S[place]);
        }
    }
}

impl Drop for CallPermit {
    fn drop(&mut self) {
        if self.is_trial
            && let Some(breaker) = lock(&self.breakers).get_mut(&self.webhook)
        {
            breaker.has_trial = false;
        }
    }
}

fn breaker_of<'a>(
    webhook: &Webhook,
    breakers: &'a mut HashMap<WebhookId, CircuitBreaker>,
) -> &'a mut CircuitBreaker {
    let breaker = breakers.entry(webhook.id).or_insert_with(|| CircuitBreaker {
        version: webhook.version,
        running: Arc::new(Semaphore::new(MAX_RUNNING)),
        timeouts: 0,
        open_until: Timestamp::from_seconds(0),
        has_trial: false,
    });
    if breaker.version != webhook.version {
        (breaker.version, breaker.timeouts) = (webhook.version, 0);
    }
    breaker
}

fn lock(
    breakers: &Mutex<HashMap<WebhookId, CircuitBreaker>>,
) -> MutexGuard<'_, HashMap<WebhookId, CircuitBreaker>> {
    breakers.lock().unwrap_or_else(PoisonError::into_inner)
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

    async fn admitted(breakers: &CircuitBreakers, version: i64, is_test: bool, clock: &Clock) -> CallPermit {
        match breakers.enter(&webhook(version), is_test, clock).await {
            Admission::Admitted(permit) => permit,
            Admission::Postponed { until } => panic!("postponed until {until}"),
        }
    }

    async fn postponed_s(breakers: &CircuitBreakers, clock: &Clock) -> Option<i64> {
        match breakers.enter(&webhook(1), false, clock).await {
            Admission::Admitted(_) => None,
            Admission::Postponed { until } => Some((until - clock.now()).whole_seconds()),
        }
    }

    #[tokio::test]
    async fn a_time_out_makes_the_others_wait_until_there_is_an_answer() {
        let (breakers, clock) =
            (CircuitBreakers::default(), Clock::manual_at(Timestamp::from_seconds(1_772_366_430)));
        let both = [admitted(&breakers, 1, false, &clock).await, admitted(&breakers, 1, false, &clock).await];
        both.iter().for_each(|permit| permit.record(true, clock.now()));
        drop(both);
        assert_eq!(postponed_s(&breakers, &clock).await, Some(4), "both count as one");
        clock.advance(Span::seconds(4));
        let trial = admitted(&breakers, 1, false, &clock).await;
        assert_eq!(postponed_s(&breakers, &clock).await, Some(10), "one tries at a time");
        trial.record(true, clock.now());
        drop(trial);
        assert_eq!(postponed_s(&breakers, &clock).await, Some(20));
        // A test tries at once, and so does a webhook that was changed.
        drop(admitted(&breakers, 1, true, &clock).await);
        assert_eq!(postponed_s(&breakers, &clock).await, Some(20), "it has not answered");
        let trial = admitted(&breakers, 1, true, &clock).await;
        trial.record(false, clock.now());
        drop(trial);
        assert_eq!(postponed_s(&breakers, &clock).await, None);
        admitted(&breakers, 1, false, &clock).await.record(true, clock.now());
        drop(admitted(&breakers, 2, false, &clock).await);
    }

    #[tokio::test]
    async fn two_calls_of_a_webhook_run_at_the_same_time() {
        let (breakers, clock) =
            (CircuitBreakers::default(), Clock::manual_at(Timestamp::from_seconds(1_772_366_430)));
        let first = admitted(&breakers, 1, false, &clock).await;
        let second = admitted(&breakers, 1, false, &clock).await;
        let available = || breaker_of(&webhook(1), &mut lock(&breakers.0)).running.available_permits();
        assert_eq!(available(), 0);
        first.record(false, clock.now());
        drop(first);
        assert_eq!(available(), 1);
        drop((admitted(&breakers, 1, false, &clock).await, second));
        assert_eq!(available(), MAX_RUNNING);
    }
}
