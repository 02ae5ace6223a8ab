//! Taking turns on PostgreSQL before its locks have to be waited for.
//!
//! Every write of a brand locks the brand's row. Whoever waits for it in the server holds a connection meanwhile, and enough of
//! them leave nobody one to read with. So writers of one process queue here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::BrandId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::Error;

/// Who may write now, in this process.
#[derive(Clone, Debug)]
pub struct WriteQueue {
    /// As many as may write at all: with every connection waiting for a lock, nobody could read.
    writers: Arc<Semaphore>,
    /// One at a time in each brand.
    brands: Arc<Mutex<HashMap<BrandId, Arc<Semaphore>>>>,
    /// How long one waits.
    timeout: Duration,
}

impl WriteQueue {
    pub(crate) fn new(writers: usize, timeout: Duration) -> Self {
        let writers = Arc::new(Semaphore::new(writers));
        Self { writers, brands: Arc::default(), timeout }
    }

    /// A turn among all writers.
    pub(crate) async fn acquire_writer(&self) -> Result<OwnedSemaphorePermit, Error> {
        self.wait(Arc::clone(&self.writers)).await
    }

    /// The turn of a brand.
    pub(crate) async fn acquire_brand(&self, brand: BrandId) -> Result<OwnedSemaphorePermit, Error> {
        let turn = {
            let mut brands = self.brands.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(brands.entry(brand).or_insert_with(|| Arc::new(Semaphore::new(1))))
        };
        self.wait(turn).await
    }

    async fn wait(&self, turn: Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Error> {
        match tokio::time::timeout(self.timeout, turn.acquire_owned()).await {
            Ok(Ok(turn)) => Ok(turn),
            Ok(Err(_)) => Err(sqlx::Error::PoolClosed.into()),
            Err(_) => Err(sqlx::Error::PoolTimedOut.into()),
        }
    }
}
