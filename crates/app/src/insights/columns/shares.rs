//! What questions share, and how much of it one brand takes.

use std::time::Duration;

use domain::BrandId;
use store::{Grant, Shares};

use super::AnalyticsConfig;
use crate::{Error, Kind};

/// How many questions look through columns at once; each uses all threads, and holds at most one answer's memory.
const SCANS: usize = 4;
/// How many of them one brand has.
const SCANS_PER_BRAND: usize = 3;
/// How many brands have their columns made at once. Fewer than the connections for that, of which one is left to those that are followed.
const BUILDS: usize = 2;
/// How long a question waits for its turn to look through the columns.
const SCAN_WAIT: Duration = Duration::from_secs(10);

/// The places of everything that answers questions.
#[derive(Debug)]
pub(super) struct AnalyticsShares {
    rows: Shares<BrandId>,
    rows_wait: Duration,
    scans: Shares<BrandId>,
    builds: Shares<BrandId>,
}

impl AnalyticsShares {
    pub fn new(config: &AnalyticsConfig) -> Self {
        Self {
            rows: Shares::new(config.sql_answers as usize, config.sql_answers_per_brand as usize),
            rows_wait: Duration::from_millis(config.wait_ms.into()),
            scans: Shares::new(SCANS, SCANS_PER_BRAND),
            builds: Shares::new(BUILDS, 1),
        }
    }

    /// A place to have the rows answer, if there is one now.
    pub fn to_ask_rows(&self, brand: BrandId) -> Result<Grant<BrandId>, Error> {
        self.rows.try_take(brand, 1).ok_or_else(busy)
    }

    /// The same, after a wait.
    pub async fn wait_to_ask_rows(&self, brand: BrandId) -> Result<Grant<BrandId>, Error> {
        tokio::time::timeout(self.rows_wait, self.rows.take(brand)).await.map_err(|_| busy())
    }

    /// A turn to look through the columns.
    pub async fn to_scan(&self, brand: BrandId) -> Result<Grant<BrandId>, Error> {
        tokio::time::timeout(SCAN_WAIT, self.scans.take(brand)).await.map_err(|_| busy())
    }

    /// A turn to make a brand's columns.
    pub async fn to_build(&self, brand: BrandId) -> Grant<BrandId> {
        self.builds.take(brand).await
    }
}

fn busy() -> Error {
    let detail =
        "As many questions of your brand are being answered as may be at once; ask again in a moment.";
    Error::new(Kind::Unavailable, "analytics_busy", detail).retry_after(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_brand_leaves_a_turn_to_others() {
        let shares = AnalyticsShares::new(&AnalyticsConfig {
            engine: super::super::Engine::Columns,
            memory_mb: 16,
            memory_per_brand_mb: 0,
            answer_mb: 16,
            threads: 1,
            wait_ms: 0,
            rows_deadline_s: 1,
            sql_answers: 2,
            sql_answers_per_brand: 1,
        });
        let (greedy, modest) = (BrandId(1), BrandId(2));
        let mut held = Vec::new();
        for _ in 0..SCANS_PER_BRAND {
            held.push(shares.to_scan(greedy).await.unwrap());
        }
        assert!(tokio::time::timeout(Duration::ZERO, shares.to_scan(greedy)).await.is_err());
        held.push(shares.to_scan(modest).await.unwrap());
        held.push(shares.to_ask_rows(greedy).unwrap());
        assert_eq!(shares.to_ask_rows(greedy).unwrap_err().code, "analytics_busy");
        assert!(shares.wait_to_ask_rows(greedy).await.is_err());
        held.push(shares.to_ask_rows(modest).unwrap());
        // And of all brands together there are no more than so many.
        assert_eq!(shares.to_ask_rows(BrandId(3)).unwrap_err().code, "analytics_busy");
        held.push(shares.to_build(greedy).await);
        held.push(shares.to_build(modest).await);
    }
}
