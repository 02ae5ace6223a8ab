//! CPU-bound work on threads of its own, with limited concurrency and a share per tenant.

use std::thread::available_parallelism;
use std::time::Duration;

use store::{Shares, TaskOwner, Tenant};

use crate::{App, Error, ErrorKind};

const PERMIT_TIMEOUT: Duration = Duration::from_secs(10);

/// Permits for CPU-bound work: two per core, of which one tenant may hold three quarters.
pub(crate) struct ComputePool(Shares<Option<Tenant>>);

impl Default for ComputePool {
    fn default() -> Self {
        let places = available_parallelism().map_or(1, usize::from) * 2;
        Self(Shares::new(places, places - (places / 4).max(1)))
    }
}

impl App {
    /// Runs CPU-bound work off the request threads.
    pub(crate) async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        self.compute_pool.run(TaskOwner::current().map(|holder| holder.tenant()), work).await
    }
}

impl ComputePool {
    async fn run<T: Send + 'static>(
        &self,
        tenant: Option<Tenant>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let Ok(permit) = tokio::time::timeout(PERMIT_TIMEOUT, self.0.acquire(tenant)).await else {
            let detail = "Too many computations of your brand are running; try again in a moment.";
            return Err(Error::new(ErrorKind::Unavailable, "too_busy", detail).retry_after(2));
        };
        let computed = tokio::task::spawn_blocking(move || {
            // Held by the thread, not by the caller, who may go away.
            let _place = permit;
            work()
        });
        computed.await.map_err(Error::internal)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use domain::BrandId;
    use tokio::task::{JoinSet, yield_now};

    use super::*;

    #[tokio::test]
    async fn what_a_greedy_brand_computes_leaves_a_place_to_a_modest_one() {
        let computing = Arc::new(ComputePool(Shares::new(4, 3)));
        let brand = |id| Some(Tenant::Brand(BrandId(id)));
        let begun = Arc::new(AtomicUsize::new(0));
        let (mut greedy, mut ends) = (JoinSet::new(), Vec::new());
        for _ in 0..20 {
            let (end, ended) = mpsc::channel::<()>();
            ends.push(end);
            let (computing, begun) = (Arc::clone(&computing), Arc::clone(&begun));
            greedy.spawn(async move {
                let work = move || {
                    begun.fetch_add(1, Ordering::SeqCst);
                    // Blocks until its sender is dropped.
                    let _ = ended.recv();
                };
                computing.run(brand(1), work).await
            });
        }
        while begun.load(Ordering::SeqCst) < 3 {
            yield_now().await;
        }
        for number in 0..10 {
            assert_eq!(computing.run(brand(2), move || number).await.ok(), Some(number));
        }
        assert_eq!(begun.load(Ordering::SeqCst), 3, "the greedy one still waits for its own");
        drop(ends);
        while let Some(ended) = greedy.join_next().await {
            ended.unwrap().unwrap();
        }
    }
}
