//! Tells the author of a schedule by mail that a run failed.

use std::sync::Arc;

use app::RunFailureEmail;
use app::jobs::{Lease, RunFailureMail};
use mail::{Email, FailedRun, SendError, format_time};

use crate::{Context, Outcome};

/// Sends the mail, then records that and finishes the job in one transaction.
pub async fn run(context: Arc<Context>, lease: Lease) -> Outcome {
    let job: RunFailureMail = match lease.payload() {
        Ok(job) => job,
        Err(error) => return Outcome::fail(error),
    };
    let email = match context.app.find_run_failure_email(&job).await {
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
    match context.app.record_run_failure_email_sent(&lease, &job).await {
        Ok(lease_status) => Outcome::FinishedInTransaction(lease_status),
        Err(error) => Outcome::retry(error),
    }
}

fn message(context: &Context, lease: &Lease, email: RunFailureEmail) -> Result<Email, SendError> {
    let language = email.language;
    let mail = FailedRun {
        language,
        name: email.recipient_name.as_str().to_owned(),
        brand: email.brand_name,
        schedule: email.schedule_name,
        title: email.report_title,
        period: email.period,
        reason: email.reason,
        next: email.next_run_at.map(|at| format_time(at, &email.time_zone, language)),
    };
    let (id, date) = (context.message_id(lease), lease.enqueued_at());
    Email::new(id, email.recipient, email.recipient_name, date, &mail)
}
