//! The copies that this process writes.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use domain::{BrandId, Monotonic, Span, Timestamp};
use store::WarehouseCopy;
use tokio::task::JoinSet;
use tokio::time::Instant;
use warehouse::CopyId;

use super::follower::Follower;
use super::step::CopyWriter;
use super::{Warehouse, copy_id};
use crate::insights::columns::Engine;
use crate::{App, Error};

/// A process has a copy for this long, and renews that.
const LEASE: Span = Span::seconds(15);
const RENEWED_EVERY: Duration = Duration::from_secs(5);
/// Copies that a process takes at a time, so that others get some, too.
const MAX_TAKEN: usize = 4;
/// New brands are looked for this often, if all brands have copies.
const NEW_BRANDS_EVERY: Duration = Duration::from_secs(10);

/// Follows brands under leases. Dropping it ends what is going on.
pub struct WarehouseFollowers {
    app: Arc<App>,
    warehouse: Arc<Warehouse>,
    worker: String,
    brands: HashMap<BrandId, LeasedCopy>,
    rounds: JoinSet<Box<Follower>>,
    renewed_at: Option<Instant>,
    new_brands_at: Option<Instant>,
}

/// A copy of which this process has the lease.
enum LeasedCopy {
    Idle(Box<Follower>),
    /// Its follower, which has this number, is on a task.
    InRound {
        copy: CopyId,
        follower: u64,
    },
}

impl LeasedCopy {
    fn copy(&self) -> CopyId {
        match self {
            Self::Idle(follower) => follower.copy(),
            Self::InRound { copy, .. } => *copy,
        }
    }

    /// Whether it waits for this follower, and not for another one that has taken its place since.
    fn is_round_of(&self, ended: &Follower) -> bool {
        matches!(self, Self::InRound { follower, .. } if *follower == ended.number())
    }
}

impl App {
    /// Returns what follows brands in this process; none without a warehouse.
    pub fn warehouse_followers(self: &Arc<Self>, worker: &str) -> Option<WarehouseFollowers> {
        let warehouse = Arc::clone(self.warehouse.as_ref()?);
        Some(WarehouseFollowers {
            app: Arc::clone(self),
            warehouse,
            worker: worker.to_owned(),
            brands: HashMap::new(),
            rounds: JoinSet::new(),
            renewed_at: None,
            new_brands_at: None,
        })
    }
}

impl WarehouseFollowers {
    /// Begins what is due: one statement for all brands, if nothing is.
    pub async fn tick(&mut self) -> Result<(), Error> {
        self.collect_rounds();
        self.add_new_brands().await?;
        let now = self.app.clock.now();
        self.renew(now).await?;
        let began_at = self.app.clock.monotonic();
        let copies = self.app.store.read().await?.warehouse_copies(&self.app.platform).all().await?;
        let current: HashSet<CopyId> = copies.iter().map(|copy| copy_id(copy.brand, copy.token)).collect();
        self.brands.retain(|_, held| current.contains(&held.copy()));
        let mut taken = 0;
        for copy in copies {
            let was_own = copy.worker.as_deref() == Some(self.worker.as_str());
            let is_own = was_own && copy.leased_until > now;
            let is_free = copy.worker.is_none() || copy.leased_until <= now;
            // Renewing takes leases back that lapsed, and that nobody else had since, without losing what is being filled.
            if !was_own {
                self.brands.remove(&copy.brand);
            }
            if is_free && taken < MAX_TAKEN && self.take(copy.brand, now).await? {
                taken += 1;
            } else if !is_own {
                continue;
            }
            self.begin_round(&copy, began_at);
        }
        Ok(())
    }

    /// Ends what is going on, and gives the leases back.
    pub async fn stop(mut self) {
        self.rounds.shutdown().await;
        self.brands.clear();
        let released: Result<(), Error> = async {
            let mut tx = self.app.store.begin().await?;
            tx.warehouse_copies(&self.app.platform).release(&self.worker).await?;
            tx.commit().await?;
            Ok(())
        }
        .await;
        if let Err(error) = released {
            tracing::debug!("the leases on copies end by themselves: {error}");
        }
    }

    fn collect_rounds(&mut self) {
        while let Some(ended) = self.rounds.try_join_next() {
            match ended {
                Ok(follower) => {
                    if let Some(held) = self.brands.get_mut(&follower.copy().brand)
                        && held.is_round_of(&follower)
                    {
                        *held = LeasedCopy::Idle(follower);
                    }
                }
                Err(error) => {
                    // Which brand it was is unknown; all that are in a round begin anew.
                    tracing::error!("a follower of the warehouse ended: {error}");
                    self.brands.retain(|_, held| matches!(held, LeasedCopy::Idle(_)));
                }
            }
        }
    }

    /// Begins to follow a brand, or goes on with it, if something is due. The copy was read after `began_at`.
    fn begin_round(&mut self, copy: &WarehouseCopy, began_at: Monotonic) {
        let id = copy_id(copy.brand, copy.token);
        let held = self.brands.entry(copy.brand).or_insert_with(|| {
            let (app, warehouse) = (Arc::clone(&self.app), Arc::clone(&self.warehouse));
            let scope = self.app.scope_of(copy.brand);
            let failures = Arc::default();
            let writer = CopyWriter { app, warehouse, scope, copy: id, fill_notes: None, failures };
            LeasedCopy::Idle(Box::new(Follower::new(writer)))
        });
        let LeasedCopy::Idle(follower) = held else { return };
        if !follower.is_due(copy.last_seq) {
            follower.note_last_seq(copy.last_seq, began_at);
            return;
        }
        let in_round = LeasedCopy::InRound { copy: id, follower: follower.number() };
        if let LeasedCopy::Idle(follower) = std::mem::replace(held, in_round) {
            let last_seq = copy.last_seq;
            self.rounds.spawn(async move { Box::new(follower.round(last_seq).await) });
        }
    }

    async fn take(&mut self, brand: BrandId, now: Timestamp) -> Result<bool, Error> {
        let mut tx = self.app.store.begin().await?;
        let until = now + LEASE;
        let taken = tx.warehouse_copies(&self.app.platform).take(brand, &self.worker, now, until).await?;
        tx.commit().await?;
        Ok(taken)
    }

    async fn renew(&mut self, now: Timestamp) -> Result<(), Error> {
        if self.brands.is_empty() || self.renewed_at.is_some_and(|at| at.elapsed() < RENEWED_EVERY) {
            return Ok(());
        }
        let mut tx = self.app.store.begin().await?;
        tx.warehouse_copies(&self.app.platform).renew(&self.worker, now + LEASE).await?;
        tx.commit().await?;
        self.renewed_at = Some(Instant::now());
        Ok(())
    }

    /// Adds copies of new brands, if the warehouse answers the questions of all.
    async fn add_new_brands(&mut self) -> Result<(), Error> {
        let is_due = self.new_brands_at.is_none_or(|at| at.elapsed() >= NEW_BRANDS_EVERY);
        if self.app.columns.engine() != Engine::Warehouse || !is_due {
            return Ok(());
        }
        self.new_brands_at = Some(Instant::now());
        let missing = self.app.store.read().await?.warehouse_copies(&self.app.platform).missing().await?;
        for brand in missing {
            self.app.add_copy(brand).await?;
        }
        Ok(())
    }
}
