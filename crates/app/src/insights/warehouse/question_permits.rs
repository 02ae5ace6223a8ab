//! Permits for questions to the cluster, and the shares of brands and of their callers.

use domain::BrandId;
use store::{Grant, Principal, Shares, TaskOwner};

/// Permits for questions that run at a time. One caller leaves some of its brand's to the others.
#[derive(Debug)]
pub(super) struct QuestionPermits {
    brands: Shares<BrandId>,
    callers: Shares<(BrandId, Principal)>,
}

/// A permit, which is given back when it is dropped.
#[derive(Debug)]
pub(super) struct QuestionPermit {
    _caller: Grant<(BrandId, Principal)>,
    _brand: Grant<BrandId>,
}

impl QuestionPermits {
    /// Lets so many questions run, and of these as many of each brand.
    pub fn new(total: usize, per_brand: usize) -> Self {
        let per_caller = per_brand.saturating_sub(1).max(1);
        // All callers together have no limit of their own.
        Self { brands: Shares::new(total, per_brand), callers: Shares::new(usize::MAX, per_caller) }
    }

    /// Waits for a permit.
    pub async fn acquire(&self, brand: BrandId, asker: Principal) -> QuestionPermit {
        let caller = self.callers.acquire((brand, asker)).await;
        QuestionPermit { _caller: caller, _brand: self.brands.acquire(brand).await }
    }
}

/// Returns who asks.
pub(super) fn asker() -> Principal {
    TaskOwner::current().map_or(Principal::Job, |owner| owner.principal())
}

#[cfg(test)]
mod tests {
    use domain::UserId;
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_caller_leaves_permits_to_others_of_its_brand() {
        let (permits, brand) = (QuestionPermits::new(8, 3), BrandId(1));
        let greedy = || permits.acquire(brand, Principal::User(UserId(1)));
        let held = [greedy().await, greedy().await];
        let mut waiting: Vec<_> = (0..40).map(|_| Box::pin(greedy())).collect();
        assert!(waiting.iter_mut().all(|one| one.now_or_never().is_none()));
        let other = permits.acquire(brand, Principal::User(UserId(2))).now_or_never();
        assert!(other.is_some());
        // The brand has no more, and other brands have.
        let third = permits.acquire(brand, Principal::User(UserId(3)));
        assert!(third.now_or_never().is_none());
        assert!(permits.acquire(BrandId(2), Principal::Job).now_or_never().is_some());
        drop(held);
        let next = waiting.remove(0).now_or_never();
        assert!(next.is_some());
    }
}
