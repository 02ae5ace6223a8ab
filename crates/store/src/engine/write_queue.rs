//! A queue for writers on PostgreSQL, in front of the server's locks.
//!
//! Every write of a brand locks the brand's row. A writer that waits for it in the server occupies a connection, and enough of
//! them would leave no connection to read with. The writers of a process therefore queue here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::BrandId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::Error;

/// The write permits of this process.
#[derive(Clone, Debug)]
pub struct WriteQueue {
    /// Limits the concurrent writers. If every connection waited for a lock, no caller could read.
    writers: Arc<Semaphore>,
    /// One permit per brand.
    brands: Arc<Mutex<HashMap<BrandId, Arc<Semaphore>>>>,
    /// Maximum time to wait for a permit.
    timeout: Duration,
}

impl WriteQueue {
    pub(crate) fn new(writers: usize, timeout: Duration) -> Self {
        let writers = Arc::new(Semaphore::new(writers));
        Self { writers, brands: Arc::default(), timeout }
    }

    /// Waits for a permit among all writers.
    pub(crate) async fn acquire_writer(&self) -> Result<OwnedSemaphorePermit, Error> {
        self.wait(Arc::clone(&self.writers)).await
    }

    /// Waits for the permit of a brand.
    pub(crate) async fn acquire_brand(&self, brand: BrandId) -> Result<OwnedSemaphorePermit, Error> {
        let semaphore = {
            let mut brands = self.brands.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(brands.entry(brand).or_insert_with(|| Arc::new(Semaphore::new(1))))
        };
        self.wait(semaphore).await
    }

    async fn wait(&self, semaphore: Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Error> {
        match tokio::time::timeout(self.timeout, semaphore.acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) => Err(sqlx::Error::PoolClosed.into()),
            Err(_) => Err(sqlx::Error::PoolTimedOut.into()),
        }
    }
}
