//! Makes the file of an export.

use std::sync::Arc;

use app::Kind;
use app::jobs::{ExportMaking, Lease};

use crate::{Context, Outcome};

/// How often it is begun before whoever asked is told that it failed: they wait for it.
const MOST_ATTEMPTS: i64 = 4;

/// Makes it from its first row on. What an attempt before wrote was never seen, and is cleared away.
pub async fn run(context: Arc<Context>, lease: Lease) -> Outcome {
    let job: ExportMaking = match lease.payload() {
        Ok(job) => job,
        Err(error) => return Outcome::fail(error),
    };
    let error = match context.app.make_export(&lease, &job).await {
        Ok(standing) => return Outcome::Finished(standing),
        Err(error) if lease.attempt() < MOST_ATTEMPTS => return Outcome::retry(error),
        // A full disk or a store that is away is no fault of the export: it is tried for as long as any job is.
        Err(error) if error.kind == Kind::Unavailable => return Outcome::retry(error),
        Err(error) => error,
    };
    tracing::error!("export {} is given up: {error}", job.export);
    match context.app.give_up_export(&lease, &job, error.code).await {
        Ok(standing) => Outcome::Finished(standing),
        Err(error) => Outcome::retry(error),
    }
}
