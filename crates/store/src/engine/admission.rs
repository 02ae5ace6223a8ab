//! Who gets to a connection: no tenant, and no principal within it, has more than a share of them.
//!
//! This stands before the pools. Whoever has used up its share waits here, without a connection, and behind its own requests
//! only. The pools themselves serve in the order in which they are asked, so a tenant never has more than its share before others.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::engine::shares::{Grant, Shares};
use crate::engine::task_owner::{Principal, TaskOwner, Tenant};
use crate::{Config, Error};

/// How many writers of a tenant stand at SQLite's one write connection: one writes, the next is ready. Whatever the number of
/// writes that a tenant has under way, another tenant waits for so many of them.
const MAX_SQLITE_WRITERS_PER_TENANT: usize = 2;

/// The shares of connections, in this process.
#[derive(Clone, Debug)]
pub struct Admission {
    connections: TenantShares,
    writes: TenantShares,
    timeout: Duration,
}

/// Something that is divided among tenants, and within each among its principals.
#[derive(Clone, Debug)]
struct TenantShares {
    tenants: Shares<Tenant>,
    principals: Shares<(Tenant, Principal)>,
}

/// A share of something, given back when dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    grants: (Grant<Tenant>, Grant<(Tenant, Principal)>),
    active: ActivePermit,
}

/// Says that a holder has a place. It ends with the work, though the place itself may still be in use: what the holder asks for next
/// counts anew.
#[derive(Debug)]
pub(crate) struct ActivePermit(Arc<AtomicUsize>);

/// What a transaction takes of its holder's shares.
#[derive(Debug, Default)]
pub(crate) struct Permits {
    write: Option<Permit>,
    connection: Option<Permit>,
}

impl Permits {
    /// What is given back once the connection is free again, and what ends with the work.
    pub(crate) fn split(self) -> (impl Send + Sync + 'static, Vec<ActivePermit>) {
        let places = self.write.into_iter().chain(self.connection);
        let (grants, open): (Vec<_>, Vec<_>) = places.map(|place| (place.grants, place.active)).unzip();
        (grants, open)
    }
}

impl Admission {
    /// On SQLite reads and writes have connections of their own.
    pub(crate) fn for_sqlite(config: &Config) -> Self {
        Self::new(config, (MAX_SQLITE_WRITERS_PER_TENANT, MAX_SQLITE_WRITERS_PER_TENANT))
    }

    /// On PostgreSQL half of the connections may write, whoever writes has one of all.
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

    /// Waits until the current holder may have a connection to read with.
    pub(crate) async fn acquire_read(&self) -> Result<Permits, Error> {
        let Some(holder) = TaskOwner::current() else { return Ok(Permits::default()) };
        let wait = async { Permits { write: None, connection: self.connection(&holder).await } };
        self.with_timeout(wait).await
    }

    /// Waits until the current holder may write; on PostgreSQL it has a connection of all then.
    pub(crate) async fn acquire_write(&self, takes_connection: bool) -> Result<Permits, Error> {
        let Some(holder) = TaskOwner::current() else { return Ok(Permits::default()) };
        let wait = async {
            // The turn to write first: whoever waits for that leaves the tenant's connections to its reads.
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

    /// A request that has a place and needs another does not wait for its own share: all of a tenant's could wait like this.
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
        // The pools are the total.
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
        // Another brand's ids may be the same.
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
