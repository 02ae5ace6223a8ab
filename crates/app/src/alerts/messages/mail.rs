//! Mails: what one says is put together when its job runs.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use domain::{
    AlertComparison, AlertDeliveryId, AlertEvent, AlertFiring, AlertFiringId, AlertMessage, AlertMessageKind,
    AlertRecipient, AlertRule, BrandId, DeliveryState, FiringScope, MessageEvent, sorted,
};
use store::RuleViewer;

use super::content::RowWriter;
use super::mail_outcomes::ended;
use super::readers::{INVALID_ADDRESS, Reader};
use super::{AlertEmail, AlertEmailRow};
use crate::platform::jobs::{AlertMail, Lease};
use crate::{App, Error};

/// Events that a mail lists; the others are counted.
const MAX_ROWS: usize = 20;

/// Why there is nothing to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unsent {
    /// It was sent or suppressed before, or everything about it was deleted.
    Over,
    /// It is not sent any more, for this reason.
    Suppressed(&'static str),
    /// No mail can be addressed to the recipient.
    InvalidAddress,
}

/// A mail that waits, as it is stored.
struct QueuedMail {
    message: AlertMessage,
    rule: AlertRule,
    recipient: AlertRecipient,
    events: Vec<MessageEvent>,
    firings: Vec<AlertFiring>,
    brand: BrandId,
    brand_name: String,
}

/// What a mail shows.
struct Contents {
    rows: Vec<AlertEmailRow>,
    /// The number of events beyond the rows.
    more: usize,
    /// A PNG and its description.
    chart: Option<(Vec<u8>, String)>,
    /// See [`AlertEmail::replies_to`].
    replies_to: Option<AlertDeliveryId>,
}

#[macros::boxed]
impl App {
    /// Returns the contents of a mail, or `None` if there is no reason left to send it: it was sent, the recipient is gone or has left, or
    /// sees nothing of it. Then the delivery has been marked.
    pub async fn find_alert_email(
        &self,
        lease: &Lease,
        job: &AlertMail,
    ) -> Result<Option<AlertEmail>, Error> {
        let unsent = match self.write_alert_email(lease, job).await? {
            Ok(email) => return Ok(Some(email)),
            Err(unsent) => unsent,
        };
        let scope = self.scope_of(job.brand);
        let mut tx = self.store.begin().await?;
        match unsent {
            Unsent::Over => return Ok(None),
            Unsent::Suppressed(reason) => {
                let outcome = ended(DeliveryState::Suppressed, Some(reason));
                tx.alert_deliveries(&scope).record(job.delivery, &outcome, self.clock.now()).await?;
            }
            Unsent::InvalidAddress => self.refuse_recipient(&mut tx, &scope, job, INVALID_ADDRESS).await?,
        }
        tx.commit().await?;
        Ok(None)
    }
}

impl App {
    async fn write_alert_email(
        &self,
        lease: &Lease,
        job: &AlertMail,
    ) -> Result<Result<AlertEmail, Unsent>, Error> {
        let mail = match self.find_queued_mail(job).await? {
            Ok(mail) => mail,
            Err(unsent) => return Ok(Err(unsent)),
        };
        let reader = match self.find_alert_reader(job.brand, &mail.recipient).await? {
            Ok(reader) => reader,
            Err(INVALID_ADDRESS) => return Ok(Err(Unsent::InvalidAddress)),
            Err(reason) => return Ok(Err(Unsent::Suppressed(reason))),
        };
        let is_test = mail.message.kind == AlertMessageKind::Test;
        let contents = match is_test {
            true => Ok(self.write_test(&reader, &mail, lease.attempt()).await?),
            false => self.write_events(&reader, &mail).await?,
        };
        let Contents { rows, more, chart, replies_to } = match contents {
            Ok(contents) => contents,
            Err(reason) => return Ok(Err(Unsent::Suppressed(reason))),
        };
        let QueuedMail { message, rule, recipient, brand_name, .. } = mail;
        let unsubscribe_token =
            self.sign_unsubscribe_link(job.brand, rule.id, recipient.id, lease.enqueued_at());
        let (chart, chart_description) = chart.unzip();
        Ok(Ok(AlertEmail {
            recipient: reader.address,
            recipient_name: reader.name,
            brand_name,
            language: reader.language,
            rule_name: rule.name,
            rule: rule.id,
            kind: message.kind,
            rows,
            more,
            chart,
            chart_description: chart_description.unwrap_or_default(),
            replies_to,
            unsubscribe_token,
        }))
    }

