//! Makes the file of an export.

use std::sync::Arc;

use app::ErrorKind;
use app::jobs::{ExportBuild, Lease};

use crate::{Context, Outcome};

/// How often it is begun before whoever asked is told that it failed: they wait for it.
const MAX_ATTEMPTS: i64 = 4;

/// Makes it from its first row on. What an attempt before wrote was never seen, and is cleared away.
pub async fn run(context: Arc<Context>, lease: Lease) -> Outcome {
    let job: ExportBuild = match lease.payload() {
        Ok(job) => job,
        Err(error) => return Outcome::fail(error),
    };
    let error = match context.app.generate_export(&lease, &job).await {
        Ok(standing) => return Outcome::FinishedInTransaction(standing),
        Err(error) if lease.attempt() < MAX_ATTEMPTS => return Outcome::retry(error),
        // A full disk or a store that is away is no fault of the export: it is tried for as long as any job is.
        Err(error) if error.kind == ErrorKind::Unavailable => return Outcome::retry(error),
        Err(error) => error,
    };
    tracing::error!("export {} is given up: {error}", job.export);
    match context.app.fail_export(&lease, &job, error.code).await {
        Ok(standing) => Outcome::FinishedInTransaction(standing),
        Err(error) => Outcome::retry(error),
    }
}
