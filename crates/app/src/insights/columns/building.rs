//! Builds columns from the rows, the newest first, so that questions about a recent period need not wait for the others.
//!
//! Pages are read on a few connections, taken apart on other threads and added in order. What changes meanwhile is found by catching up,
//! which questions do before they are answered; the pages leave it out.

use std::collections::VecDeque;
use std::sync::Arc;

use store::{Error as StoreError, Scope};
use tokio::task::JoinHandle;

use super::Columns;
use super::brand::BrandColumns;
use super::catch_up_error::CatchUpError;
use super::loaded::{LoadedColumns, OlderFacts};
use super::reach::{FactKey, Keyed};
use super::windows::{FactKind, KindWindow, PageContent, WINDOW_FACTS, Windows};
use crate::Error;

/// Pages that are read, taken apart or wait to be added. More than the readers, so that these go on meanwhile.
const MAX_PAGES: usize = 4;

impl OlderFacts {
    fn content(&self) -> PageContent {
        match self {
            Self::Incursions(facts) => page_content(facts),
            Self::Runtime(pieces) => page_content(pieces),
        }
    }
}

fn page_content<T: Keyed>(facts: &[T]) -> PageContent {
    // They are newest first.
    let bounds = facts.last().map(Keyed::key).zip(facts.first().map(Keyed::key));
    PageContent { facts: facts.len(), bounds }
}

#[macros::boxed]
impl Columns {
    /// Builds the columns of a brand; returns false if they exceed the memory limit.
    pub(super) async fn build_from_rows(
        &self,
        brand: &Arc<BrandColumns>,
        scope: &Scope,
    ) -> Result<bool, Error> {
        let store = &self.0.reserved_store;
        let begun = LoadedColumns::begin(store, scope).await?;
        let oldest = {
            let _turn = self.0.permits.reader_permit(scope.brand()).await;
            let mut snapshot = store.snapshot().await?;
            let oldest = snapshot.fact_changes(scope).oldest().await?;
            snapshot.end().await?;
            oldest
        };
        let mut windows = Windows::new(oldest, WINDOW_FACTS);
        let (load, last_seq) = (begun.load(), begun.seq());
        *brand.lock().await = Some(begun.with_reach(windows.first_reach()));
        let mut pages: VecDeque<(KindWindow, JoinHandle<Result<OlderFacts, Error>>)> = VecDeque::new();
        loop {
            while pages.len() < MAX_PAGES
                && let Some(window) = windows.next()
            {
                let read = self.clone().read_window(scope.clone(), window, last_seq);
                pages.push_back((window, tokio::spawn(read)));
            }
            let Some((mut window, page)) = pages.pop_front() else { break };
            let mut page = page.await.map_err(Error::internal)??;
            loop {
                let outcome = windows.note_page(window, page.content());
                if !self.add_page(brand, load, page, outcome.reach).await? {
                    brand.set_too_large(scope.brand());
                    return Ok(false);
                }
                let Some(rest) = outcome.rest else { break };
                (window, page) = (rest, self.clone().read_window(scope.clone(), rest, last_seq).await?);
            }
        }
        self.catch_up_built(brand, scope, load).await.map(|()| true)
    }

    /// Reads a page of a window, on a connection of its own, and takes it apart.
    async fn read_window(self, scope: Scope, of: KindWindow, last_seq: i64) -> Result<OlderFacts, Error> {
        let turn = self.0.permits.reader_permit(scope.brand()).await;
        let mut snapshot = self.0.reserved_store.snapshot().await?;
        let mut changes = snapshot.fact_changes(&scope);
        let decoded: JoinHandle<Result<OlderFacts, StoreError>> = match of.kind {
            FactKind::Incursions => {
                let page = changes.incursions_of(of.window, last_seq).await?;
                tokio::task::spawn_blocking(move || page.decode().map(OlderFacts::Incursions))
            }
            FactKind::Runtime => {
                let page = changes.runtime_of(of.window, last_seq).await?;
                tokio::task::spawn_blocking(move || page.decode().map(OlderFacts::Runtime))
            }
        };
        snapshot.end().await?;
        drop(turn);
        Ok(decoded.await.map_err(Error::internal)??)
    }

    /// Adds a page; returns false if the columns exceed the memory limit, in which case they are dropped.
    async fn add_page(
        &self,
        brand: &Arc<BrandColumns>,
        load: u64,
        page: OlderFacts,
        reach: FactKey,
    ) -> Result<bool, Error> {
        let (mut held, max_bytes) = (brand.lock().await, self.0.max_brand_bytes());
        let added: JoinHandle<Result<Option<usize>, Error>> = tokio::task::spawn_blocking(move || {
            let of = held.as_mut().filter(|of| of.load() == load).ok_or_else(discarded)?;
            of.add_older(&page, reach).map_err(Error::internal)?;
            let bytes = of.bytes();
            if bytes > max_bytes {
                *held = None;
                return Ok(None);
            }
            Ok(Some(bytes))
        });
        let bytes = added.await.map_err(Error::internal)??;
        // Counted from the first page on: if the next one cannot be read, what is there can make room for others.
        brand.set_bytes(bytes.unwrap_or(0));
        brand.note_progress();
        Ok(bytes.is_some())
    }

    /// Applies the changes since the building began, and drops the columns if they are outdated already.
    async fn catch_up_built(&self, brand: &Arc<BrandColumns>, scope: &Scope, load: u64) -> Result<(), Error> {
        let mut held = brand.lock().await;
        let of = held.as_mut().filter(|of| of.load() == load).ok_or_else(discarded)?;
        let fault = match of.catch_up(&self.0.reserved_store, scope).await {
            Ok(()) => return Ok(()),
            Err(CatchUpError::Store(error)) => error,
            Err(CatchUpError::Columns(fault)) => Error::internal(fault),
            Err(CatchUpError::Unreachable(reason)) => Error::internal(reason),
            Err(CatchUpError::Outdated(reason)) => {
                Error::internal(format!("they were outdated before they were built: {reason:?}"))
            }
        };
        *held = None;
        brand.set_bytes(0);
        Err(fault)
    }
}

fn discarded() -> Error {
    Error::internal("they were discarded while they were built")
}
