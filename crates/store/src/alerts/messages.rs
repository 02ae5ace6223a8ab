//! Messages: what rules send at once, and what waits until it is sent.

use domain::{
    AlertEvent, AlertFiringId, AlertMessage, AlertMessageId, AlertMessageKind, AlertMessageState,
    AlertRuleId, MessageEvent, Timestamp,
};

use crate::engine::row::Id;
use crate::engine::statement::sql;
use crate::{Error, Scope, Tx};

const COLUMNS: &str = "select id, rule_id, kind, state, send_at, created_at from alert_messages";

/// Ids of one statement, far below the placeholders that an engine allows.
const BATCH_SIZE: usize = 1_000;

#[derive(macros::FromRow)]
struct Recent {
    count: i64,
    oldest: Option<Timestamp>,
}

#[derive(macros::FromRow)]
struct NextSending {
    send_at: Option<Timestamp>,
}

/// The messages of a brand.
pub struct AlertMessages<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn alert_messages<'a>(&'a mut self, scope: &'a Scope) -> AlertMessages<'a> {
        AlertMessages(self, scope)
    }
}

#[macros::boxed]
impl AlertMessages<'_> {
    /// Adds a message without events. Of those that wait, a rule has one of each kind; see [`AlertMessages::waiting`].
    pub async fn add(
        &mut self,
        rule: AlertRuleId,
        kind: AlertMessageKind,
        state: AlertMessageState,
        send_at: Timestamp,
        now: Timestamp,
    ) -> Result<AlertMessageId, Error> {
        let Id(id) = self
            .0
            .one(sql!(
                "insert into alert_messages (brand_id, rule_id, kind, state, send_at, created_at)
                 values ($1, $2, $3, $4, $5, $6) returning id",
                self.1.brand(),
                rule,
                kind.as_str(),
                state.as_str(),
                send_at,
                now
            ))
            .await?;
        Ok(id)
    }

    /// Returns the waiting message of a kind, or a new one. It is due at this time, unless it was due earlier.
    pub async fn waiting(
        &mut self,
        rule: AlertRuleId,
        kind: AlertMessageKind,
        send_at: Timestamp,
        now: Timestamp,
    ) -> Result<AlertMessageId, Error> {
        let brand = self.1.brand();
        let added: Option<Id<AlertMessageId>> = self
            .0
            .optional(sql!(
                "insert into alert_messages (brand_id, rule_id, kind, state, send_at, created_at)
                 values ($1, $2, $3, 'waiting', $4, $5) on conflict do nothing returning id",
                brand,
                rule,
                kind.as_str(),
                send_at,
                now
            ))
            .await?;
        if let Some(Id(id)) = added {
            return Ok(id);
        }
        let text = "update alert_messages set send_at = case when send_at > $4 then $4 else send_at end
             where brand_id = $1 and rule_id = $2 and kind = $3 and state = 'waiting' returning id";
        let Id(id) = self.0.one(sql!(text, brand, rule, kind.as_str(), send_at)).await?;
        Ok(id)
    }

    /// Makes all waiting messages of a rule due, because what they wait for has changed.
    pub async fn make_due(&mut self, rule: AlertRuleId, now: Timestamp) -> Result<(), Error> {
        let text = "update alert_messages set send_at = $3
             where brand_id = $1 and rule_id = $2 and state = 'waiting' and send_at > $3";
        self.0.execute(sql!(text, self.1.brand(), rule, now)).await?;
        Ok(())
    }

    /// Lets a waiting message wait until another time.
    pub async fn postpone(&mut self, id: AlertMessageId, send_at: Timestamp) -> Result<(), Error> {
        let text =
            "update alert_messages set send_at = $3 where brand_id = $1 and id = $2 and state = 'waiting'";
        self.0.execute(sql!(text, self.1.brand(), id, send_at)).await?;
        Ok(())
    }

    /// Adds an event to a message; twice is the same as once.
    pub async fn add_event(&mut self, message: AlertMessageId, event: MessageEvent) -> Result<(), Error> {
        let text = "insert into alert_message_events (brand_id, message_id, firing_id, event) values ($1, $2, $3, $4)
             on conflict do nothing";
        self.0.execute(sql!(text, self.1.brand(), message, event.firing, event.event.as_str())).await?;
        Ok(())
    }

    pub async fn remove_events(
        &mut self,
        message: AlertMessageId,
        events: &[MessageEvent],
    ) -> Result<(), Error> {
        let text = "delete from alert_message_events where brand_id = $1 and message_id = $2 and event = $3";
        for (event, firings) in by_event(events) {
            for some in firings.chunks(BATCH_SIZE) {
                let statement = sql!(text, self.1.brand(), message, event.as_str());
                self.0.execute(statement.and_in_padded("firing_id", some.iter().copied())).await?;
            }
        }
        Ok(())
    }

    /// Moves events to another message, which has none of them.
    pub async fn move_events(
        &mut self,
        from: AlertMessageId,
        to: AlertMessageId,
        events: &[MessageEvent],
    ) -> Result<(), Error> {
        let text = "update alert_message_events set message_id = $4
             where brand_id = $1 and message_id = $2 and event = $3";
        for (event, firings) in by_event(events) {
            for some in firings.chunks(BATCH_SIZE) {
                let statement = sql!(text, self.1.brand(), from, event.as_str(), to);
                self.0.execute(statement.and_in_padded("firing_id", some.iter().copied())).await?;
            }
        }
        Ok(())
    }

    /// Returns the events of a message in the order of the firings; of one firing, the firing before the clearing.
    pub async fn events(&mut self, message: AlertMessageId) -> Result<Vec<MessageEvent>, Error> {
        let text = "select firing_id, event from alert_message_events where brand_id = $1 and message_id = $2
             order by firing_id, case when event = 'fired' then 0 else 1 end";
        self.0.all(sql!(text, self.1.brand(), message)).await
    }

    pub async fn find(&mut self, id: AlertMessageId) -> Result<Option<AlertMessage>, Error> {
        let values = [self.1.brand().into(), id.into()];
        self.0.optional(sql!(COLUMNS).push_with(" where brand_id = $? and id = $?", values)).await
    }

    /// Returns the first waiting messages whose time has come, the most overdue first.
    pub async fn due(&mut self, now: Timestamp, limit: usize) -> Result<Vec<AlertMessage>, Error> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let statement = sql!(COLUMNS).push_with(
            " where brand_id = $? and state = 'waiting' and send_at <= $? order by send_at, id limit $?",
            [self.1.brand().into(), now.into(), limit.into()],
        );
        self.0.all(statement).await
    }

    /// Returns the number of waiting messages of a rule whose time has come.
    pub async fn count_due(&mut self, rule: AlertRuleId, now: Timestamp) -> Result<i64, Error> {
        let text = "select count(*) as count, min(send_at) as oldest from alert_messages
             where brand_id = $1 and rule_id = $2 and state = 'waiting' and send_at <= $3";
        let Recent { count, .. } = self.0.one(sql!(text, self.1.brand(), rule, now)).await?;
        Ok(count)
    }

    /// Returns when the next waiting message of the brand is due.
    pub async fn next_send_at(&mut self) -> Result<Option<Timestamp>, Error> {
        let text =
            "select min(send_at) as send_at from alert_messages where brand_id = $1 and state = 'waiting'";
        let NextSending { send_at } = self.0.one(sql!(text, self.1.brand())).await?;
        Ok(send_at)
    }

    /// Ends the waiting of a message, at `now` if it is released; returns false if it was not waiting.
    pub async fn end_waiting(
        &mut self,
        id: AlertMessageId,
        to: AlertMessageState,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let text = "update alert_messages set state = $3, send_at = case when $3 = 'released' then $4 else send_at end
             where brand_id = $1 and id = $2 and state = 'waiting'";
        Ok(self.0.execute(sql!(text, self.1.brand(), id, to.as_str(), now)).await? > 0)
    }

    /// Returns the number of messages of a rule that were sent after a time, and when the first of them was.
    pub async fn recent(
        &mut self,
        rule: AlertRuleId,
        kinds: &[AlertMessageKind],
        since: Timestamp,
    ) -> Result<(i64, Option<Timestamp>), Error> {
        let text = "select count(*) as count, min(send_at) as oldest from alert_messages
             where brand_id = $1 and rule_id = $2 and send_at > $3 and state = 'released'";
        let statement = sql!(text, self.1.brand(), rule, since);
        let words = kinds.iter().map(|kind| kind.as_str());
        let Recent { count, oldest } = self.0.one(statement.and_in("kind", words)).await?;
        Ok((count, oldest))
    }
}

/// Returns the firings of events of either kind.
fn by_event(events: &[MessageEvent]) -> [(AlertEvent, Vec<AlertFiringId>); 2] {
    [AlertEvent::Fired, AlertEvent::Cleared].map(|kind| {
        let firings = events.iter().filter(|event| event.event == kind).map(|event| event.firing);
        (kind, firings.collect())
    })
}
