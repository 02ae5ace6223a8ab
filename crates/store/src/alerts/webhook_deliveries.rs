//! The deliveries of webhooks, as admins see them.

use domain::{AlertDelivery, AlertDeliveryId, DeliveryState, Page, PageRequest, Timestamp, WebhookId};

use crate::Error;
use crate::alerts::deliveries::AlertDeliveries;
use crate::engine::page::{self, Count};
use crate::engine::statement::{Statement, sql};

#[macros::boxed]
impl AlertDeliveries<'_> {
    pub async fn find_of_webhook(
        &mut self,
        webhook: WebhookId,
        id: AlertDeliveryId,
    ) -> Result<Option<AlertDelivery>, Error> {
        let values = [webhook.into(), id.into()];
        let statement = self.of_brand().push_with(" and d.webhook_id = $? and d.id = $?", values);
        self.0.optional(statement).await
    }

    /// Queues a delivery once more that was sent or has failed; attempts count anew, `created_at` stays. False: it is in another state.
    pub async fn requeue(&mut self, id: AlertDeliveryId, now: Timestamp) -> Result<bool, Error> {
        let text =
            "update alert_deliveries set state = 'queued', reason = null, status_code = null, attempts = 0,
                 next_attempt_at = $3, sent_at = null, updated_at = $3
             where brand_id = $1 and id = $2 and state in ('sent', 'failed')";
        Ok(self.0.execute(sql!(text, self.1.brand(), id, now)).await? > 0)
    }

    /// Returns a page of the deliveries of a webhook, newest first. No state means all.
    pub async fn page_of_webhook(
        &mut self,
        webhook: WebhookId,
        states: &[DeliveryState],
        page: &PageRequest,
    ) -> Result<Page<AlertDelivery>, Error> {
        let list = format!("webhook_deliveries {webhook} {states:?}");
        let order = (" and d.id < $?", " order by d.id desc");
        let statement = and_of_webhook(self.of_brand(), webhook, states);
        let rows: Vec<AlertDelivery> = self.0.all(page::order_by_id(statement, order, &list, page)?).await?;
        Ok(page::into_page_by(rows, &list, page, |delivery| (String::new(), delivery.id.0)))
    }

    /// Counts the tests of webhooks of the brand that were made by themselves, not with a rule, after a time.
    pub async fn count_webhook_tests(&mut self, since: Timestamp) -> Result<i64, Error> {
        let text = "select count(*) as count from alert_deliveries
             where brand_id = $1 and webhook_id is not null and message_id is null and event = 'test' and created_at > $2";
        let Count(count) = self.0.one(sql!(text, self.1.brand(), since)).await?;
        Ok(count)
    }

    pub async fn count_of_webhook(
        &mut self,
        webhook: WebhookId,
        states: &[DeliveryState],
    ) -> Result<i64, Error> {
        let text = "select count(*) as count from alert_deliveries d where d.brand_id = $1";
        let statement = and_of_webhook(sql!(text, self.1.brand()), webhook, states);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }
}

fn and_of_webhook(statement: Statement, webhook: WebhookId, states: &[DeliveryState]) -> Statement {
    let statement = statement.push_with(" and d.webhook_id = $?", [webhook.into()]);
    if states.is_empty() {
        return statement;
    }
    statement.and_in("d.state", states.iter().map(|state| state.as_str())).uncached()
}
