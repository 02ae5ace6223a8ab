//! Which rules each webhook follows, if not all.

use domain::{AlertRuleId, Timestamp, WebhookId};

use crate::Error;
use crate::alerts::webhooks::Webhooks;
use crate::engine::row::Id;
use crate::engine::statement::{Value, sql};

/// Rows per statement.
const BATCH_SIZE: usize = 1_000;

#[derive(macros::FromRow)]
struct RuleOfWebhook {
    webhook_id: WebhookId,
    rule_id: AlertRuleId,
}

#[macros::boxed]
impl Webhooks<'_> {
    /// Returns the rules of these webhooks by id. A webhook that follows all has none.
    pub async fn rules(&mut self, webhooks: &[WebhookId]) -> Result<Vec<(WebhookId, AlertRuleId)>, Error> {
        let text = "select webhook_id, rule_id from webhook_rules where brand_id = $1";
        let statement = sql!(text, self.1.brand()).and_in_padded("webhook_id", webhooks.iter().copied());
        let found: Vec<RuleOfWebhook> = self.0.all(statement.push(" order by webhook_id, rule_id")).await?;
        Ok(found.into_iter().map(|one| (one.webhook_id, one.rule_id)).collect())
    }

    /// Returns the enabled webhooks that get the events of a rule.
    pub async fn for_rule(&mut self, rule: AlertRuleId) -> Result<Vec<WebhookId>, Error> {
        let text = "select w.id from webhooks w where w.brand_id = $1 and w.disabled_at is null and (w.all_rules or exists (
                 select 1 from webhook_rules r where r.brand_id = w.brand_id and r.webhook_id = w.id and r.rule_id = $2))
             order by w.id";
        let found: Vec<Id<WebhookId>> = self.0.all(sql!(text, self.1.brand(), rule)).await?;
        Ok(found.into_iter().map(|Id(id)| id).collect())
    }

    pub(super) async fn replace_rules(
        &mut self,
        webhook: WebhookId,
        rules: &[AlertRuleId],
    ) -> Result<(), Error> {
        let text = "delete from webhook_rules where brand_id = $1 and webhook_id = $2";
        self.0.execute(sql!(text, self.1.brand(), webhook)).await?;
        self.add_rules(webhook, rules).await
    }

    pub(super) async fn add_rules(&mut self, webhook: WebhookId, rules: &[AlertRuleId]) -> Result<(), Error> {
        let mut rules = rules.to_vec();
        rules.sort_unstable();
        rules.dedup();
        for some in rules.chunks(BATCH_SIZE) {
            let mut statement = sql!("insert into webhook_rules (brand_id, webhook_id, rule_id) values ");
            for (index, rule) in some.iter().enumerate() {
                let row: [Value; 3] = [self.1.brand().into(), webhook.into(), (*rule).into()];
                let text = if index == 0 { "($?, $?, $?)" } else { ", ($?, $?, $?)" };
                statement = statement.push_with(text, row);
            }
            self.0.execute(statement.uncached()).await?;
        }
        Ok(())
    }

    /// Removes a deleted rule from the webhooks that follow it, which are shown otherwise from then on.
    pub(super) async fn forget_rule(&mut self, rule: AlertRuleId, now: Timestamp) -> Result<(), Error> {
        let brand = self.1.brand();
        let text =
            "update webhooks set version = version + 1, updated_at = $3 where brand_id = $1 and id in (
                 select r.webhook_id from webhook_rules r where r.brand_id = $1 and r.rule_id = $2)";
        self.0.execute(sql!(text, brand, rule, now)).await?;
        let text = "delete from webhook_rules where brand_id = $1 and rule_id = $2";
        self.0.execute(sql!(text, brand, rule)).await?;
        Ok(())
    }
}
