//! Mails the report of a schedule to one recipient.

use std::sync::Arc;

use app::jobs::{Lease, ReportMail};
use app::{Delivery, ReportEmail};
use domain::Name;
use mail::{Attachment, Email, ReportLink, ScheduledReport, SendError, format_time};

use crate::{Context, Outcome};

/// Sends the mail, then records that and finishes the job in one transaction. If the process dies in between, the same mail is sent again
/// with the same message id.
pub async fn run(context: Arc<Context>, lease: Lease) -> Outcome {
    let job: ReportMail = match lease.payload() {
        Ok(job) => job,
        Err(error) => return Outcome::fail(error),
    };
    let email = match context.app.find_report_email(&job, lease.enqueued_at()).await {
        Ok(Some(email)) => email,
        Ok(None) => return Outcome::Done,
        Err(error) => return Outcome::retry(error),
    };
    // Mail servers often repeat the address in their errors; it does not belong in the log or in the rows of jobs.
    let recipient = email.recipient.clone();
    let mask_recipient = |reason: &str| reason.replace(recipient.as_str(), "…");
    let sent = match message(&context, &lease, email) {
        Ok(message) => context.mailer.send(&message).await,
        Err(error) => Err(error),
    };
    match sent {
        Ok(()) => {}
        Err(SendError::Transient(reason)) => return Outcome::retry(mask_recipient(&reason)),
        Err(SendError::Permanent(reason)) => return Outcome::fail(mask_recipient(&reason)),
    }
    match context.app.record_report_email_sent(&lease, &job).await {
        Ok(lease_status) => Outcome::FinishedInTransaction(lease_status),
        Err(error) => Outcome::retry(error),
    }
}

fn message(context: &Context, lease: &Lease, email: ReportEmail) -> Result<Email, SendError> {
    let (attachment, link) = match email.delivery {
        Delivery::Attached { file_name, content_type, bytes } => {
            (Some(Attachment { name: file_name, content_type, bytes }), None)
        }
        Delivery::Linked { token, size_bytes, expires_at } => {
            let address = format!("{}/links/reports/{token}", context.base_url);
            let until = format_time(expires_at, &email.time_zone, email.language);
            (None, Some(ReportLink { address, size_bytes, until }))
        }
    };
    let mail = ScheduledReport {
        language: email.language,
        name: email.recipient_name.as_ref().map(|name| name.as_str().to_owned()),
        brand: email.brand_name,
        schedule: email.schedule_name,
        author: email.author_name,
        author_email: email.author_email,
        title: email.report_title,
        period: email.period,
        link,
    };
    let name = match email.recipient_name {
        Some(name) => name,
        None => name_of_address(email.recipient.as_str())?,
    };
    let (id, date) = (context.message_id(lease), lease.enqueued_at());
    let message = Email::new(id, email.recipient, name, date, &mail)?;
    Ok(match attachment {
        Some(attachment) => message.with_attachment(attachment),
        None => message,
    })
}

/// Returns what stands beside the address of someone who is not known: what is before the `@`.
fn name_of_address(address: &str) -> Result<Name, SendError> {
    let local = address.split('@').next().unwrap_or_default();
    let short: String = local.chars().take(Name::MAX_CHARS).collect();
    Name::parse(&short).map_err(|invalid| SendError::Permanent(invalid.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_recipient_is_called_as_the_address_begins() {
        let name = |address: &str| name_of_address(address).map(|name| name.to_string()).ok();
        assert_eq!(name("ada.lovelace@example.com").as_deref(), Some("ada.lovelace"));
        let long = format!("{}@example.com", "x".repeat(200));
        assert_eq!(name(&long).map(|name| name.len()), Some(Name::MAX_CHARS));
    }
}
