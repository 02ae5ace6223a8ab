//! Facts that are copied into ClickHouse, for brands whose columns do not fit into memory.
//!
//! `followers` holds the leases of this process on copies. Each copy has a `follower`, which reads every page of changes once and writes
//! it to all nodes that are far enough (`step`), while nodes that are not are filled apart (`fills`, `filling`). What nodes hold is looked at
//! apart, too (`looks`). A question is only answered by nodes that hold the brand's last change of the time at which it was asked.

mod failure_log;
mod fill_notes;
mod filling;
mod fills;
mod follower;
mod followers;
mod lack;
mod looks;
mod question_permits;
mod read_again;
mod step;
mod turns;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::BrandId;
use domain::insights::Question;
use futures_util::future::join_all;
use store::{FactState, Scope, Store};
use warehouse::{Cluster, ClusterQuestion, CopyId, KeptFrom, Kinds, Limits, Origin};

use crate::insights::answered::Answered;
use crate::insights::columns::{AnalyticsConfig, busy};
use crate::{App, Error, ErrorKind};

pub use followers::WarehouseFollowers;
use question_permits::{QuestionPermits, asker};
use turns::WriterTurns;

/// As many bytes of this process are used for each byte of an answer of ClickHouse, until it has become groups with figures.
const MEMORY_PER_RESULT_BYTE: usize = 6;
/// Time that a question waits for a permit.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(10);

/// The cluster, and what this process shares for it.
#[derive(Debug)]
pub(crate) struct Warehouse {
    cluster: Cluster,
    permits: QuestionPermits,
    /// Uses connections that requests do not use, for following.
    reserved_store: Store,
    turns: WriterTurns,
    /// The kinds of records by brand, with the registry version at which they were read.
    kinds: Mutex<HashMap<BrandId, (i64, Arc<Kinds>)>>,
}

impl Warehouse {
    /// Returns the configured warehouse; none if there is none.
    pub fn new(config: &warehouse::Config, store: &Store) -> Result<Option<Arc<Self>>, Error> {
        let fault = |(key, reason): (&str, String)| Error::internal(format!("{key}: {reason}"));
        let Some(cluster) = Cluster::new(config).map_err(fault)? else { return Ok(None) };
        let (total, share) = (config.max_concurrent_queries, config.max_concurrent_queries_per_brand);
        Ok(Some(Arc::new(Self {
            cluster,
            permits: QuestionPermits::new(total as usize, share as usize),
            reserved_store: store.with_reserved_connections(),
            turns: WriterTurns::default(),
            kinds: Mutex::default(),
        })))
    }

    /// Whether some node of every shard says that it holds something of this store. Nodes that do not answer may.
    async fn is_filled(&self, copy: CopyId, store_id: &str) -> bool {
        self.is_filled_if(copy, store_id, true).await
    }

    /// The same, but nodes that do not answer hold nothing.
    pub async fn is_known_to_be_filled(&self, copy: CopyId, store_id: &str) -> bool {
        self.is_filled_if(copy, store_id, false).await
    }

    /// The same, with what is assumed of nodes that do not answer.
    async fn is_filled_if(&self, copy: CopyId, store_id: &str, are_silent_filled: bool) -> bool {
        // All at a time: each that does not answer takes seconds.
        let looks = self.cluster.nodes().map(|node| async move {
            let placement = self.cluster.placement(node);
            let is_filled = match self.cluster.applied(node, copy).await {
                Ok(applied) => applied.is_some_and(|applied| applied.is_of_store(store_id, placement)),
                Err(_) => are_silent_filled,
            };
            is_filled.then_some(placement.shard)
        });
        let filled: Vec<Option<u32>> = join_all(looks).await;
        (1..=self.cluster.shards()).all(|shard| filled.contains(&Some(shard)))
    }
}

/// Checks the nodes of the configured warehouse. Returns their number and what is wrong with some of them; none without a warehouse.
pub async fn check_warehouse(config: &AnalyticsConfig) -> Result<Option<(usize, Vec<String>)>, Error> {
    let fault = |(key, reason): (&str, String)| Error::internal(format!("{key}: {reason}"));
    let Some(cluster) = Cluster::new(&config.warehouse).map_err(fault)? else { return Ok(None) };
    let faults = cluster.check().await.iter().map(ToString::to_string).collect();
    Ok(Some((cluster.nodes().count(), faults)))
}

/// The state of a brand when a question is asked.
struct Start {
    state: FactState,
    origin: Origin,
    copy: CopyId,
}

impl App {
    /// Answers a question from the warehouse. None if the brand's copy is not complete yet.
    pub(crate) async fn answer_from_warehouse(
        &self,
        warehouse: &Warehouse,
        scope: &Scope,
        question: &Question,
        max_groups: usize,
    ) -> Result<Option<Answered>, Error> {
        let place = tokio::time::timeout(PERMIT_TIMEOUT, warehouse.permits.acquire(scope.brand(), asker()));
        let _place = place.await.map_err(|_| busy())?;
        let start = self.start_question(scope).await?;
        let kinds = match Kinds::are_needed(question) {
            true => self.warehouse_kinds(warehouse, scope, start.state.registry_version).await?,
            false => Arc::default(),
        };
        let asked = ClusterQuestion {
            question,
            copy: start.copy,
            origin: &start.origin,
            last_seq: start.state.last_seq,
            kept_from: kept_from(&start.state),
            kinds: &kinds,
        };
        let limits = Limits {
            max_groups,
            max_result_bytes: self.columns.max_query_bytes() / MEMORY_PER_RESULT_BYTE,
            timeout: self.columns.sql_timeout(),
        };
        let answered = match warehouse.cluster.ask(&asked, limits).await {
            Ok(answered) => answered,
            Err(error @ warehouse::Error::NotCurrent(_)) => {
                let is_filled = warehouse.is_filled(start.copy, &start.origin.store_id).await;
                return if is_filled { Err(to_error(&error)) } else { Ok(None) };
            }
            Err(error) => return Err(to_error(&error)),
        };
        self.ensure_unchanged(scope, &start, answered.furthest).await?;
        let (answer, seq) = (answered.answer, start.state.last_seq);
        Ok(Some(Answered { answer, seq, latest_seq: answered.furthest.max(seq) }))
    }

