//! Permits for queries, scans and loading columns, and the share of one brand.

use std::time::Duration;

use domain::BrandId;
use store::{Grant, Shares};

use super::AnalyticsConfig;
use crate::{Error, ErrorKind};

/// Concurrent scans; each uses all threads and holds at most the memory of one query.
const MAX_SCANS: usize = 4;
/// Of these, the most that one brand may run.
const MAX_SCANS_PER_BRAND: usize = 3;
/// Brands whose columns are loaded concurrently. Fewer than the reserved connections, so that one remains for following.
const MAX_BUILDS: usize = 2;
/// Pages of rows that are read at a time to build columns, of all brands. Also fewer than the reserved connections.
const MAX_READERS: usize = 2;
/// Time that a query waits for a scan permit.
const SCAN_PERMIT_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct AnalyticsPermits {
    sql: Shares<BrandId>,
    sql_permit_timeout: Duration,
    scans: Shares<BrandId>,
    builds: Shares<BrandId>,
    readers: Shares<BrandId>,
}

#[macros::boxed]
impl AnalyticsPermits {
    pub fn new(config: &AnalyticsConfig) -> Self {
        Self {
            sql: Shares::new(
                config.max_concurrent_sql_queries as usize,
                config.max_concurrent_sql_queries_per_brand as usize,
            ),
            sql_permit_timeout: Duration::from_millis(config.column_wait_timeout_ms.into()),
            scans: Shares::new(MAX_SCANS, MAX_SCANS_PER_BRAND),
            builds: Shares::new(MAX_BUILDS, 1),
            readers: Shares::new(MAX_READERS, MAX_READERS),
        }
    }

    /// Returns a permit for an SQL query, if one is free now.
    pub fn try_sql_permit(&self, brand: BrandId) -> Result<Grant<BrandId>, Error> {
        self.sql.try_acquire(brand, 1).ok_or_else(busy)
    }

    /// Waits for a permit for an SQL query.
    pub async fn sql_permit(&self, brand: BrandId) -> Result<Grant<BrandId>, Error> {
        tokio::time::timeout(self.sql_permit_timeout, self.sql.acquire(brand)).await.map_err(|_| busy())
    }

    /// Waits for a permit to scan columns.
    pub async fn scan_permit(&self, brand: BrandId) -> Result<Grant<BrandId>, Error> {
        tokio::time::timeout(SCAN_PERMIT_TIMEOUT, self.scans.acquire(brand)).await.map_err(|_| busy())
    }

    /// Waits for a permit to load a brand's columns.
    pub async fn build_permit(&self, brand: BrandId) -> Grant<BrandId> {
        self.builds.acquire(brand).await
    }

    /// Waits for a permit to read a page of a brand's rows.
    pub async fn reader_permit(&self, brand: BrandId) -> Grant<BrandId> {
        self.readers.acquire(brand).await
    }
}

/// The error of a query that waited for its turn in vain.
pub(crate) fn busy() -> Error {
    let detail = "Too many queries are running; try again in a moment.";
    Error::new(ErrorKind::Unavailable, "analytics_busy", detail).retry_after(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_brand_leaves_a_turn_to_others() {
        let shares = AnalyticsPermits::new(&AnalyticsConfig {
            engine: super::super::Engine::Columns,
            max_memory_mb: 16,
            max_memory_per_brand_mb: 0,
            max_query_memory_mb: 16,
            threads: 1,
            max_part_cache_mb: 0,
            column_wait_timeout_ms: 0,
            sql_timeout_s: 1,
            max_concurrent_sql_queries: 2,
            max_concurrent_sql_queries_per_brand: 1,
            max_sorted_incursions: 1,
            warehouse: warehouse::Config {
                nodes: Vec::new(),
                database: String::new(),
                user: String::new(),
                password: domain::Secret(String::new()),
                max_query_memory_mb: 64,
                max_concurrent_queries: 1,
                max_concurrent_queries_per_brand: 1,
            },
        });
        let (greedy, modest) = (BrandId(1), BrandId(2));
        let mut held = Vec::new();
        for _ in 0..MAX_SCANS_PER_BRAND {
            held.push(shares.scan_permit(greedy).await.unwrap());
        }
        assert!(tokio::time::timeout(Duration::ZERO, shares.scan_permit(greedy)).await.is_err());
        held.push(shares.scan_permit(modest).await.unwrap());
        held.push(shares.try_sql_permit(greedy).unwrap());
        assert_eq!(shares.try_sql_permit(greedy).unwrap_err().code, "analytics_busy");
        assert!(shares.sql_permit(greedy).await.is_err());
        held.push(shares.try_sql_permit(modest).unwrap());
        // The total over all brands is limited too.
        assert_eq!(shares.try_sql_permit(BrandId(3)).unwrap_err().code, "analytics_busy");
        held.push(shares.build_permit(greedy).await);
        held.push(shares.build_permit(modest).await);
    }
}