    async fn find_queued_mail(&self, job: &AlertMail) -> Result<Result<QueuedMail, Unsent>, Error> {
        let scope = self.scope_of(job.brand);
        let mut tx = self.store.read().await?;
        let found = tx.alert_deliveries(&scope).find(job.delivery).await?;
        let queued = found.filter(|found| found.state == DeliveryState::Queued);
        let Some((delivery, message)) = queued.and_then(|queued| queued.message.map(|id| (queued, id)))
        else {
            return Ok(Err(Unsent::Over));
        };
        let Some(message) = tx.alert_messages(&scope).find(message).await? else {
            return Ok(Err(Unsent::Over));
        };
        let found = match delivery.recipient {
            Some(id) => tx.alert_rules(&scope).recipient(id).await?,
            None => None,
        };
        let Some((_, recipient)) = found.filter(|(rule, _)| *rule == message.rule) else {
            return Ok(Err(Unsent::Suppressed("recipient_gone")));
        };
        if recipient.unsubscribed_at.is_some() {
            return Ok(Err(Unsent::Suppressed("unsubscribed")));
        }
        // A stranger who has left one alert of the brand gets no tests of others.
        if let (AlertMessageKind::Test, Some(email)) = (message.kind, &recipient.email)
            && recipient.user.is_none()
            && tx.alert_rules(&scope).has_unsubscribed(&email.to_lowercase()).await?
        {
            return Ok(Err(Unsent::Suppressed("unsubscribed")));
        }
        if recipient.refused_at.is_some() {
            return Ok(Err(Unsent::Suppressed("refused")));
        }
        let Some(rule) = tx.alert_rules(&scope).find(message.rule, RuleViewer::Brand).await? else {
            return Ok(Err(Unsent::Suppressed("alert_deleted")));
        };
        let events = tx.alert_messages(&scope).events(message.id).await?;
        let ids: HashSet<AlertFiringId> = events.iter().map(|event| event.firing).collect();
        let ids: Vec<AlertFiringId> = ids.into_iter().collect();
        let firings = match ids.is_empty() {
            true => Vec::new(),
            false => tx.alert_firings(&scope).among(&ids).await?,
        };
        let brand_name = tx.brand_settings(&scope).await?.values.name.to_string();
        let brand = job.brand;
        Ok(Ok(QueuedMail { message, rule, recipient, events, firings, brand, brand_name }))
    }

