//! The tenant and principal that a task works for, so that shared resources can be divided among them.
//!
//! The authentication layer and the job runner know the owner; the store does not. It is therefore stored in a task-local variable,
//! where admission control reads it. Work that moves to another task must be wrapped again; see [`TaskOwner::propagate`].

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::{BrandId, TokenId, UserId, network_of};

tokio::task_local! {
    static CURRENT: TaskOwner;
}

/// A group of principals that share one limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tenant {
    Brand(BrandId),
    /// Every caller that is not authenticated yet.
    Anonymous,
    /// Look-up of credentials that this process has not seen before.
    CredentialLookup,
    /// Look-up of tokens that carry a valid signature but whose brand is only known after it. They have a share of their own, so
    /// that known callers make progress whatever anonymous ones do.
    SignedTokenLookup,
    /// Health probes. They have a share of their own, so that the service does not look dead under a flood of anonymous requests.
    Probes,
}

/// The caller within a tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Principal {
    /// A user who is signed in.
    User(UserId),
    /// A device, by its token.
    Token(TokenId),
    /// An anonymous caller, by network. Created by [`Principal::address`].
    Address(IpAddr),
    /// Background work.
    Job,
}

impl Principal {
    /// The principal of an anonymous caller: the network of its address.
    pub fn address(address: IpAddr) -> Self {
        Self::Address(network_of(address))
    }
}

/// The tenant and principal that a task works for.
#[derive(Clone, Debug)]
pub struct TaskOwner {
    tenant: Tenant,
    principal: Principal,
    /// Number of permits that this task holds. A task that holds one does not wait for its own share again.
    pub(crate) held_permits: Arc<AtomicUsize>,
}

#[macros::boxed]
impl TaskOwner {
    pub fn new(tenant: Tenant, principal: Principal) -> Self {
        Self { tenant, principal, held_permits: Arc::default() }
    }

    /// The owner of background work for a brand.
    pub fn job(brand: BrandId) -> Self {
        Self::new(Tenant::Brand(brand), Principal::Job)
    }

    /// Runs a future on behalf of this owner.
    pub async fn run<F: Future>(self, work: F) -> F::Output {
        CURRENT.scope(self, work).await
    }

    /// Returns the owner of the current task, or none if the task is the service's own.
    pub fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok()
    }

    /// Wraps a future that will run on another task so that it keeps the current owner.
    pub fn propagate<F: Future>(work: F) -> impl Future<Output = F::Output> {
        let holder = Self::current();
        async move {
            match holder {
                Some(holder) => holder.run(work).await,
                None => work.await,
            }
        }
    }

    pub fn tenant(&self) -> Tenant {
        self.tenant
    }

    pub fn principal(&self) -> Principal {
        self.principal
    }

    pub(crate) fn has_permits(&self) -> bool {
        self.held_permits.load(Ordering::Relaxed) > 0
    }
}
