//! Runs a slot of a schedule that could not be run when it was due.

use std::sync::Arc;

use app::jobs::{Lease, ReportSlot};

use crate::{Context, Outcome};

/// Maximum number of attempts before the run fails; fewer than for other jobs, because recipients are waiting.
const MAX_ATTEMPTS: i64 = 6;

/// Requests the report of the slot, in the transaction that finishes the job.
pub async fn run(context: Arc<Context>, lease: Lease) -> Outcome {
    let job: ReportSlot = match lease.payload() {
        Ok(job) => job,
        Err(error) => return Outcome::fail(error),
    };
    let error = match context.app.run_missed_slot(&lease, &job).await {
        Ok(lease_status) => return Outcome::FinishedInTransaction(lease_status),
        Err(error) if lease.attempt() < MAX_ATTEMPTS => return Outcome::retry(error),
        Err(error) => error,
    };
    tracing::error!("a slot of report schedule {} is given up: {error}", job.schedule);
    match context.app.give_up_slot(&lease, &job, error.code).await {
        Ok(lease_status) => Outcome::FinishedInTransaction(lease_status),
        Err(error) => Outcome::retry(error),
    }
}
