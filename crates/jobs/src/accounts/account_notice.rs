//! Mails a user what was changed about their sign-in.

use std::sync::Arc;

use app::NoticeLetter;
use app::jobs::{AccountNotice, Lease};
use mail::{Message, SendError, moment};

use crate::{Context, Outcome};

/// Sends the mail, then writes that down and ends the job in one transaction.
pub async fn run(context: Arc<Context>, lease: Lease) -> Outcome {
    let job: AccountNotice = match lease.payload() {
        Ok(job) => job,
        Err(error) => return Outcome::fail(error),
    };
    let letter = match context.app.notice_letter(&job).await {
        Ok(Some(letter)) => letter,
        Ok(None) => return Outcome::Done,
        Err(error) => return Outcome::retry(error),
    };
    let sent = match message(&context, &lease, &letter) {
        Ok(message) => context.mailer.send(&message).await,
        Err(error) => Err(error),
    };
    // Servers like to repeat the address; the log and the jobs' rows need not know it.
    let masked = |reason: &str| reason.replace(letter.email.as_str(), "…");
    match sent {
        Ok(()) => {}
        Err(SendError::Transient(reason)) => return Outcome::retry(masked(&reason)),
        Err(SendError::Permanent(reason)) => return Outcome::fail(masked(&reason)),
    }
    match context.app.notice_sent(&lease, &job).await {
        Ok(standing) => Outcome::Finished(standing),
        Err(error) => Outcome::retry(error),
    }
}

fn message(context: &Context, lease: &Lease, letter: &NoticeLetter) -> Result<Message, SendError> {
    let (name, brand) = (letter.name.as_str().to_owned(), letter.brand_name.clone());
    let at = moment(lease.enqueued_at(), &letter.time_zone);
    let mail = mail::AccountNotice { name, brand, change: letter.change, at };
    let (id, date) = (context.message_id(lease), lease.enqueued_at());
    Message::new(id, letter.email.clone(), letter.name.clone(), date, &mail)
}
