//! Signed links in mails, through which a recipient leaves an alert.
//!
//! A link is not stored. Its token names the recipient and the time at which it expires, with a code that only the installation can
//! make. It works for one recipient of one alert, and does nothing else.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::{AlertRecipient, AlertRecipientId, AlertRule, AlertRuleId, BrandId, Span, Timestamp};
use serde_json::json;
use store::{RuleViewer, Scope, Tx};

use super::Unsubscription;
use super::readers::find_language;
use crate::platform::audit::AuditEntry;
use crate::platform::crypto::{constant_time_eq, hmac_sha256};
use crate::{App, Error};

/// Separates the codes of these links from the other uses of the key.
const LABEL: &[u8] = b"alert unsubscribe\0";
/// Bytes of the code that a token has.
const CODE_BYTES: usize = 16;
/// Longer than mails are usually kept.
const LIFETIME: Span = Span::minutes(400 * 24 * 60);

/// What a token says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct UnsubscribeLink {
    brand: BrandId,
    rule: AlertRuleId,
    recipient: AlertRecipientId,
    expires_s: i64,
}

impl UnsubscribeLink {
    fn to_text(self) -> String {
        format!("{}.{}.{}.{}", self.brand, self.rule, self.recipient, self.expires_s)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|part| part.parse().ok());
        let mut next = || parts.next()?;
        let (brand, rule) = (BrandId(next()?), AlertRuleId(next()?));
        let link = Self { brand, rule, recipient: AlertRecipientId(next()?), expires_s: next()? };
        parts.next().is_none().then_some(link)
    }
}

#[macros::boxed]
impl App {
    /// Returns what the link of a mail is about, and changes nothing. A link that is forged, has expired or whose recipient is gone does
    /// not exist.
    pub async fn find_unsubscription(&self, token: &str) -> Result<Unsubscription, Error> {
        let link = self.read_unsubscribe_link(token).ok_or_else(link_not_found)?;
        let scope = self.scope_of(link.brand);
        let mut tx = self.store.read().await?;
        let (rule, recipient) = find_linked(&mut tx, &scope, link).await?;
        describe(&mut tx, &scope, &rule, &recipient).await
    }

    /// Stops the mails of an alert to the recipient of a link. Doing it again is the same.
    pub async fn unsubscribe(&self, token: &str) -> Result<Unsubscription, Error> {
        let link = self.read_unsubscribe_link(token).ok_or_else(link_not_found)?;
        let scope = self.scope_of(link.brand);
        let mut tx = self.store.begin().await?;
        let (rule, recipient) = find_linked(&mut tx, &scope, link).await?;
        let described = describe(&mut tx, &scope, &rule, &recipient).await?;
        if tx.alert_rules(&scope).unsubscribe(recipient.id, self.clock.now()).await? {
            let entry = AuditEntry::by_service(Some(link.brand), None);
            let entry = entry.on("alert.unsubscribed", "alert", rule.id.0);
            let details = json!({ "recipient": recipient.id });
            self.record_audit(&mut tx, entry.with_details(details)).await?;
            tx.commit().await?;
        }
        Ok(Unsubscription { is_done: true, ..described })
    }

    /// Returns the token of the link by which a recipient leaves an alert, for a mail of this time.
    pub(super) fn sign_unsubscribe_link(
        &self,
        brand: BrandId,
        rule: AlertRuleId,
        recipient: AlertRecipientId,
        sent_at: Timestamp,
    ) -> String {
        let expires_s = (sent_at + LIFETIME).seconds();
        let text = UnsubscribeLink { brand, rule, recipient, expires_s }.to_text();
        let code = link_code(&self.keys().derivation_key, &text);
        format!("{text}.{code}")
    }

    /// Returns what a token says, if its code is right and it has not expired.
    fn read_unsubscribe_link(&self, token: &str) -> Option<UnsubscribeLink> {
        let (text, code) = token.rsplit_once('.')?;
        let expected = link_code(&self.keys().derivation_key, text);
        if !constant_time_eq(code.as_bytes(), expected.as_bytes()) {
            return None;
        }
        UnsubscribeLink::parse(text).filter(|link| self.clock.now() < Timestamp::from_seconds(link.expires_s))
    }
}

async fn find_linked(
    tx: &mut Tx,
    scope: &Scope,
    link: UnsubscribeLink,
) -> Result<(AlertRule, AlertRecipient), Error> {
    let found = tx.alert_rules(scope).recipient(link.recipient).await?;
    let (rule, recipient) = found.filter(|(rule, _)| *rule == link.rule).ok_or_else(link_not_found)?;
    let rule = tx.alert_rules(scope).find(rule, RuleViewer::Brand).await?.ok_or_else(link_not_found)?;
    Ok((rule, recipient))
}

async fn describe(
    tx: &mut Tx,
    scope: &Scope,
    rule: &AlertRule,
    recipient: &AlertRecipient,
) -> Result<Unsubscription, Error> {
    Ok(Unsubscription {
        rule_name: rule.name.clone(),
        brand_name: tx.brand_settings(scope).await?.values.name.to_string(),
        language: find_language(tx, scope, recipient).await?,
        is_done: recipient.unsubscribed_at.is_some(),
    })
}

fn link_code(key: &[u8], text: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(&hmac_sha256(key, &[LABEL, text.as_bytes()])[..CODE_BYTES])
}

fn link_not_found() -> Error {
    Error::not_found("link")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_says_what_was_signed_and_nothing_else() {
        let link = UnsubscribeLink {
            brand: BrandId(1),
            rule: AlertRuleId(7),
            recipient: AlertRecipientId(9),
            expires_s: 1_773_000_000,
        };
        assert_eq!(link.to_text(), "1.7.9.1773000000");
        assert_eq!(UnsubscribeLink::parse(&link.to_text()), Some(link));
        for bad in ["", "1.7.9", "1.7.9.x", "1.7.9.1.2", "a.7.9.1", "1..9.1", "99999999999999999999.7.9.1"] {
            assert_eq!(UnsubscribeLink::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_code_depends_on_the_key_and_on_every_part() {
        let code = link_code(b"key", "1.7.9.1773000000");
        assert_eq!(code.len(), 22);
        for (key, text) in [
            ("other", "1.7.9.1773000000"),
            ("key", "2.7.9.1773000000"),
            ("key", "1.8.9.1773000000"),
            ("key", "1.7.8.1773000000"),
            ("key", "1.7.9.1773000001"),
        ] {
            assert_ne!(link_code(key.as_bytes(), text), code, "{text}");
        }
    }
}