    /// Writes the events of a message as far as the reader sees their firings; fails with the reason if that is none.
    async fn write_events(
        &self,
        reader: &Reader,
        mail: &QueuedMail,
    ) -> Result<Result<Contents, &'static str>, Error> {
        let ids: Vec<AlertFiringId> = mail.firings.iter().map(|firing| firing.id).collect();
        if ids.is_empty() {
            return Ok(Err("nothing_left"));
        }
        let seen = self.store.read().await?.visible_firings(&reader.scope).seen(&ids).await?;
        let seen: HashSet<AlertFiringId> = seen.into_iter().collect();
        let firings: HashMap<AlertFiringId, &AlertFiring> =
            mail.firings.iter().map(|firing| (firing.id, firing)).collect();
        let mut shown: Vec<(AlertEvent, &AlertFiring)> = mail
            .events
            .iter()
            .filter(|event| seen.contains(&event.firing))
            .filter_map(|event| Some((event.event, *firings.get(&event.firing)?)))
            .collect();
        sorted::sort_by(&mut shown, by_weight);
        let more = shown.len().saturating_sub(MAX_ROWS);
        let is_only = shown.len() == 1;
        shown.truncate(MAX_ROWS);
        let Some((event, first)) = shown.first() else { return Ok(Err("not_visible")) };
        let replies_to = match (is_only, event) {
            (true, AlertEvent::Cleared) => self.find_first_mail(mail, first.id).await?,
            _ => None,
        };
        let chart = self.chart_for(reader, mail.message.id, &mail.rule, first).await;
        let listed: Vec<AlertFiring> = shown.iter().map(|(_, firing)| (*firing).clone()).collect();
        let labels = self.label_firings(reader.query_scope(), &listed).await?;
        let (language, rule) = (reader.language, &mail.rule);
        let restrictions = self.name_restrictions(reader.query_scope(), language, &listed).await?;
        let rows = shown.iter().zip(&labels).zip(&restrictions).map(|(((event, firing), labels), names)| {
            let writer = RowWriter { language, rule, scope_names: names.as_ref(), is_only };
            writer.event(*event, firing, labels)
        });
        Ok(Ok(Contents { rows: rows.collect(), more, chart, replies_to }))
    }

    /// Returns the delivery of the first mail about a firing to the recipient of a mail, if one was sent.
    async fn find_first_mail(
        &self,
        mail: &QueuedMail,
        firing: AlertFiringId,
    ) -> Result<Option<AlertDeliveryId>, Error> {
        let scope = self.scope_of(mail.brand);
        let deliveries = self.store.read().await?.alert_deliveries(&scope).of_firing(firing).await?;
        let first = deliveries.into_iter().find(|delivery| {
            let is_other = delivery.message != Some(mail.message.id);
            let is_mine = delivery.recipient == Some(mail.recipient.id);
            is_other && is_mine && delivery.state == DeliveryState::Sent
        });
        Ok(first.map(|delivery| delivery.id))
    }

    /// Writes a test, with the value that the alert has now.
    async fn write_test(
        &self,
        reader: &Reader,
        QueuedMail { message, rule, .. }: &QueuedMail,
        attempt: i64,
    ) -> Result<Contents, Error> {
        let measured = self.measure_for_test(message.id, rule, reader.scope.brand(), attempt).await?;
        let (sample, is_example) =
            self.sample_firing(rule, &measured, reader.scope.projects(), &reader.time_zone);
        let chart = match is_example {
            true => None,
            false => self.chart_for(reader, message.id, rule, &sample).await,
        };
        let labels = self.label_firings(reader.query_scope(), std::slice::from_ref(&sample)).await?;
        let labels = labels.into_iter().next().unwrap_or_default();
        let now = FiringScope { scope: rule.terms.scope.clone(), split_by: rule.terms.split_by };
        let names = self.name_restriction(reader.query_scope(), reader.language, now).await?;
        let writer = RowWriter { language: reader.language, rule, scope_names: Some(&names), is_only: true };
        let row = writer.test(&sample, &labels, is_example);
        Ok(Contents { rows: vec![row], more: 0, chart, replies_to: None })
    }
}

/// Sorts alarms before clearings, and those first that are furthest beyond the threshold.
fn by_weight(
    (one_event, one): &(AlertEvent, &AlertFiring),
    (other_event, other): &(AlertEvent, &AlertFiring),
) -> Ordering {
    let by_value = match one.comparison {
        AlertComparison::Above => other.value().as_f64().total_cmp(&one.value().as_f64()),
        AlertComparison::Below => one.value().as_f64().total_cmp(&other.value().as_f64()),
    };
    // A rule can have measured something else before.
    let is_same = (one.metric, one.comparison) == (other.metric, other.comparison);
    let by_value = if is_same { by_value } else { Ordering::Equal };
    let is_cleared = |event: AlertEvent| event == AlertEvent::Cleared;
    is_cleared(*one_event).cmp(&is_cleared(*other_event)).then(by_value).then(one.id.cmp(&other.id))
}

#[cfg(test)]
mod tests {
    use domain::{AlertMetric, AlertSplit};

    use super::super::content::tests::{firing, rule};
    use super::*;

    #[test]
    fn the_worst_alarm_comes_first_and_clearings_last() {
        let sorted = |metric: AlertMetric| -> Vec<i64> {
            let rule = rule(metric, AlertSplit::Machine);
            let of = |id: i64, value: i64| AlertFiring { id: AlertFiringId(id), ..firing(&rule, value, 1) };
            let firings = [of(1, 18), of(2, 90), of(3, 39), of(4, 90), of(5, 99)];
            let mut events: Vec<(AlertEvent, &AlertFiring)> =
                firings.iter().map(|firing| (AlertEvent::Fired, firing)).collect();
            events[4].0 = AlertEvent::Cleared;
            events.sort_by(by_weight);
            events.iter().map(|(_, firing)| firing.id.0).collect()
        };
        assert_eq!(sorted(AlertMetric::TagTestOverdue), [2, 4, 3, 1, 5]);
        assert_eq!(sorted(AlertMetric::TagBatteryLow), [1, 3, 2, 4, 5]);
    }
}
