//! Notifies a user by mail about a change of their sign-in.

use std::sync::Arc;

use app::NoticeEmail;
use app::jobs::{AccountNotice, Lease};
use mail::{Email, SendError, format_time};

use crate::{Context, Outcome};

/// Sends the mail, then records that and finishes the job in one transaction.
pub async fn run(context: Arc<Context>, lease: Lease) -> Outcome {
    let job: AccountNotice = match lease.payload() {
        Ok(job) => job,
        Err(error) => return Outcome::fail(error),
    };
    let email = match context.app.find_notice_email(&job).await {
        Ok(Some(letter)) => letter,
        Ok(None) => return Outcome::Done,
        Err(error) => return Outcome::retry(error),
    };
    let sent = match message(&context, &lease, &email) {
        Ok(message) => context.mailer.send(&message).await,
        Err(error) => Err(error),
    };
    // Mail servers often repeat the address in their errors; it does not belong in the log or in the rows of jobs.
    let mask_recipient = |reason: &str| reason.replace(email.recipient.as_str(), "…");
    match sent {
        Ok(()) => {}
        Err(SendError::Transient(reason)) => return Outcome::retry(mask_recipient(&reason)),
        Err(SendError::Permanent(reason)) => return Outcome::fail(mask_recipient(&reason)),
    }
    match context.app.record_notice_sent(&lease, &job).await {
        Ok(standing) => Outcome::FinishedInTransaction(standing),
        Err(error) => Outcome::retry(error),
    }
}

fn message(context: &Context, lease: &Lease, email: &NoticeEmail) -> Result<Email, SendError> {
    let (name, brand) = (email.recipient_name.as_str().to_owned(), email.brand_name.clone());
    let language = email.language;
    let at = format_time(lease.enqueued_at(), &email.time_zone, language);
    let mail = mail::AccountNotice { language, name, brand, change: email.change, at };
    let (id, date) = (context.message_id(lease), lease.enqueued_at());
    Email::new(id, email.recipient.clone(), email.recipient_name.clone(), date, &mail)
}
