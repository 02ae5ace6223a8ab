//! Answers someone who asked for a new password.

use std::sync::Arc;

use app::jobs::{Lease, PasswordResetRequest};

use crate::{Context, Outcome};

/// Makes the link and enqueues its mail, if there is such an account, and ends the job in one transaction.
pub async fn run(context: Arc<Context>, lease: Lease) -> Outcome {
    let request: PasswordResetRequest = match lease.payload() {
        Ok(request) => request,
        Err(error) => return Outcome::fail(error),
    };
    match context.app.answer_password_reset(&lease, &request).await {
        Ok(standing) => Outcome::Finished(standing),
        Err(error) => Outcome::retry(error),
    }
}
