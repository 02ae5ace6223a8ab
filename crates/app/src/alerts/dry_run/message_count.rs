//! How many messages a rule would have sent, by active hours, digests and what has cleared meanwhile: the same as `messages` does in rows.

use std::collections::VecDeque;

use domain::{OutsideHours, Timestamp};

use crate::alerts::messages::{DIGEST_PERIOD, MAX_EVENTS, MessagePlan};

/// An alarm that begins or clears.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AlarmEvent {
    pub at: Timestamp,
    pub is_clearing: bool,
    /// The place of the alarm among all of them.
    pub alarm: usize,
}

/// What decides about messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageRules {
    pub notify_on_clear: bool,
    pub outside_hours: OutsideHours,
    pub max_per_hour: usize,
    /// Messages that would be sent later are not counted.
    pub to: Timestamp,
}

/// A message that waits.
struct Waiting {
    is_digest: bool,
    send_at: Timestamp,
    /// Alarms, and whether it is about their clearing.
    events: Vec<(usize, bool)>,
}

struct Counter<'a> {
    rules: MessageRules,
    /// When the active hours of an alarm begin; none if they have begun.
    hours_begin_at: &'a dyn Fn(usize, Timestamp) -> Option<Timestamp>,
    is_notified: Vec<bool>,
    has_cleared: Vec<bool>,
    /// When the messages of the last hour were sent.
    recent: VecDeque<Timestamp>,
    /// At most one that is held and one digest, in the order in which they began to wait.
    waiting: Vec<Waiting>,
    sent: u64,
}

/// Counts the messages about events, which are in order.
pub(super) fn count_messages(
    events: &[AlarmEvent],
    rules: MessageRules,
    hours_begin_at: &dyn Fn(usize, Timestamp) -> Option<Timestamp>,
) -> u64 {
    let alarms = events.iter().map(|event| event.alarm + 1).max().unwrap_or(0);
    let mut counter = Counter {
        rules,
        hours_begin_at,
        is_notified: vec![false; alarms],
        has_cleared: vec![false; alarms],
        recent: VecDeque::new(),
        waiting: Vec::new(),
        sent: 0,
    };
    for event in events {
        // What happens is written before what has waited is sent.
        counter.release(|send_at| send_at < event.at);
        counter.add(*event);
    }
    counter.release(|send_at| send_at <= rules.to);
    counter.sent
}

