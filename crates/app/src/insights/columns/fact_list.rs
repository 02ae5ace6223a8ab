//! Lists the facts of a period one by one: from the columns, or else from the rows.

use std::sync::Arc;

use cube::Snapshot;
use domain::insights::{IncursionFact, RuntimeFact};
use domain::{IncursionId, RuntimePieceId, Span, Timestamp};
use store::Scope;

use super::reach::{LONGEST_PIECE, NeededPeriod};
use super::{Asker, Columns, ColumnsToScan, Fallback, Recovery};
use crate::{App, Error};

/// The most items of a list, whatever memory there is.
const MAX_FACTS: usize = 2_000_000;
/// Rows per read, as when columns are built.
const PAGE: usize = 50_000;

/// Turns a fact into what is kept of it; none to leave it out.
pub(crate) type Select<Fact, T> = Box<dyn Fn(&Fact) -> Option<T> + Send + Sync>;

/// The facts to list, of all projects of the brand.
pub(crate) struct FactQuery<I, R> {
    /// Incursions that start in it, and runtime of which a part lies in it.
    pub period: (Timestamp, Timestamp),
    pub incursion: Select<IncursionFact, I>,
    /// None if runtime is not needed.
    pub piece: Option<Select<RuntimeFact, R>>,
    /// The most items of either kind.
    pub limit: usize,
}

/// Facts by their start, as of a change of the brand.
#[derive(Debug)]
pub(crate) struct FactList<I, R> {
    pub incursions: Vec<I>,
    pub runtime: Vec<R>,
    pub seq: i64,
}

impl<I, R> FactQuery<I, R> {
    /// Reads the columns; none if there are too many facts.
    fn read(&self, snapshot: &Snapshot, seq: i64) -> Result<Option<FactList<I, R>>, cube::Error> {
        let Some(incursions) = snapshot.list_incursions(self.period, self.limit, &self.incursion)? else {
            return Ok(None);
        };
        let runtime = match &self.piece {
            Some(piece) => snapshot.list_runtime(self.period, self.limit, piece)?,
            None => Some(Vec::new()),
        };
        Ok(runtime.map(|runtime| FactList { incursions, runtime, seq }))
    }
}

impl Columns {
    /// Lists facts from the columns; none if there are too many.
    async fn list_facts<I: Send + 'static, R: Send + 'static>(
        &self,
        scope: &Scope,
        query: &Arc<FactQuery<I, R>>,
    ) -> Result<Option<FactList<I, R>>, Fallback> {
        let period = NeededPeriod::of_list(query.period);
        let (brand, held) = self.hold_current(scope, period, Asker::Reader).await?;
        let Some(of) = held.as_ref() else { return Err(Fallback::Sql) };
        let columns = ColumnsToScan::new(of);
        brand.set_bytes(of.bytes());
        drop(held);
        self.0.evict_idle_brands(scope.brand());
        loop {
            let place = self.0.permits.scan_permit(scope.brand()).await?;
            let (query, snapshot, seq) = (Arc::clone(query), columns.snapshot.clone(), columns.seq);
            let read = tokio::task::spawn_blocking(move || {
                // Held by the thread: a caller who goes away does not free a permit that is still in use.
                let _place = place;
                query.read(&snapshot, seq)
            });
            match read.await.map_err(Error::internal)? {
                Ok(list) => return Ok(list),
                Err(fault) => match self.recover(&brand, scope, &columns, fault, period).await? {
                    Recovery::Fetched => {}
                    Recovery::Discarded => return Err(Fallback::Sql),
                },
            }
        }
    }
}

impl App {
    /// Returns how many items a list can have so that a query stays within its memory, if each takes this many bytes.
    pub(crate) fn max_listed_facts(&self, bytes_each: usize) -> usize {
        let max_bytes = self.columns.max_query_bytes();
        (max_bytes / bytes_each).min(MAX_FACTS)
    }

    /// Lists facts from the columns or else from the rows; none if there are more of a kind than the query allows.
    pub(crate) async fn list_facts<I: Send + 'static, R: Send + 'static>(
        &self,
        scope: &Scope,
        query: FactQuery<I, R>,
    ) -> Result<Option<FactList<I, R>>, Error> {
        let query = Arc::new(query);
        self.learn_of_copy(scope).await?;
        match self.columns.list_facts(scope, &query).await {
            Ok(list) => Ok(list),
            Err(Fallback::Failed(error)) => Err(error),
            Err(Fallback::Sql) => self.list_facts_by_sql(scope, &query).await,
        }
    }

    /// Lists facts from the rows, if a permit is free.
    async fn list_facts_by_sql<I: Send, R: Send>(
        &self,
        scope: &Scope,
        query: &FactQuery<I, R>,
    ) -> Result<Option<FactList<I, R>>, Error> {
        let place = self.columns.try_sql_permit(scope.brand())?;
        let mut snapshot = self.store.snapshot().await?;
        // Tied to the connection, which is in use until the database releases it, even if the caller goes away.
        snapshot.attach_guard(place);
        let state = snapshot.fact_changes(scope).state().await?;
        let (seq, (from, to)) = (state.last_seq, query.period);
        let just_before = |at: Timestamp| at - Span::from_micros(1);
        let mut list = FactList { incursions: Vec::new(), runtime: Vec::new(), seq };

        let mut after = (just_before(from), IncursionId(i64::MAX));
        loop {
            let page = snapshot.fact_changes(scope).incursions_by_time(Some(after), seq, PAGE).await?;
            let facts = page.iter().map(|change| &change.fact).take_while(|fact| fact.started_at < to);
            let facts = facts.filter(|fact| Some(fact.started_at) >= state.incursions_kept_from);
            list.incursions.extend(facts.filter_map(&query.incursion));
            let next = page.last().map(|last| (last.fact.started_at, last.fact.id));
            match next.filter(|next| page.len() == PAGE && next.0 < to) {
                Some(next) if list.incursions.len() <= query.limit => after = next,
                _ => break,
            }
        }
        if let Some(select) = &query.piece {
            let mut after = (just_before(from - LONGEST_PIECE), RuntimePieceId(i64::MAX));
            loop {
                let page = snapshot.fact_changes(scope).runtime_by_time(Some(after), seq, PAGE).await?;
                let pieces = page.iter().map(|change| &change.fact).take_while(|piece| piece.started_at < to);
                let pieces = pieces.filter(|piece| piece.ended_at > from.max(piece.started_at));
                let pieces = pieces.filter(|piece| Some(piece.started_at) >= state.runtime_kept_from);
                list.runtime.extend(pieces.filter_map(select));
                let next = page.last().map(|last| (last.fact.started_at, last.fact.id));
                match next.filter(|next| page.len() == PAGE && next.0 < to) {
                    Some(next) if list.runtime.len() <= query.limit => after = next,
                    _ => break,
                }
            }
        }
        snapshot.end().await?;
        let is_complete = list.incursions.len() <= query.limit && list.runtime.len() <= query.limit;
        Ok(is_complete.then_some(list))
    }
}
