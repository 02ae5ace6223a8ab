//! Reattributes facts after a link was corrected.

use std::sync::Arc;

use app::jobs::{Lease, Reattribution};

use crate::{Context, Outcome};

/// Reattributes in many small transactions. When started again, it finds the earlier changes to be correct already.
pub async fn run(context: Arc<Context>, lease: Lease) -> Outcome {
    let job: Reattribution = match lease.payload() {
        Ok(job) => job,
        Err(error) => return Outcome::fail(error),
    };
    match context.app.reattribute(&job).await {
        Ok(changed) => {
            tracing::info!("reattributed {changed} facts of brand {}", job.brand);
            Outcome::Done
        }
        Err(error) => Outcome::retry(error),
    }
}
