//! Makes one attempt to call a webhook.

use std::sync::Arc;

use app::jobs::{Lease, WebhookCallJob};
use webhooks::CallError;

use crate::{Context, Outcome};

/// Makes the call, then records its outcome, enqueues the next attempt if it failed, and finishes the job, in one transaction. If the
/// process dies in between, the same event is sent again with the same id. While the receiver does not answer other calls, this one waits.
pub async fn run(context: Arc<Context>, lease: Lease) -> Outcome {
    let job: WebhookCallJob = match lease.payload() {
        Ok(job) => job,
        Err(error) => return Outcome::fail(error),
    };
    let permit = match context.app.admit_webhook_call(&lease, &job).await {
        Ok(Ok(permit)) => permit,
        Ok(Err(lease_status)) => return Outcome::FinishedInTransaction(lease_status),
        Err(error) => return Outcome::retry(error),
    };
    let call = match context.app.prepare_webhook_call(&job).await {
        Ok(Some(call)) => call,
        Ok(None) => return Outcome::Done,
        Err(error) => return Outcome::retry(error),
    };
    let called = context.webhooks.post(&call.url, &call.headers, call.body).await;
    if let Some(permit) = permit {
        permit.record(called == Err(CallError::TimedOut), context.app.clock.now());
    }
    let outcome = called.map_err(|error| {
        tracing::info!("delivery {} of brand {} was not taken: {error}", job.delivery, job.brand);
        error.reason()
    });
    match context.app.record_webhook_call(&lease, &job, outcome).await {
        Ok(lease_status) => Outcome::FinishedInTransaction(lease_status),
        Err(error) => Outcome::retry(error),
    }
}
