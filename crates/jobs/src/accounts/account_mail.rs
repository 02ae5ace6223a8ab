//! Mails an account link to its user.

use std::sync::Arc;

use app::AccountEmail;
use app::jobs::{AccountMail, Lease};
use domain::LinkPurpose;
use mail::{AddressInUse, Email, Invitation, PasswordReset, SendError, format_time};

use crate::{Context, Outcome};

/// Sends the mail, then records that and finishes the job in one transaction. If the process dies in between, the same mail is sent again
/// with the same message id.
pub async fn run(context: Arc<Context>, lease: Lease) -> Outcome {
    let job: AccountMail = match lease.payload() {
        Ok(job) => job,
        Err(error) => return Outcome::fail(error),
    };
    let email = match context.app.find_account_email(job.link).await {
        Ok(Some(letter)) => letter,
        Ok(None) => return Outcome::Done,
        Err(error) => return Outcome::retry(error),
    };
    let sent = match message(&context, &lease, &email) {
        Ok(message) => context.mailer.send(&message).await,
        Err(error) => Err(error),
    };
    match sent {
        Ok(()) => {}
        Err(SendError::Transient(reason)) => return Outcome::retry(mask_recipient(&reason, &email)),
        Err(SendError::Permanent(reason)) => return Outcome::fail(mask_recipient(&reason, &email)),
    }
    match context.app.record_account_email_sent(&lease, &email).await {
        Ok(lease_status) => Outcome::FinishedInTransaction(lease_status),
        Err(error) => Outcome::retry(error),
    }
}

fn message(context: &Context, lease: &Lease, email: &AccountEmail) -> Result<Email, SendError> {
    let link = |page: &str| format!("{}/{page}/{}", context.base_url, email.secret);
    let language = email.language;
    let until = format_time(email.expires_at, &email.time_zone, language);
    let (name, brand) = (email.recipient_name.as_str().to_owned(), email.brand_name.clone());
    let (id, date) = (context.message_id(lease), lease.enqueued_at());
    let (to, to_name) = (email.recipient.clone(), email.recipient_name.clone());
    match email.link.purpose {
        LinkPurpose::Invitation if email.email_is_taken => {
            let mail = AddressInUse { language, name, inviter: email.sender.clone(), brand };
            Email::new(id, to, to_name, date, &mail)
        }
        LinkPurpose::Invitation => {
            let (inviter, role) = (email.sender.clone(), email.role);
            let mail = Invitation { language, name, inviter, brand, role, link: link("invitations"), until };
            Email::new(id, to, to_name, date, &mail)
        }
        LinkPurpose::PasswordReset => {
            let mail = PasswordReset { language, name, brand, link: link("password-resets"), until };
            Email::new(id, to, to_name, date, &mail)
        }
    }
}

/// Mail servers often repeat the address in their errors; it does not belong in the log or in the rows of jobs.
fn mask_recipient(reason: &str, email: &AccountEmail) -> String {
    reason.replace(email.recipient.as_str(), "…")
}
