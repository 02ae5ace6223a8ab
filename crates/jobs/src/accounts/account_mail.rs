//! Mails a link to the user it was made for.

use std::sync::Arc;

use app::AccountLetter;
use app::jobs::{AccountMail, Lease};
use domain::LinkPurpose;
use mail::{AddressInUse, Invitation, Message, PasswordReset, SendError, moment};

use crate::{Context, Outcome};

/// Sends the mail, then writes that down and ends the job in one transaction. If the process dies in between, the mail is
/// sent again: the same bytes under the same id.
pub async fn run(context: Arc<Context>, lease: Lease) -> Outcome {
    let job: AccountMail = match lease.payload() {
        Ok(job) => job,
        Err(error) => return Outcome::fail(error),
    };
    let letter = match context.app.account_letter(job.link).await {
        Ok(Some(letter)) => letter,
        Ok(None) => return Outcome::Done,
        Err(error) => return Outcome::retry(error),
    };
    let sent = match message(&context, &lease, &letter) {
        Ok(message) => context.mailer.send(&message).await,
        Err(error) => Err(error),
    };
    match sent {
        Ok(()) => {}
        Err(SendError::Transient(reason)) => return Outcome::retry(masked(&reason, &letter)),
        Err(SendError::Permanent(reason)) => return Outcome::fail(masked(&reason, &letter)),
    }
    match context.app.account_letter_sent(&lease, &letter).await {
        Ok(standing) => Outcome::Finished(standing),
        Err(error) => Outcome::retry(error),
    }
}

fn message(context: &Context, lease: &Lease, letter: &AccountLetter) -> Result<Message, SendError> {
    let link = |page: &str| format!("{}/account/{page}/{}", context.base_url, letter.secret);
    let until = moment(letter.until, &letter.time_zone);
    let (name, brand) = (letter.name.as_str().to_owned(), letter.brand_name.clone());
    let (id, date) = (context.message_id(lease), lease.enqueued_at());
    let (to, to_name) = (letter.email.clone(), letter.name.clone());
    match letter.link.purpose {
        LinkPurpose::Invitation if letter.email_is_taken => {
            let mail = AddressInUse { name, inviter: letter.sender.clone(), brand };
            Message::new(id, to, to_name, date, &mail)
        }
        LinkPurpose::Invitation => {
            let (inviter, role) = (letter.sender.clone(), letter.role);
            let mail = Invitation { name, inviter, brand, role, link: link("invitations"), until };
            Message::new(id, to, to_name, date, &mail)
        }
        LinkPurpose::PasswordReset => {
            let mail = PasswordReset { name, brand, link: link("password_resets"), until };
            Message::new(id, to, to_name, date, &mail)
        }
    }
}

/// Servers like to repeat the address; the log and the jobs' rows need not know it.
fn masked(reason: &str, letter: &AccountLetter) -> String {
    reason.replace(letter.email.as_str(), "…")
}
