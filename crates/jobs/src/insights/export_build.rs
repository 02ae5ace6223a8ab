//! Generates the file of an export.

use std::sync::Arc;

use app::jobs::{ExportBuild, Lease};
use app::{Error, ErrorKind};

use crate::{Context, Outcome};

/// Maximum number of attempts before the export fails; fewer than for other jobs, because a user is waiting.
const MAX_ATTEMPTS: i64 = 4;

/// Generates the file from its first row. The file of an earlier attempt was never visible and is removed.
pub async fn run(context: Arc<Context>, lease: Lease) -> Outcome {
    let job: ExportBuild = match lease.payload() {
        Ok(job) => job,
        Err(error) => return Outcome::fail(error),
    };
    let error = match context.app.generate_export(&lease, &job).await {
        Ok(standing) => return Outcome::FinishedInTransaction(standing),
        Err(error) if error.code == Error::HISTORY_LOADING => return Outcome::Wait,
        Err(error) if lease.attempt() < MAX_ATTEMPTS => return Outcome::retry(error),
        // A full disk or an unreachable store is not a fault of the export, so that it is retried as often as any job.
        Err(error) if error.kind == ErrorKind::Unavailable => return Outcome::retry(error),
        Err(error) => error,
    };
    tracing::error!("export {} failed permanently: {error}", job.export);
    match context.app.fail_export(&lease, &job, error.code).await {
        Ok(standing) => Outcome::FinishedInTransaction(standing),
        Err(error) => Outcome::retry(error),
    }
}
