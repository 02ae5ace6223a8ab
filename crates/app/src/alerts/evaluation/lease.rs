//! The lease under which a worker evaluates a brand, which is renewed for as long as the evaluation takes.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use domain::{BrandId, Span, Timestamp};

use crate::{App, Error};

/// A worker has a brand for this long, and renews that while it evaluates.
const LEASE: Span = Span::seconds(15);
/// A lease is renewed when less than this is left of it.
const RENEWED_BELOW: Span = Span::seconds(8);
/// An evaluation looks this often whether its lease must be renewed.
const LOOKED_AT_EVERY: Duration = Duration::from_secs(1);

/// The right to evaluate a brand. Whatever is written is refused once the fence has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BrandLease {
    pub fence: i64,
    pub until: Timestamp,
}

impl BrandLease {
    /// Whether nobody else can have had the brand between this lease and a later one of the same worker. A lease that has ended moves the
    /// fence by one when it is taken again; if another worker had one in between, it has moved by more.
    pub fn continues(self, later: Self) -> bool {
        later.fence - self.fence <= 1
    }
}

/// A brand while it is evaluated.
#[derive(Debug)]
pub(super) struct LeasedBrand<'a> {
    pub brand: BrandId,
    worker: &'a str,
    lease: Mutex<BrandLease>,
}

impl<'a> LeasedBrand<'a> {
    pub fn new(brand: BrandId, worker: &'a str, lease: BrandLease) -> Self {
        Self { brand, worker, lease: Mutex::new(lease) }
    }

    pub fn lease(&self) -> BrandLease {
        *self.lease.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl App {
    /// Takes the lease on a brand, or renews the one that is known if it ends soon. None if another worker has it.
    pub(super) async fn hold_brand(
        &self,
        brand: BrandId,
        known: Option<BrandLease>,
        worker: &str,
        now: Timestamp,
    ) -> Result<Option<BrandLease>, Error> {
        if let Some(lease) = known
            && lease.until - now >= RENEWED_BELOW
        {
            return Ok(known);
        }
        let until = now + LEASE;
        let mut tx = self.store.begin().await?;
        let fence = tx.alert_cursors(&self.platform).take(brand, worker, now, until).await?;
        tx.commit().await?;
        Ok(fence.map(|fence| BrandLease { fence, until }))
    }

    /// Renews the lease of an evaluation if it ends soon. Returns false if another worker has had the brand since.
    pub(super) async fn renew_brand(&self, held: &LeasedBrand<'_>) -> Result<bool, Error> {
        let known = held.lease();
        let renewed = self.hold_brand(held.brand, Some(known), held.worker, self.clock.now()).await?;
        let Some(renewed) = renewed.filter(|renewed| known.continues(*renewed)) else { return Ok(false) };
        *held.lease.lock().unwrap_or_else(PoisonError::into_inner) = renewed;
        Ok(true)
    }

    /// Keeps the lease of an evaluation. Ends when another worker has the brand, and otherwise never.
    pub(super) async fn keep_brand(&self, held: &LeasedBrand<'_>) {
        loop {
            tokio::time::sleep(LOOKED_AT_EVERY).await;
            match self.renew_brand(held).await {
                Ok(true) => {}
                Ok(false) => return,
                // The fence shows whether it was too late.
                Err(error) => {
                    let brand = held.brand;
                    tracing::debug!("the lease on the alerts of brand {brand} was not renewed: {error}");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_goes_on_unless_someone_else_had_one() {
        let lease = |fence: i64| BrandLease { fence, until: Timestamp::from_seconds(9) };
        assert!(lease(4).continues(lease(4)) && lease(4).continues(lease(5)));
        assert!(!lease(4).continues(lease(6)));
    }
}
