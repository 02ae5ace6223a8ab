//! Lets facts follow a link that was corrected.

use std::sync::Arc;

use app::jobs::{Lease, Reattribution};

use crate::{Context, Outcome};

/// Attributes anew, in many small transactions. Begun again, it finds what it did before to be right already.
pub async fn run(context: Arc<Context>, lease: Lease) -> Outcome {
    let job: Reattribution = match lease.payload() {
        Ok(job) => job,
        Err(error) => return Outcome::fail(error),
    };
    match context.app.reattribute(&job).await {
        Ok(changed) => {
            tracing::info!("attributed {changed} facts of brand {} anew", job.brand);
            Outcome::Done
        }
        Err(error) => Outcome::retry(error),
    }
}