    /// Fails if nodes hold changes that the database does not have any more, or if more facts have been deleted since the start: some nodes
    /// may have dropped a month that others have counted. Nodes may hold later changes than those of the start.
    async fn ensure_unchanged(&self, scope: &Scope, start: &Start, furthest: i64) -> Result<(), Error> {
        let now = self.start_question(scope).await?;
        let is_other = now.origin != start.origin || now.copy != start.copy;
        let went_back = furthest > start.state.last_seq && (furthest > now.state.last_seq || is_other);
        if went_back || kept_from(&now.state) != kept_from(&start.state) {
            return Err(numbers_behind());
        }
        Ok(())
    }

    /// Finds out whether a brand has a copy, once, before its columns are loaded.
    pub(crate) async fn learn_of_copy(&self, scope: &Scope) -> Result<(), Error> {
        let brand = scope.brand();
        if self.warehouse.is_some() && self.columns.must_learn_of_copy(brand) {
            let token = self.store.read().await?.warehouse_copies(&self.platform).token(brand).await?;
            self.columns.note_copy(brand, token.map(|token| copy_id(brand, token)));
        }
        Ok(())
    }

    /// Reads what a question depends on, and asks for a copy if the brand has none.
    async fn start_question(&self, scope: &Scope) -> Result<Start, Error> {
        loop {
            let timeline = self.store.server_timeline();
            let mut tx = self.store.read().await?;
            let state = tx.fact_changes(scope).state().await?;
            let token = tx.warehouse_copies(&self.platform).token(scope.brand()).await?;
            drop(tx);
            let Some(token) = token else {
                self.add_copy(scope.brand()).await?;
                continue;
            };
            // Otherwise the state may be that of another server.
            if self.store.server_timeline() == timeline {
                let origin = Origin { store_id: self.store_id.clone(), timeline };
                return Ok(Start { state, origin, copy: copy_id(scope.brand(), token) });
            }
        }
    }

    /// Adds a copy of a brand, unless it has one.
    async fn add_copy(&self, brand: BrandId) -> Result<(), Error> {
        let mut tx = self.store.begin().await?;
        tx.warehouse_copies(&self.platform).add(brand, self.random_token()).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Returns a token for a new copy.
    pub(crate) fn random_token(&self) -> i64 {
        i64::from_le_bytes(self.random.bytes())
    }

    /// Returns the kinds that records have in a version of the registry, or later.
    async fn warehouse_kinds(
        &self,
        warehouse: &Warehouse,
        scope: &Scope,
        registry_version: i64,
    ) -> Result<Arc<Kinds>, Error> {
        let known = || warehouse.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((version, kinds)) = known().get(&scope.brand())
            && *version == registry_version
        {
            return Ok(Arc::clone(kinds));
        }
        let read = self.store.read().await?.fact_changes(scope).kinds().await?;
        let kinds =
            Arc::new(Kinds { worksites: read.worksites, machines: read.machines, people: read.people });
        known().insert(scope.brand(), (registry_version, Arc::clone(&kinds)));
        Ok(kinds)
    }
}

fn copy_id(brand: BrandId, token: i64) -> CopyId {
    CopyId { brand, token: token.cast_unsigned() }
}

fn kept_from(state: &FactState) -> KeptFrom {
    KeptFrom { incursions: state.incursions_kept_from, runtime: state.runtime_kept_from }
}

/// Returns the error of a question that the copy is behind, or not made yet.
pub(crate) fn numbers_behind() -> Error {
    let detail = "The latest changes could not be counted in time; try again.";
    Error::new(ErrorKind::Unavailable, "numbers_behind", detail).retry_after(1)
}

fn to_error(error: &warehouse::Error) -> Error {
    match error {
        warehouse::Error::TooManyGroups => {
            let detail =
                "The result would exceed the memory limit; ask for fewer groups or a shorter period.";
            Error::new(ErrorKind::Invalid, "too_many_groups", detail)
        }
        warehouse::Error::TimedOut => {
            Error::new(ErrorKind::Unavailable, "took_too_long", "The query took too long.").retry_after(5)
        }
        warehouse::Error::NotCurrent(_) => numbers_behind(),
        warehouse::Error::DoesNotFit(_) => Error::internal(error.to_string()),
        warehouse::Error::Node { .. }
        | warehouse::Error::Slow { .. }
        | warehouse::Error::Refused { .. }
        | warehouse::Error::TooOld { .. } => {
            tracing::warn!("a question was not answered: {error}");
            let detail = "A part of the numbers cannot be read at the moment; try again.";
            Error::new(ErrorKind::Unavailable, "warehouse_unavailable", detail).retry_after(2)
        }
    }
}
