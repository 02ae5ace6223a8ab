//! Webhooks: addresses that are called when alerts fire or clear. `webhook_rules` has which rules each follows.

use domain::{
    AlertRuleId, Name, Page, PageRequest, Timestamp, Webhook, WebhookAddress, WebhookDisabled, WebhookId,
};

use crate::engine::page::{self, Count, Keyed};
use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

/// The values of a new or changed webhook.
#[derive(Clone, Debug)]
pub struct NewWebhook {
    pub name: Name,
    pub url: WebhookAddress,
    /// None for all.
    pub rules: Option<Vec<AlertRuleId>>,
    /// None if it is enabled.
    pub disabled_reason: Option<WebhookDisabled>,
}

/// The sealed secrets of a webhook.
#[derive(Clone, Debug, macros::FromRow)]
pub struct WebhookSecret {
    /// None if the installation key was lost.
    pub secret: Option<Vec<u8>>,
    /// The one before, sealed for another purpose.
    pub old_secret: Option<Vec<u8>>,
    pub old_secret_until: Option<Timestamp>,
}

const COLUMNS: &str =
    "select id, name, name_key, url, all_rules, secret_since, old_secret_until, disabled_at, disabled_reason,
    last_success_at, last_failure_at, version, created_at, updated_at from webhooks";

impl Keyed for Webhook {
    fn key(&self) -> (&str, i64) {
        (&self.name_key, self.id.0)
    }
}

/// The webhooks of a brand.
pub struct Webhooks<'a>(pub(super) &'a mut Tx, pub(super) &'a Scope);

impl Tx {
    pub fn webhooks<'a>(&'a mut self, scope: &'a Scope) -> Webhooks<'a> {
        Webhooks(self, scope)
    }
}

