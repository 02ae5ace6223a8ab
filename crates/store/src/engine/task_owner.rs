//! On whose behalf work is done, so that what is shared can be divided among those who ask for it.
//!
//! The gate of the HTTP side and the runner of jobs know; the store does not. So it goes along with the task, and whoever
//! divides something looks it up there. Work that a task leaves to another task is wrapped again; see [`Holder::carry`].

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::{BrandId, TokenId, UserId, network_of};

tokio::task_local! {
    static CURRENT: TaskOwner;
}

/// Whose shares are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tenant {
    /// A brand.
    Brand(BrandId),
    /// Everyone who is not known yet.
    Anonymous,
    /// Finding out whom credentials stand for that nobody has shown to this process before.
    CredentialLookup,
    /// The same for tokens that carry a signature of ours, whose brand is read only with the look-up: whatever strangers do, those who are
    /// known get on.
    SignedTokenLookup,
    /// Those who ask how the service is: whatever strangers do, it must not look dead.
    Probes,
}

/// Who it is within a tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Principal {
    /// Someone who signed in.
    User(UserId),
    /// A device.
    Token(TokenId),
    /// A stranger. Made by [`Principal::address`].
    Address(IpAddr),
    /// Work that outlives its request.
    Job,
}

impl Principal {
    /// A stranger's address, by its network.
    pub fn address(address: IpAddr) -> Self {
        Self::Address(network_of(address))
    }
}

/// On whose behalf a task works.
#[derive(Clone, Debug)]
pub struct TaskOwner {
    tenant: Tenant,
    principal: Principal,
    /// How many places this piece of work has: one that has some does not wait for its own share again.
    pub(crate) held_permits: Arc<AtomicUsize>,
}

impl TaskOwner {
    /// A piece of work of this principal.
    pub fn new(tenant: Tenant, principal: Principal) -> Self {
        Self { tenant, principal, held_permits: Arc::default() }
    }

    /// Work for a brand that no request waits for.
    pub fn job(brand: BrandId) -> Self {
        Self::new(Tenant::Brand(brand), Principal::Job)
    }

    /// Does some work on behalf of this holder.
    pub async fn run<F: Future>(self, work: F) -> F::Output {
        CURRENT.scope(self, work).await
    }

    /// On whose behalf the current task works; none if it is the service's own.
    pub fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok()
    }

    /// Has work that goes to a task of its own done on behalf of the current holder.
    pub fn propagate<F: Future>(work: F) -> impl Future<Output = F::Output> {
        let holder = Self::current();
        async move {
            match holder {
                Some(holder) => holder.run(work).await,
                None => work.await,
            }
        }
    }

    /// The tenant.
    pub fn tenant(&self) -> Tenant {
        self.tenant
    }

    /// Who within it.
    pub fn principal(&self) -> Principal {
        self.principal
    }

    pub(crate) fn has_permits(&self) -> bool {
        self.held_permits.load(Ordering::Relaxed) > 0
    }
}
