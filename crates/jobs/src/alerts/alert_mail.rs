//! Mails what an alert says to one recipient.

use std::sync::Arc;

use app::jobs::{AlertMail, Lease};
use app::{AlertEmail, AlertEmailRow};
use domain::{AlertEvent, AlertMessageKind, Name};
use mail::{Alert, AlertChart, AlertMailKind, AlertRow, Email, InlineImage, SendError};

use crate::{Context, Outcome};

/// The reason of a refusal without a status of the server: no message can be addressed to the recipient.
const INVALID_ADDRESS: &str = "invalid_address";

/// The reasons of deliveries that wait or have failed.
const SERVER_AWAY: &str = "mail_server_unavailable";
const SERVER_REFUSES: &str = "mail_server_refused";
const NOT_WRITABLE: &str = "cannot_be_written";

/// What follows from an attempt.
#[derive(Debug, PartialEq, Eq)]
enum Sending {
    Sent,
    /// The recipient is refused for good, with this status or word.
    Refused(String),
    /// The message itself cannot be sent.
    Failed,
    /// It is tried again later, for this reason.
    Delayed(&'static str),
}

/// Sends the mail, then records that and finishes the job in one transaction. If the process dies in between, the same mail is sent again
/// with the same message id. A recipient whom the server refuses for good is recorded, and the job is done.
pub async fn run(context: Arc<Context>, lease: Lease) -> Outcome {
    let job: AlertMail = match lease.payload() {
        Ok(job) => job,
        Err(error) => return Outcome::fail(error),
    };
    let email = match context.app.find_alert_email(&lease, &job).await {
        Ok(Some(email)) => email,
        Ok(None) => return Outcome::Done,
        Err(error) => return Outcome::retry(error),
    };
    // Mail servers often repeat the address in their errors; it does not belong in the log or in the rows of jobs.
    let recipient = email.recipient.clone();
    let (sending, reason) = send(&context, (&lease, &job), email).await;
    if let Some(reason) = reason {
        tracing::warn!("delivery {} was not sent: {}", job.delivery, reason.replace(recipient.as_str(), "…"));
    }
    let recorded = match &sending {
        Sending::Sent => context.app.record_alert_email_sent(&lease, &job).await,
        Sending::Refused(status) => context.app.record_alert_email_refused(&lease, &job, status).await,
        Sending::Failed => context.app.record_alert_email_failed(&lease, &job, NOT_WRITABLE).await,
        Sending::Delayed(reason) => context.app.record_alert_email_delayed(&lease, &job, reason).await,
    };
    match recorded {
        Ok(lease_status) => Outcome::FinishedInTransaction(lease_status),
        Err(error) => Outcome::retry(error),
    }
}

/// Makes an attempt, and returns what follows from it, with the reason for the log if it failed.
async fn send(context: &Context, of: (&Lease, &AlertMail), email: AlertEmail) -> (Sending, Option<String>) {
    let name = email.recipient_name.clone().or_else(|| name_of_address(email.recipient.as_str()));
    let Some(name) = name else {
        return (Sending::Refused(INVALID_ADDRESS.to_owned()), Some("it cannot be addressed".to_owned()));
    };
    let message = match message(context, of, email, name) {
        Ok(message) => message,
        Err(error) => return (Sending::Failed, Some(error.to_string())),
    };
    match context.mailer.send(&message).await {
        Ok(()) => (Sending::Sent, None),
        Err(SendError::Transient(reason)) => (Sending::Delayed(SERVER_AWAY), Some(reason)),
        Err(SendError::Permanent(reason)) => (after_refusal(&message, &reason), Some(reason)),
    }
}

/// Returns what follows from a permanent error.
fn after_refusal(message: &Email, reason: &str) -> Sending {
    match refusal_of_recipient(message, reason) {
        Some(refusal) => Sending::Refused(refusal),
        // The operator of either side can fix what the server says, so that the recipient still learns of the alarm.
        None if status_and_text(reason).is_some() => Sending::Delayed(SERVER_REFUSES),
        None => Sending::Failed,
    }
}

/// Returns the status, or a word, if a permanent refusal concerns the recipient: a mailbox that does not exist or takes no mail. What the
/// server refuses for other reasons, such as the sender, a missing login or a policy, is not the recipient's fault.
fn refusal_of_recipient(message: &Email, reason: &str) -> Option<String> {
    let Some((status, text)) = status_and_text(reason) else {
        // Not every server takes addresses that are not ASCII.
        let can_be_addressed = message.has_valid_recipient() && message.to.as_str().is_ascii();
        return (!can_be_addressed).then(|| INVALID_ADDRESS.to_owned());
    };
    // RFC 5321 section 4.2.3, and RFC 7504 for hosts and domains that take no mail at all.
    let concerns_mailbox = matches!(status, 550..=554 | 521 | 556);
    // RFC 3463: 5.1 is about addresses, of which 7 and 8 are the sender's, 5.2 about mailboxes, 5.4 about routes to them.
    let is_fault_of_recipient = match enhanced_status(text) {
        Some((1, detail)) => !matches!(detail, 7 | 8),
        Some((subject, _)) => matches!(subject, 0 | 2 | 4),
        None => true,
    };
    (concerns_mailbox && is_fault_of_recipient).then(|| status.to_string())
}

/// Splits what the mailer says of a refusal, such as `permanent error (550): no such user`.
fn status_and_text(reason: &str) -> Option<(u16, &str)> {
    let (_, rest) = reason.split_once('(')?;
    let (status, text) = rest.split_once(')')?;
    Some((status.parse().ok()?, text.trim_start_matches([':', ' '])))
}

/// Returns the subject and the detail of an enhanced status at the beginning of a text, such as `5.1.1 no such user`.
fn enhanced_status(text: &str) -> Option<(u16, u16)> {
    let code = text.split_whitespace().next()?;
    let (subject, detail) = code.strip_prefix("5.")?.split_once('.')?;
    Some((subject.parse().ok()?, detail.parse().ok()?))
}

fn message(
    context: &Context,
    (lease, job): (&Lease, &AlertMail),
    email: AlertEmail,
    name: Name,
) -> Result<Email, SendError> {
    let (id, date) = (context.alert_message_id(job.delivery), lease.enqueued_at());
    let chart_id = id.part("chart");
    let description = email.chart_description;
    let unsubscribe = format!("{}/links/alerts/{}", context.base_url, email.unsubscribe_token);
    let mail = Alert {
        language: email.language,
        name: email.recipient_name.as_ref().map(|name| name.as_str().to_owned()),
        brand: email.brand_name,
        rule: email.rule_name,
        kind: kind(email.kind, &email.rows),
        rows: email.rows.into_iter().map(|row| shape_row(&context.base_url, row)).collect(),
        more: email.more,
        chart: email.chart.as_ref().map(|_| AlertChart { id: chart_id.clone(), description }),
        rule_link: format!("{}/alerts/{}", context.base_url, email.rule),
        unsubscribe: Some(unsubscribe.clone()),
    };
    let mut message = Email::new(id, email.recipient, name, date, &mail)?;
    if let Some(bytes) = email.chart {
        message = message.with_image(InlineImage { id: chart_id, content_type: "image/png", bytes });
    }
    if let Some(first) = email.replies_to {
        message = message.in_reply_to(context.alert_message_id(first));
    }
    Ok(message.with_unsubscribe(unsubscribe))
}

fn kind(kind: AlertMessageKind, rows: &[AlertEmailRow]) -> AlertMailKind {
    let is_cleared = rows.iter().all(|row| row.event == AlertEvent::Cleared);
    match kind {
        AlertMessageKind::Single if is_cleared => AlertMailKind::Cleared,
        AlertMessageKind::Single => AlertMailKind::Fired,
        AlertMessageKind::Held => AlertMailKind::Held,
        AlertMessageKind::Digest => AlertMailKind::Digest,
        AlertMessageKind::Test => AlertMailKind::Test,
    }
}

fn shape_row(base_url: &str, row: AlertEmailRow) -> AlertRow {
    AlertRow {
        severity: row.severity.as_str(),
        is_cleared: row.event == AlertEvent::Cleared,
        headline: row.headline,
        facts: row.facts,
        links: row.links.into_iter().map(|(text, path)| (text, format!("{base_url}{path}"))).collect(),
    }
}

/// Returns what stands beside a plain address: what is before the `@`. None if nobody could read that.
fn name_of_address(address: &str) -> Option<Name> {
    let local = address.split('@').next().unwrap_or_default();
    let short: String = local.chars().take(Name::MAX_CHARS).collect();
    Name::parse(&short).ok()
}

#[cfg(test)]
mod tests {
    use domain::{EmailAddress, Timestamp};
    use mail::MessageId;