#[macros::boxed]
impl Webhooks<'_> {
    /// Adds a webhook without a secret, which is sealed for its id. The rules must be locked.
    pub async fn add(&mut self, new: &NewWebhook, now: Timestamp) -> Result<WebhookId, Error> {
        let disabled_at = new.disabled_reason.map(|_| now);
        let Id(id) = self
            .0
            .one(sql!(
                "insert into webhooks (brand_id, name, name_key, url, all_rules, secret_since, disabled_at, disabled_reason,
                     version, created_at, updated_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, 1, $6, $6) returning id",
                self.1.brand(),
                new.name.as_str(),
                new.name.key(),
                new.url.as_str(),
                new.rules.is_none(),
                now,
                disabled_at,
                new.disabled_reason.map(WebhookDisabled::as_str)
            ))
            .await?;
        self.add_rules(id, new.rules.as_deref().unwrap_or_default()).await?;
        Ok(id)
    }

    /// Replaces the sealed secret. `old` is the one before, sealed as such, and until when it counts. A webhook that was disabled because
    /// its secret was lost is enabled again.
    pub async fn set_secret(
        &mut self,
        id: WebhookId,
        sealed: &[u8],
        old: Option<(&[u8], Timestamp)>,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update webhooks set secret = $3, old_secret = $4, old_secret_until = $5, secret_since = $6,
                     disabled_at = case when disabled_reason = 'key_lost' then null else disabled_at end,
                     disabled_reason = nullif(disabled_reason, 'key_lost'), version = version + 1, updated_at = $6
                 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                sealed,
                old.map(|(sealed, _)| sealed),
                old.map(|(_, until)| until),
                now
            ))
            .await?;
        Ok(())
    }

    pub async fn find(&mut self, id: WebhookId) -> Result<Option<Webhook>, Error> {
        let statement = self.of_brand(sql!(COLUMNS)).push_with(" and id = $?", [id.into()]);
        self.0.optional(statement).await
    }

    /// Finds a webhook and locks its row until the end of the transaction.
    pub async fn find_locked(&mut self, id: WebhookId) -> Result<Option<Webhook>, Error> {
        let lock = self.0.row_lock();
        let statement = self.of_brand(sql!(COLUMNS)).push_with(" and id = $?", [id.into()]);
        self.0.optional(statement.push(lock)).await
    }

    /// Locks the rules of the brand until the end of the transaction. Whoever sets which rules a webhook follows does so before locking
    /// the webhook, since deleting a rule locks in that order, too.
    pub async fn lock_rules(&mut self) -> Result<(), Error> {
        self.0.lock_alert_cursor(self.1.brand()).await
    }

    /// Changes a webhook that was found and locked. One that stays disabled keeps the time since when.
    pub async fn change(&mut self, id: WebhookId, to: &NewWebhook, now: Timestamp) -> Result<Webhook, Error> {
        self.0
            .execute(sql!(
                "update webhooks set name = $3, name_key = $4, url = $5, all_rules = $6,
                     disabled_at = case when $7 is null then null else coalesce(disabled_at, $8) end, disabled_reason = $7,
                     version = version + 1, updated_at = $8
                 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                to.name.as_str(),
                to.name.key(),
                to.url.as_str(),
                to.rules.is_none(),
                to.disabled_reason.map(WebhookDisabled::as_str),
                now
            ))
            .await?;
        self.replace_rules(id, to.rules.as_deref().unwrap_or_default()).await?;
        let statement = self.of_brand(sql!(COLUMNS)).push_with(" and id = $?", [id.into()]);
        self.0.one(statement).await
    }

    /// Deletes a webhook with its deliveries.
    pub async fn delete(&mut self, id: WebhookId) -> Result<(), Error> {
        let text = "delete from webhooks where brand_id = $1 and id = $2";
        self.0.execute(sql!(text, self.1.brand(), id)).await?;
        Ok(())
    }

    /// Returns a page of the webhooks whose name contains `q`, sorted by name.
    pub async fn page(&mut self, q: Option<&str>, page: &PageRequest) -> Result<Page<Webhook>, Error> {
        let list = format!("webhooks {q:?}");
        let statement = and_named(self.of_brand(sql!(COLUMNS)), q);
        let rows = self.0.all(page::order_by_name(statement, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    pub async fn count(&mut self, q: Option<&str>) -> Result<i64, Error> {
        let statement = and_named(self.of_brand(sql!("select count(*) as count from webhooks")), q);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    pub async fn secrets(&mut self, id: WebhookId) -> Result<Option<WebhookSecret>, Error> {
        let text =
            "select secret, old_secret, old_secret_until from webhooks where brand_id = $1 and id = $2";
        self.0.optional(sql!(text, self.1.brand(), id)).await
    }

    /// Records when a webhook last answered well, or last did not. The version does not move.
    pub async fn record_result(&mut self, id: WebhookId, success: bool, now: Timestamp) -> Result<(), Error> {
        let text = match success {
            true => "update webhooks set last_success_at = $3 where brand_id = $1 and id = $2",
            false => "update webhooks set last_failure_at = $3 where brand_id = $1 and id = $2",
        };
        self.0.execute(sql!(text, self.1.brand(), id, now)).await?;
        Ok(())
    }

    /// Disables a webhook; returns false if it is disabled already.
    pub async fn disable(
        &mut self,
        id: WebhookId,
        reason: WebhookDisabled,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let text = "update webhooks set disabled_at = $3, disabled_reason = $4, version = version + 1, updated_at = $3
             where brand_id = $1 and id = $2 and disabled_at is null";
        Ok(self.0.execute(sql!(text, self.1.brand(), id, now, reason.as_str())).await? > 0)
    }

    fn of_brand(&self, statement: Statement) -> Statement {
        statement.push_with(" where brand_id = $?", [self.1.brand().into()])
    }
}

fn and_named(statement: Statement, q: Option<&str>) -> Statement {
    match q {
        Some(q) => statement.push_with(" and name_key like $? escape '!'", [page::like_pattern(q).into()]),
        None => statement,
    }
}
