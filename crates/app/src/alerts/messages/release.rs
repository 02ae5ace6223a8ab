//! Sends messages that have waited: those held until active hours begin, and digests.

use std::collections::{BTreeMap, HashMap};

use domain::{
    AlertEvent, AlertFiring, AlertFiringId, AlertMessage, AlertMessageId, AlertMessageKind,
    AlertMessageState, AlertRule, BrandId, MessageEvent, Timestamp,
};
use store::{RuleViewer, Scope, Tx};

use super::routing::was_told;
use super::{MAX_EVENTS, MessagePlan, ReleasedMessages, hours_begin_at};
use crate::{App, Error};

/// Messages that are looked at in one transaction. What is beyond stays due.
const MAX_MESSAGES: usize = 100;

/// What becomes of the events of a message whose time has come.
#[derive(Debug, Default)]
struct Sorted {
    now: Vec<MessageEvent>,
    /// By until when they wait.
    later: BTreeMap<Timestamp, Vec<MessageEvent>>,
    dropped: Vec<MessageEvent>,
    /// Firings that were held and that nobody is notified of any more.
    not_told: Vec<AlertFiringId>,
}

impl App {
    /// Releases waiting messages whose time has come, in the transaction of an evaluation. Of many, some stay due. Nothing is sent of a rule
    /// that was deleted or disabled meanwhile.
    pub(crate) async fn release_messages(
        &self,
        tx: &mut Tx,
        brand: BrandId,
        now: Timestamp,
    ) -> Result<ReleasedMessages, Error> {
        let scope = self.scope_of(brand);
        let (mut count, mut sent) = (0, 0);
        for message in tx.alert_messages(&scope).due(now, MAX_MESSAGES).await? {
            if sent >= MAX_EVENTS {
                break;
            }
            let rule = tx.alert_rules(&scope).find(message.rule, RuleViewer::Brand).await?;
            let Some(rule) = rule.filter(|rule| rule.enabled) else {
                let state = AlertMessageState::Dropped;
                tx.alert_messages(&scope).end_waiting(message.id, state, now).await?;
                continue;
            };
            let events = self.release_message(tx, &scope, &rule, &message, now).await?;
            sent += events;
            count += u64::from(events > 0);
        }
        Ok(ReleasedMessages { count, next_at: tx.alert_messages(&scope).next_send_at().await? })
    }

    /// Sends what is left of a message, and lets wait what belongs to other hours, or would be too many messages within an hour. Returns
    /// the number of events that were sent.
    async fn release_message(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        rule: &AlertRule,
        message: &AlertMessage,
        now: Timestamp,
    ) -> Result<usize, Error> {
        let is_held = message.kind == AlertMessageKind::Held;
        let mut sorted = sort_message(tx, scope, rule, message, now).await?;
        if !sorted.now.is_empty()
            && let Some(at) = self.next_message_at(tx, scope, rule.id, 0, now).await?
        {
            sorted.later.entry(at).or_default().append(&mut sorted.now);
        }
        tx.alert_messages(scope).remove_events(message.id, &sorted.dropped).await?;
        tx.alert_firings(scope).set_not_told(&sorted.not_told, now).await?;
        if is_held {
            for (until, events) in &sorted.later {
                tx.alert_firings(scope).set_held_until(&fired(events), *until, now).await?;
            }
        }
        // The rest of too many is due at once.
        let rest = sorted.now.split_off(sorted.now.len().min(MAX_EVENTS));
        if !rest.is_empty() {
            sorted.later.insert(now, rest);
        }
        let Some(sent) = part_from(tx, scope, message, &sorted, now).await? else { return Ok(0) };
        self.deliver_message(tx, scope, rule.id, (sent, message.kind), now).await?;
        // The events of a digest were sent to webhooks, and counted as sent, when they happened.
        if is_held {
            tx.alert_firings(scope).set_told(&fired(&sorted.now), now).await?;
            for event in &sorted.now {
                self.add_webhook_events(tx, scope.brand(), rule.id, Some(sent), *event, now).await?;
            }
        }
        Ok(sorted.now.len())
    }
}

/// Sorts the events of a message by the clocks of their sites.
async fn sort_message(
    tx: &mut Tx,
    scope: &Scope,
    rule: &AlertRule,
    message: &AlertMessage,
    now: Timestamp,
) -> Result<Sorted, Error> {
    let is_held = message.kind == AlertMessageKind::Held;
    let events = tx.alert_messages(scope).events(message.id).await?;
    let mut sorted = Sorted::default();
    for some in events.chunks(MAX_EVENTS) {
        let ids: Vec<AlertFiringId> = some.iter().map(|event| event.firing).collect();
        let firings = tx.alert_firings(scope).among(&ids).await?;
        let firings: HashMap<AlertFiringId, AlertFiring> =
            firings.into_iter().map(|firing| (firing.id, firing)).collect();
        for event in some {
            sorted.add(rule, is_held, *event, firings.get(&event.firing), now);
        }
    }
    Ok(sorted)
}

impl Sorted {
    /// Adds an event. An alarm that was held and has cleared before anybody was notified is not sent any more. What is in a digest happened
    /// inside active hours, so that it waits for the next ones even if what happens outside is dropped.
    fn add(
        &mut self,
        rule: &AlertRule,
        is_held: bool,
        event: MessageEvent,
        firing: Option<&AlertFiring>,
        now: Timestamp,
    ) {
        let is_firing = event.event == AlertEvent::Fired;
        let is_over =
            |firing: &AlertFiring| is_held && is_firing && firing.cleared_at.is_some() && !was_told(firing);
        let Some(firing) = firing.filter(|&firing| !is_over(firing)) else {
            self.dropped.push(event);
            return;
        };
        let begin_at = hours_begin_at(rule, &firing.time_zone, now);
        match (MessagePlan::of(begin_at, rule.outside_hours), begin_at) {
            (MessagePlan::Now, _) => self.now.push(event),
            (MessagePlan::Hold { until }, _) => self.later.entry(until).or_default().push(event),
            (MessagePlan::Drop, Some(until)) if !is_held => self.later.entry(until).or_default().push(event),
            (MessagePlan::Drop, _) => {
                self.dropped.push(event);
                if is_firing {
                    self.not_told.push(event.firing);
                }
            }
        }
    }
}

/// Ends the waiting of a message, or lets it wait for what comes later. Returns the message that has what is sent now, if anything is.
async fn part_from(
    tx: &mut Tx,
    scope: &Scope,
    message: &AlertMessage,
    sorted: &Sorted,
    now: Timestamp,
) -> Result<Option<AlertMessageId>, Error> {
    let mut messages = tx.alert_messages(scope);
    let released = AlertMessageState::Released;
    let Some(next) = sorted.later.keys().next() else {
        let state = if sorted.now.is_empty() { AlertMessageState::Dropped } else { released };
        let has_ended = messages.end_waiting(message.id, state, now).await?;
        return Ok((has_ended && state == released).then_some(message.id));
    };
    messages.postpone(message.id, *next).await?;
    if sorted.now.is_empty() {
        return Ok(None);
    }
    let sent = messages.add(message.rule, message.kind, released, now, now).await?;
    messages.move_events(message.id, sent, &sorted.now).await?;
    Ok(Some(sent))
}

fn fired(events: &[MessageEvent]) -> Vec<AlertFiringId> {
    events.iter().filter(|event| event.event == AlertEvent::Fired).map(|event| event.firing).collect()
}
