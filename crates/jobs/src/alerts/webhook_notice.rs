//! Notifies an admin by mail that a webhook was disabled.

use std::sync::Arc;

use app::WebhookNoticeEmail;
use app::jobs::{Lease, WebhookNotice};
use mail::{Email, SendError, WebhookDisabled};

use crate::{Context, Outcome};

/// Sends the mail. If the process dies before the job is marked as done, the same mail is sent again with the same message id.
pub async fn run(context: Arc<Context>, lease: Lease) -> Outcome {
    let job: WebhookNotice = match lease.payload() {
        Ok(job) => job,
        Err(error) => return Outcome::fail(error),
    };
    let email = match context.app.find_webhook_notice(&job).await {
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
        Ok(()) => Outcome::Done,
        Err(SendError::Transient(reason)) => Outcome::retry(mask_recipient(&reason)),
        Err(SendError::Permanent(reason)) => Outcome::fail(mask_recipient(&reason)),
    }
}

fn message(context: &Context, lease: &Lease, email: WebhookNoticeEmail) -> Result<Email, SendError> {
    let mail = WebhookDisabled {
        language: email.language,
        name: email.recipient_name.as_str().to_owned(),
        brand: email.brand_name,
        webhook: email.webhook_name,
        host: email.host,
        reason: email.reason,
        since: email.since,
    };
    let (id, date) = (context.message_id(lease), lease.enqueued_at());
    Email::new(id, email.recipient, email.recipient_name, date, &mail)
}