    use super::*;

    fn email_to(address: &str) -> Email {
        Email {
            id: MessageId::new("7.store", "safety.example.com"),
            to: EmailAddress::parse_stored(address).unwrap(),
            name: Name::parse("Ada").unwrap(),
            date: Timestamp::from_seconds(1_772_366_430),
            subject: "Warning".to_owned(),
            text: String::new(),
            html: String::new(),
            attachments: Vec::new(),
            images: Vec::new(),
            in_reply_to: None,
            unsubscribe: None,
        }
    }

    #[test]
    fn only_what_concerns_the_recipient_is_a_refusal() {
        for (reason, refusal) in [
            ("permanent error (550): no such user", Some("550")),
            ("permanent error (550): 5.1.1 no such user (really)", Some("550")),
            ("permanent error (551): 5.1.6 moved", Some("551")),
            ("permanent error (552): 5.2.2 mailbox full", Some("552")),
            ("permanent error (554): no", Some("554")),
            ("permanent error (556): 5.1.10 null MX", Some("556")),
            ("permanent error (550): 5.4.4 unable to route", Some("550")),
            // The sender, a login, a policy, the conversation.
            ("permanent error (550): 5.1.8 sender rejected", None),
            ("permanent error (550): 5.7.1 relaying denied", None),
            ("permanent error (554): 5.7.26 DMARC", None),
            ("permanent error (530): 5.7.0 authentication required", None),
            ("permanent error (535): wrong password", None),
            ("permanent error (503): bad sequence", None),
            ("the subject contains control characters", None),
        ] {
            let refused = refusal_of_recipient(&email_to("ada@example.com"), reason);
            assert_eq!(refused.as_deref(), refusal, "{reason}");
        }
        for address in ["a..b@exa_mple.com", "a@[127.0.0.1]", "søren@example.com"] {
            let refused = refusal_of_recipient(&email_to(address), "not a valid address (for mail)");
            assert_eq!(refused.as_deref(), Some(INVALID_ADDRESS), "{address}");
        }
    }

