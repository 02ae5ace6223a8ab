//! Admission control in front of the connection pools: each tenant, and each principal within it, gets a limited share.
//!
//! A caller that has used up its share waits here without holding a connection, and only behind its own requests. The pools
//! serve in order of arrival, so no tenant can occupy more than its share of a pool.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::engine::shares::{Grant, Shares};
use crate::engine::task_owner::{Principal, TaskOwner, Tenant};
use crate::{Config, Error};

/// Writers of one tenant that may queue for SQLite's single write connection: one writes and the next is ready. Another tenant
/// therefore waits for at most this many of them, however many writes the tenant has in progress.
const MAX_SQLITE_WRITERS_PER_TENANT: usize = 2;

/// The connection and write shares of this process.
#[derive(Clone, Debug)]
pub struct Admission {
    connections: TenantShares,
    writes: TenantShares,
    timeout: Duration,
}

/// Permits that are divided among tenants, and within each tenant among its principals.
#[derive(Clone, Debug)]
struct TenantShares {
    tenants: Shares<Tenant>,
    principals: Shares<(Tenant, Principal)>,
}

/// A share of a resource, released when dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    grants: (Grant<Tenant>, Grant<(Tenant, Principal)>),
    active: ActivePermit,
}

/// Records that a task owner holds a permit. It ends with the work, even if the connection is still in use after that: the next
/// request of the owner is counted separately.
#[derive(Debug)]
pub(crate) struct ActivePermit(Arc<AtomicUsize>);

/// The permits that a transaction takes from its owner's shares.
#[derive(Debug, Default)]
pub(crate) struct Permits {
    write: Option<Permit>,
    connection: Option<Permit>,
}

impl Permits {
    /// Splits into the grants, to be released once the connection is free again, and the markers that end with the work.
    pub(crate) fn split(self) -> (impl Send + Sync + 'static, Vec<ActivePermit>) {
        let permits = self.write.into_iter().chain(self.connection);
        let (grants, active): (Vec<_>, Vec<_>) = permits.map(|permit| (permit.grants, permit.active)).unzip();
        (grants, active)
    }
}

impl Admission {
    /// On SQLite, reads and writes have separate connections.
    pub(crate) fn for_sqlite(config: &Config) -> Self {
        Self::new(config, (MAX_SQLITE_WRITERS_PER_TENANT, MAX_SQLITE_WRITERS_PER_TENANT))
    }

    /// On PostgreSQL, half of the connections may write, and a writer also counts as one of all connections.
    pub(crate) fn for_postgres(config: &Config) -> Self {
        let writers = config.max_writers();
        let tenant = writers.saturating_sub(1).max(1);
        Self::new(config, (tenant, tenant.saturating_sub(1).max(1)))
    }

    fn new(config: &Config, writers: (usize, usize)) -> Self {
        Self {
            connections: TenantShares::new(config.per_brand() as usize, config.per_caller() as usize),
            writes: TenantShares::new(writers.0, writers.1),
            timeout: Duration::from_secs(config.acquire_timeout_s.into()),
        }
    }

    /// Waits until the current task owner may use a connection for reading.
    pub(crate) async fn acquire_read(&self) -> Result<Permits, Error> {
        let Some(holder) = TaskOwner::current() else { return Ok(Permits::default()) };
        let wait = async { Permits { write: None, connection: self.connection(&holder).await } };
        self.with_timeout(wait).await
    }

    /// Waits until the current task owner may write. On PostgreSQL the permit covers a connection as well.
    pub(crate) async fn acquire_write(&self, takes_connection: bool) -> Result<Permits, Error> {
        let Some(holder) = TaskOwner::current() else { return Ok(Permits::default()) };
        let wait = async {
            // The write permit comes first: a task that waits for it leaves the tenant's connections to its reads.
            let is_first = !holder.has_permits();
            let write = self.writes.acquire(&holder).await;
            let connection = match takes_connection && is_first {
                true => Some(self.connections.acquire(&holder).await),
                false => None,
            };
            Permits { write: Some(write), connection }
        };
        self.with_timeout(wait).await
    }

    /// A request that already holds a permit does not wait for its own share, or all requests of a tenant could wait for each other.
    async fn connection(&self, holder: &TaskOwner) -> Option<Permit> {
        if holder.has_permits() {
            return None;
        }
        Some(self.connections.acquire(holder).await)
    }

    async fn with_timeout(&self, wait: impl Future<Output = Permits>) -> Result<Permits, Error> {
        tokio::time::timeout(self.timeout, wait).await.map_err(|_| Error::Busy)
    }
}

impl TenantShares {
    fn new(per_tenant: usize, per_principal: usize) -> Self {
        // No total here: the sizes of the pools are the limit.
        Self {
            tenants: Shares::new(usize::MAX, per_tenant),
            principals: Shares::new(usize::MAX, per_principal),
        }
    }

    async fn acquire(&self, holder: &TaskOwner) -> Permit {
        let principal = self.principals.acquire((holder.tenant(), holder.principal())).await;
        let tenant = self.tenants.acquire(holder.tenant()).await;
        holder.held_permits.fetch_add(1, Ordering::Relaxed);
        Permit { grants: (tenant, principal), active: ActivePermit(Arc::clone(&holder.held_permits)) }
    }
}

impl Drop for ActivePermit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use domain::{BrandId, UserId};

    use super::*;

    fn holder(brand: i64, user: i64) -> TaskOwner {
        TaskOwner::new(Tenant::Brand(BrandId(brand)), Principal::User(UserId(user)))
    }

    fn admission() -> Admission {
        let config = Config {
            url: String::new(),
            max_connections: 8,
            max_connections_per_brand: 0,
            max_connections_per_caller: 0,
            acquire_timeout_s: 0,
            statement_timeout_s: 60,
            pg_bin_dir: std::path::PathBuf::new(),
        };
        Admission::for_postgres(&config)
    }

    #[tokio::test]
    async fn a_user_and_a_brand_have_a_share_each() {
        let admission = admission();
        let read = |brand, user| holder(brand, user).run(admission.acquire_read());
        let mut held = Vec::new();
        for _ in 0..5 {
            held.push(read(1, 1).await.unwrap());
        }
        assert!(matches!(read(1, 1).await, Err(Error::Busy)));
        held.push(read(1, 2).await.unwrap());
        assert!(matches!(read(1, 2).await, Err(Error::Busy)));
        held.push(read(2, 3).await.unwrap());
        // Another brand may use the same user id.
        held.push(read(2, 1).await.unwrap());
        drop(held);
        assert!(read(1, 1).await.is_ok());
    }

    #[tokio::test]
    async fn what_has_a_place_does_not_wait_for_its_own_share() {
        let admission = admission();
        let mut held = Vec::new();
        for user in 1..=3 {
            held.push(holder(1, user).run(admission.acquire_read()).await.unwrap());
        }
        let writer = holder(1, 9);
        let outer = writer.clone().run(admission.acquire_write(true)).await.unwrap();
        for user in 4..=5 {
            held.push(holder(1, user).run(admission.acquire_read()).await.unwrap());
        }
        assert!(matches!(holder(1, 6).run(admission.acquire_read()).await, Err(Error::Busy)));
        assert!(writer.run(admission.acquire_read()).await.is_ok());
        drop(outer);
        assert!(holder(1, 6).run(admission.acquire_read()).await.is_ok());
    }

    #[tokio::test]
    async fn the_service_itself_has_no_share() {
        let admission = admission();
        let mut held = Vec::new();
        for _ in 0..20 {
            held.push(admission.acquire_read().await.unwrap());
            held.push(admission.acquire_write(true).await.unwrap());
        }
    }
}
