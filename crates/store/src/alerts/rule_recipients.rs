//! The users and addresses that rules notify.

use std::collections::BTreeSet;

use domain::{AlertRecipient, AlertRecipientId, AlertRuleId, BrandId, NewRecipient, Timestamp, UserId};

use crate::Error;
use crate::alerts::rules::AlertRules;
use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};

#[derive(macros::FromRow)]
struct RecipientOfRule {
    rule_id: AlertRuleId,
    #[row(flatten)]
    recipient: AlertRecipient,
}

#[derive(macros::FromRow)]
struct StoredRecipient {
    id: AlertRecipientId,
    user_id: Option<UserId>,
    email_key: Option<String>,
}

/// What makes two recipients of a rule the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RecipientKey {
    User(UserId),
    Address(String),
}

impl RecipientKey {
    fn of(recipient: &NewRecipient) -> Self {
        match recipient {
            NewRecipient::User(id) => Self::User(*id),
            NewRecipient::Address(address) => Self::Address(address.key()),
        }
    }

    fn of_stored(stored: &StoredRecipient) -> Self {
        match (stored.user_id, &stored.email_key) {
            (Some(user), _) => Self::User(user),
            (None, key) => Self::Address(key.clone().unwrap_or_default()),
        }
    }
}

const COLUMNS: &str =
    "select p.id, p.rule_id, p.user_id, u.name as user_name, p.email, p.unsubscribed_at, p.refused_at,
    p.refused_reason from alert_recipients p left join users u on u.id = p.user_id";

#[macros::boxed]
impl AlertRules<'_> {
    /// Returns the recipients of these rules, in the order in which they were added.
    pub async fn recipients(
        &mut self,
        rules: &[AlertRuleId],
    ) -> Result<Vec<(AlertRuleId, AlertRecipient)>, Error> {
        let statement = self.recipients_of_brand().and_in_padded("p.rule_id", rules.iter().copied());
        let found: Vec<RecipientOfRule> = self.0.all(statement.push(" order by p.rule_id, p.id")).await?;
        Ok(found.into_iter().map(|one| (one.rule_id, one.recipient)).collect())
    }

    /// Returns a recipient with its rule, or none if it was removed.
    pub async fn recipient(
        &mut self,
        id: AlertRecipientId,
    ) -> Result<Option<(AlertRuleId, AlertRecipient)>, Error> {
        let statement = self.recipients_of_brand().push_with(" and p.id = $?", [id.into()]);
        let found: Option<RecipientOfRule> = self.0.optional(statement).await?;
        Ok(found.map(|one| (one.rule_id, one.recipient)))
    }

    /// Records that a recipient wants no more mails of the rule; returns false if that is known already or the recipient is gone.
    pub async fn unsubscribe(&mut self, id: AlertRecipientId, now: Timestamp) -> Result<bool, Error> {
        let text = "update alert_recipients set unsubscribed_at = $3
             where brand_id = $1 and id = $2 and unsubscribed_at is null returning rule_id as id";
        self.change_recipient(sql!(text, self.1.brand(), id, now), now).await
    }

    /// Whether an address, given by its key, has unsubscribed from any rule of the brand.
    pub async fn has_unsubscribed(&mut self, email_key: &str) -> Result<bool, Error> {
        let text = "select id from alert_recipients
             where brand_id = $1 and email_key = $2 and unsubscribed_at is not null limit 1";
        let found: Option<Id<AlertRecipientId>> =
            self.0.optional(sql!(text, self.1.brand(), email_key)).await?;
        Ok(found.is_some())
    }

    /// Records that the mail server has refused a recipient for good. The first refusal is kept.
    pub async fn refuse(&mut self, id: AlertRecipientId, reason: &str, now: Timestamp) -> Result<(), Error> {
        let text = "update alert_recipients set refused_at = $3, refused_reason = $4
             where brand_id = $1 and id = $2 and refused_at is null returning rule_id as id";
        self.change_recipient(sql!(text, self.1.brand(), id, now, reason), now).await?;
        Ok(())
    }

    /// Removes an address, given by its key, from all rules, and returns from how many.
    pub async fn remove_address(&mut self, email_key: &str, now: Timestamp) -> Result<u64, Error> {
        let brand = self.1.brand();
        self.0.lock_alert_cursor(brand).await?;
        let text =
            "delete from alert_recipients where brand_id = $1 and email_key = $2 returning rule_id as id";
        let rules: Vec<Id<AlertRuleId>> = self.0.all(sql!(text, brand, email_key)).await?;
        for Id(rule) in &rules {
            self.touch(*rule, now).await?;
        }
        if !rules.is_empty() {
            self.0.bump_alert_cursor(brand, now).await?;
        }
        Ok(rules.len() as u64)
    }

    /// Sets the recipients of a rule, each once. Those who stay keep their ids, to which deliveries refer, and with them whether they
    /// unsubscribed or were refused.
    pub(super) async fn replace_recipients(
        &mut self,
        rule: AlertRuleId,
        recipients: &[NewRecipient],
    ) -> Result<(), Error> {
        let brand = self.1.brand();
        let mut wanted: BTreeSet<RecipientKey> = recipients.iter().map(RecipientKey::of).collect();
        let text = "select id, user_id, email_key from alert_recipients where brand_id = $1 and rule_id = $2";
        let stored: Vec<StoredRecipient> = self.0.all(sql!(text, brand, rule)).await?;
        for one in stored {
            if !wanted.remove(&RecipientKey::of_stored(&one)) {
                let text = "delete from alert_recipients where brand_id = $1 and id = $2";
                self.0.execute(sql!(text, brand, one.id)).await?;
            }
        }
        for recipient in recipients {
            if wanted.remove(&RecipientKey::of(recipient)) {
                self.0.execute(insert(brand, rule, recipient)).await?;
            }
        }
        Ok(())
    }

    /// Runs a statement that changes a recipient and returns its rule, which is shown otherwise from then on. Returns whether it did.
    async fn change_recipient(&mut self, change: Statement, now: Timestamp) -> Result<bool, Error> {
        self.0.lock_alert_cursor(self.1.brand()).await?;
        let Some(Id(rule)) = self.0.optional::<Id<AlertRuleId>>(change).await? else { return Ok(false) };
        self.touch(rule, now).await?;
        self.0.bump_alert_cursor(self.1.brand(), now).await?;
        Ok(true)
    }

    async fn touch(&mut self, rule: AlertRuleId, now: Timestamp) -> Result<(), Error> {
        let text =
            "update alert_rules set version = version + 1, updated_at = $3 where brand_id = $1 and id = $2";
        self.0.execute(sql!(text, self.1.brand(), rule, now)).await?;
        Ok(())
    }

    fn recipients_of_brand(&self) -> Statement {
        sql!(COLUMNS).push_with(" where p.brand_id = $?", [self.1.brand().into()])
    }
}

fn insert(brand: BrandId, rule: AlertRuleId, recipient: &NewRecipient) -> Statement {
    match recipient {
        NewRecipient::User(user) => {
            let text = "insert into alert_recipients (brand_id, rule_id, user_id) values ($1, $2, $3)";
            sql!(text, brand, rule, *user)
        }
        NewRecipient::Address(address) => {
            let text =
                "insert into alert_recipients (brand_id, rule_id, email, email_key) values ($1, $2, $3, $4)";
            sql!(text, brand, rule, address.as_str(), address.key())
        }
    }
}