    #[test]
    fn only_what_the_server_says_is_tried_again() {
        let after = |reason: &str| after_refusal(&email_to("ada@example.com"), reason);
        assert_eq!(after("permanent error (550): 5.1.1 no"), Sending::Refused("550".to_owned()));
        assert_eq!(after("permanent error (550): 5.7.1 relaying denied"), Sending::Delayed(SERVER_REFUSES));
        assert_eq!(after("the subject contains control characters"), Sending::Failed);
    }

    #[test]
    fn a_mail_about_clearings_only_says_so() {
        let row = |event: AlertEvent| AlertEmailRow {
            event,
            severity: domain::AlertSeverity::Critical,
            firing: None,
            headline: "12 incursions".to_owned(),
            facts: Vec::new(),
            links: vec![("Open".to_owned(), "/alerts/3".to_owned())],
        };
        let (fired, cleared) = (row(AlertEvent::Fired), row(AlertEvent::Cleared));
        let single = AlertMessageKind::Single;
        assert_eq!(kind(single, std::slice::from_ref(&fired)), AlertMailKind::Fired);
        assert_eq!(kind(single, std::slice::from_ref(&cleared)), AlertMailKind::Cleared);
        assert_eq!(kind(AlertMessageKind::Digest, std::slice::from_ref(&cleared)), AlertMailKind::Digest);
        let shaped = shape_row("https://safety.example.com", cleared);
        assert!(shaped.is_cleared && shaped.severity == "critical");
        assert_eq!(shaped.links[0].1, "https://safety.example.com/alerts/3");
    }

    #[test]
    fn a_plain_address_is_called_as_it_begins() {
        let name = |address: &str| name_of_address(address).map(|name| name.to_string());
        assert_eq!(name("ada.lovelace@example.com").as_deref(), Some("ada.lovelace"));
        assert_eq!(name("\u{200b}@example.com"), None);
        let long = format!("{}@example.com", "x".repeat(200));
        assert_eq!(name(&long).map(|name| name.len()), Some(Name::MAX_CHARS));
    }
}