impl Counter<'_> {
    fn add(&mut self, event: AlarmEvent) {
        if event.is_clearing {
            self.has_cleared[event.alarm] = true;
            if !self.rules.notify_on_clear || !self.is_notified[event.alarm] {
                return;
            }
        }
        let begin_at = (self.hours_begin_at)(event.alarm, event.at);
        match MessagePlan::of(begin_at, self.rules.outside_hours) {
            MessagePlan::Now => {
                self.is_notified[event.alarm] = true;
                self.notify((event.alarm, event.is_clearing), event.at);
            }
            MessagePlan::Hold { until } => self.wait(false, (event.alarm, event.is_clearing), until),
            MessagePlan::Drop => {}
        }
    }

    /// Sends a message, or leaves it to the digest.
    fn notify(&mut self, event: (usize, bool), now: Timestamp) {
        let due = self.waiting.iter().filter(|one| one.send_at <= now).count();
        match self.next_message_at(due, now) {
            None => self.send(now),
            Some(send_at) => self.wait(true, event, send_at),
        }
    }

    fn send(&mut self, now: Timestamp) {
        self.recent.push_back(now);
        self.sent += 1;
    }

    /// Returns when the next message may be sent; none if it may now.
    fn next_message_at(&mut self, due: usize, now: Timestamp) -> Option<Timestamp> {
        while self.recent.front().is_some_and(|sent_at| *sent_at <= now - DIGEST_PERIOD) {
            self.recent.pop_front();
        }
        let is_too_many = self.recent.len() + due >= self.rules.max_per_hour;
        is_too_many.then(|| self.recent.front().copied().unwrap_or(now) + DIGEST_PERIOD)
    }

    /// Adds an event to the message that waits. It is due when the first of its events is.
    fn wait(&mut self, is_digest: bool, event: (usize, bool), until: Timestamp) {
        match self.waiting.iter_mut().find(|one| one.is_digest == is_digest) {
            Some(known) => {
                known.send_at = known.send_at.min(until);
                known.events.push(event);
            }
            None => self.waiting.push(Waiting { is_digest, send_at: until, events: vec![event] }),
        }
    }

    /// Sends what has waited for long enough, the most overdue first.
    fn release(&mut self, is_due: impl Fn(Timestamp) -> bool) {
        loop {
            let due = self.waiting.iter().enumerate().filter(|(_, one)| is_due(one.send_at));
            let Some((place, _)) = due.min_by_key(|(_, one)| one.send_at) else { return };
            let message = self.waiting.remove(place);
            self.release_message(message);
        }
    }

    fn release_message(&mut self, message: Waiting) {
        let Waiting { is_digest, send_at: now, events } = message;
        let (mut sent, mut later) = (Vec::new(), Vec::new());
        for (alarm, is_clearing) in events {
            // What was held and has cleared before anybody was notified is not sent any more.
            if !is_digest && !is_clearing && self.has_cleared[alarm] && !self.is_notified[alarm] {
                continue;
            }
            match (self.hours_begin_at)(alarm, now) {
                None => sent.push((alarm, is_clearing)),
                Some(until) if is_digest || self.rules.outside_hours == OutsideHours::Hold => {
                    later.push(((alarm, is_clearing), until));
                }
                Some(_) => {}
            }
        }
        if !sent.is_empty() {
            match self.next_message_at(0, now) {
                Some(at) => later.extend(sent.into_iter().map(|event| (event, at))),
                None => {
                    let rest = sent.split_off(sent.len().min(MAX_EVENTS));
                    later.extend(rest.into_iter().map(|event| (event, now)));
                    for (alarm, _) in sent {
                        self.is_notified[alarm] = true;
                    }
                    self.send(now);
                }
            }
        }
        for (event, until) in later {
            self.wait(is_digest, event, until);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minute(number: i64) -> Timestamp {
        Timestamp::from_seconds(1_770_000_000 + number * 60)
    }

    fn rules(notify_on_clear: bool) -> MessageRules {
        let outside_hours = OutsideHours::Hold;
        MessageRules { notify_on_clear, outside_hours, max_per_hour: 3, to: minute(10_000) }
    }

    /// Alarms by the minutes at which they begin and clear.
    fn count(
        alarms: &[(i64, i64)],
        rules: MessageRules,
        hours_begin_at: &dyn Fn(usize, Timestamp) -> Option<Timestamp>,
    ) -> u64 {
        let event = |alarm: usize, number: i64, is_clearing: bool| AlarmEvent {
            at: minute(number),
            is_clearing,
            alarm,
        };
        let of =
            |(alarm, (from, to)): (usize, &(i64, i64))| [event(alarm, *from, false), event(alarm, *to, true)];
        let mut events: Vec<AlarmEvent> = alarms.iter().enumerate().flat_map(of).collect();
        events.retain(|event| event.at <= rules.to);
        events.sort();
        count_messages(&events, rules, hours_begin_at)
    }

    fn at_once(_: usize, _: Timestamp) -> Option<Timestamp> {
        None
    }

    #[test]
    fn each_alarm_is_a_message_and_each_clearing_if_it_is_told() {
        let alarms = [(0, 5), (100, 105)];
        assert_eq!((count(&alarms, rules(false), &at_once), count(&alarms, rules(true), &at_once)), (2, 4));
        let dropping = MessageRules { outside_hours: OutsideHours::Drop, ..rules(true) };
        assert_eq!(count(&alarms, dropping, &|_, _| Some(minute(20_000))), 0);
    }

    #[test]
    fn too_many_in_an_hour_become_one() {
        // Three at once, the others of the hour in one digest, then one more.
        let alarms: Vec<(i64, i64)> =
            [0, 1, 2, 3, 4, 5, 6].into_iter().chain([120]).map(|at| (at, 9_000)).collect();
        assert_eq!(count(&alarms, rules(false), &at_once), 3 + 1 + 1);
        // A digest that is not due yet was not sent.
        let cut = MessageRules { to: minute(30), ..rules(false) };
        assert_eq!(count(&alarms[..7], cut, &at_once), 3);
    }

    #[test]
    fn what_is_held_is_told_once_unless_it_has_cleared() {
        // Active from minute 600 on.
        let hours = |_: usize, at: Timestamp| (at < minute(600)).then_some(minute(600));
        assert_eq!(count(&[(10, 700), (20, 710), (30, 40)], rules(false), &hours), 1);
        assert_eq!(count(&[(10, 20), (30, 40)], rules(true), &hours), 0);
        // The clearing of one that was sent is sent.
        assert_eq!(count(&[(10, 700)], rules(true), &hours), 2);
    }

    #[test]
    fn sites_with_other_clocks_are_told_when_theirs_begin() {
        let hours = |alarm: usize, at: Timestamp| {
            let begin_at = minute(if alarm == 0 { 900 } else { 600 });
            (at < begin_at).then_some(begin_at)
        };
        assert_eq!(count(&[(10, 9_000), (20, 9_000)], rules(false), &hours), 2);
    }

    #[test]
    fn a_digest_waits_for_active_hours_and_is_never_dropped() {
        // Active until minute 30 and from minute 600 on.
        let hours = |_: usize, at: Timestamp| (at >= minute(30) && at < minute(600)).then_some(minute(600));
        let alarms: Vec<(i64, i64)> = (0..6).map(|at| (at, 9_000)).collect();
        for outside_hours in [OutsideHours::Hold, OutsideHours::Drop] {
            let until = |to: i64| MessageRules { outside_hours, to: minute(to), ..rules(false) };
            let found = [599, 600].map(|to| count(&alarms, until(to), &hours));
            assert_eq!(found, [3, 4], "{outside_hours:?}");
        }
    }

    #[test]
    fn no_hour_has_more_messages_than_allowed() {
        // One a minute for six hours: three at once, and then at most three in any hour.
        let alarms: Vec<(i64, i64)> = (0..360).map(|at| (at, 9_000)).collect();
        let cut = |to: i64| count(&alarms, MessageRules { to: minute(to), ..rules(false) }, &at_once);
        for to in 60..420 {
            assert!(cut(to) - cut(to - 60) <= 3, "minute {to}");
        }
        // All of them are sent.
        assert!(cut(420) > cut(359));
    }

    #[test]
    fn what_is_too_much_for_one_message_follows_in_the_next() {
        let hours = |_: usize, at: Timestamp| (at < minute(600)).then_some(minute(600));
        let many = i64::try_from(MAX_EVENTS).unwrap() + 1;
        let alarms: Vec<(i64, i64)> = (0..many).map(|_| (10, 9_000)).collect();
        assert_eq!(count(&alarms, rules(false), &hours), 2);
        assert_eq!(count(&alarms[1..], rules(false), &hours), 1);
    }
}
