//! Deletes firings past their retention, and the messages about them.

use domain::{AlertDeliveryId, AlertFiringId, AlertMessageId, Timestamp};

use crate::Error;
use crate::alerts::firings::AlertFirings;
use crate::engine::row::Id;
use crate::engine::statement::sql;

#[macros::boxed]
impl AlertFirings<'_> {
    /// Deletes the firings that cleared before a time, the oldest first and at most `limit`, with their messages and deliveries, and
    /// rules that were deleted and have no firing left. Returns the number of firings.
    pub async fn delete_before(&mut self, before: Timestamp, limit: i64) -> Result<u64, Error> {
        let brand = self.1.brand();
        let text = "select id from alert_firings where brand_id = $1 and cleared_at < $2 order by cleared_at, id limit $3";
        let old: Vec<Id<AlertFiringId>> = self.0.all(sql!(text, brand, before, limit)).await?;
        let ids: Vec<AlertFiringId> = old.into_iter().map(|Id(id)| id).collect();
        if !ids.is_empty() {
            // As everyone who changes firings does first, such as the erasure of a person from the same ones.
            self.0.lock_alert_cursor(brand).await?;
            // A message about several firings goes with the last of them; its deliveries go with it.
            let of_these = sql!(
                "delete from alert_messages where brand_id = $1 and state <> 'waiting' and id in (
                     select e.message_id from alert_message_events e where e.brand_id = $1",
                brand
            );
            let messages = of_these
                .and_in_padded("e.firing_id", ids.iter().copied())
                .push(
                    ") and not exists (select 1 from alert_message_events o where o.brand_id = alert_messages.brand_id
                         and o.message_id = alert_messages.id and o.firing_id not in ",
                )
                .push_list(ids.iter().copied())
                .push(")");
            self.0.execute(messages.uncached()).await?;
            let text = "delete from alert_firings where brand_id = $1";
            self.0.execute(sql!(text, brand).and_in_padded("id", ids.iter().copied())).await?;
        }
        let text = "delete from alert_rules where brand_id = $1 and deleted_at is not null and not exists (
                 select 1 from alert_firings f where f.brand_id = alert_rules.brand_id and f.rule_id = alert_rules.id)";
        self.0.execute(sql!(text, brand)).await?;
        Ok(ids.len() as u64)
    }

    /// Deletes what was sent before a time and belongs to no firing, such as tests, at most `limit` of each, and returns how many
    /// messages and deliveries it was. What waits or is queued stays.
    pub async fn delete_without_firing(&mut self, before: Timestamp, limit: i64) -> Result<u64, Error> {
        let brand = self.1.brand();
        let text = "select m.id from alert_messages m
             where m.brand_id = $1 and m.created_at < $2 and m.state <> 'waiting' and not exists (
                     select 1 from alert_message_events e where e.brand_id = m.brand_id and e.message_id = m.id)
                 and not exists (select 1 from alert_deliveries d
                     where d.brand_id = m.brand_id and d.message_id = m.id and d.state = 'queued')
             order by m.id limit $3";
        let messages: Vec<Id<AlertMessageId>> = self.0.all(sql!(text, brand, before, limit)).await?;
        if !messages.is_empty() {
            let statement = sql!("delete from alert_messages where brand_id = $1", brand);
            self.0.execute(statement.and_in_padded("id", messages.iter().map(|Id(id)| *id))).await?;
        }
        let text = "select id from alert_deliveries
             where brand_id = $1 and message_id is null and firing_id is null and created_at < $2 and state <> 'queued'
             order by id limit $3";
        let deliveries: Vec<Id<AlertDeliveryId>> = self.0.all(sql!(text, brand, before, limit)).await?;
        if !deliveries.is_empty() {
            let statement = sql!("delete from alert_deliveries where brand_id = $1", brand);
            self.0.execute(statement.and_in_padded("id", deliveries.iter().map(|Id(id)| *id))).await?;
        }
        Ok((messages.len() + deliveries.len()) as u64)
    }
}
