//! Makes a report: its figures and its file.

use std::sync::Arc;

use app::jobs::{AttemptEnd, Lease, ReportBuild};
use app::{Error, ErrorKind};

use crate::{Context, Outcome};

/// Maximum number of attempts before the report fails; fewer than for other jobs, because a user is waiting.
const MAX_ATTEMPTS: i64 = 4;

/// Makes the report. Figures that an earlier attempt has stored are used; a file of an earlier attempt was never visible.
pub async fn run(context: Arc<Context>, lease: Lease) -> Outcome {
    let job: ReportBuild = match lease.payload() {
        Ok(job) => job,
        Err(error) => return Outcome::fail(error),
    };
    let error = match context.app.build_report(&lease, &job).await {
        Ok(AttemptEnd::Finished(standing)) => return Outcome::FinishedInTransaction(standing),
        Ok(AttemptEnd::Superseded) => return Outcome::Repeat,
        Err(error) if error.code == Error::HISTORY_LOADING => return Outcome::Wait,
        Err(error) if lease.attempt() < MAX_ATTEMPTS => return Outcome::retry(error),
        // A full disk or an unreachable store is not a fault of the report, so that it is retried as often as any job. A busy service
        // may be the reason why one attempt takes too long, but hardly of all.
        Err(error) if error.kind == ErrorKind::Unavailable && error.code != "took_too_long" => {
            return Outcome::retry(error);
        }
        Err(error) => error,
    };
    tracing::error!("report {} failed permanently: {error}", job.report);
    match context.app.fail_report(&lease, &job, error.code).await {
        Ok(standing) => Outcome::FinishedInTransaction(standing),
        Err(error) => Outcome::retry(error),
    }
}
