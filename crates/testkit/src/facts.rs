//! Inserts facts directly through the store, for tests that need many of them or unusual ones.

use std::sync::atomic::{AtomicUsize, Ordering};

use domain::{
    Attribution, BaseStationId, ChangeCause, IncursionId, IncursionRow, Review, StoredIncursion, TagId,
    Timestamp, Zone,
};
use store::{Projects, RuntimePiece, Scope, Store};

use crate::TestApp;
use crate::insights::FactRows;

/// Access to the facts of a brand.
pub struct Facts {
    store: Store,
    scope: Scope,
    now: Timestamp,
}

/// Returns the day of a time in UTC, as stored in rows.
pub fn utc_day(at: Timestamp) -> i64 {
    at.seconds().div_euclid(24 * 60 * 60)
}

impl TestApp {
    /// Returns the facts of a brand, which is created if it does not exist.
    pub async fn facts(&self, brand: &str) -> Facts {
        let brand = self.ensure_brand(brand).await;
        let (store, platform) = self.database().open().await;
        Facts { store, scope: platform.scope(brand.id, Projects::All), now: self.clock.now() }
    }
}

impl Facts {
    /// Builds an incursion in the warning zone that lasted ten seconds; all optional values are empty.
    pub fn incursion(&self, base_station: BaseStationId, tag: TagId, started_at: Timestamp) -> IncursionRow {
        static LAST: AtomicUsize = AtomicUsize::new(0);
        IncursionRow {
            seq: 0,
            base_station,
            uid: format!("i-{}", LAST.fetch_add(1, Ordering::Relaxed)),
            tag,
            operator_tag: None,
            started_at,
            ended_at: Some(started_at + domain::Span::seconds(10)),
            closed_at: None,
            acknowledged_at: None,
            zone: Zone::Warning,
            closest_cm: None,
            position: None,
            attribution: Attribution { local_day: utc_day(started_at), ..Attribution::default() },
            review: Review::Unreviewed,
            received_at: self.now,
        }
    }

    /// Adds incursions in one transaction, with sequence numbers in their order, and returns their ids in that order.
    pub async fn add_incursions(&self, mut rows: Vec<IncursionRow>) -> Vec<IncursionId> {
        let mut tx = self.store.begin().await.expect("a transaction");
        let count = i64::try_from(rows.len()).expect("not so many");
        let last = tx.lock_and_allocate_seq(&self.scope, count).await.expect("numbers").last_seq;
        for (row, seq) in rows.iter_mut().zip(last - count + 1..) {
            row.seq = seq;
        }
        tx.incursions(&self.scope).add(&rows).await.expect("incursions");
        let uids: Vec<_> = rows.iter().map(|row| (row.base_station, row.uid.as_str())).collect();
        let stored = tx.incursions(&self.scope).by_uids(&uids).await.expect("the same");
        tx.commit().await.expect("a commit");
        let id = |row: &IncursionRow| stored.iter().find(|kept| kept.row.seq == row.seq).map(|kept| kept.id);
        rows.iter().map(|row| id(row).expect("a new uid")).collect()
    }

    /// Returns the store and the scope of the whole brand.
    pub fn store_and_scope(&self) -> (&Store, &Scope) {
        (&self.store, &self.scope)
    }

    /// Adds generated incursions and runtime in their order, with new ids.
    pub async fn add_rows(&self, rows: &FactRows) {
        let incursions = rows.incursions.iter().map(|fact| IncursionRow {
            ended_at: fact.ended_at,
            acknowledged_at: fact.acknowledged_at,
            zone: fact.zone,
            review: fact.review,
            attribution: Attribution {
                machine: fact.machine,
                pedestrian: fact.pedestrian,
                operator: fact.operator,
                worksite: fact.worksite,
                project: fact.project,
                local_day: fact.local_day.number(),
                local_minute: fact.local_minute,
                cell: fact.cell,
            },
            ..self.incursion(fact.base_station, fact.tag, fact.started_at)
        });
        self.add_incursions(incursions.collect()).await;
        let pieces: Vec<RuntimePiece> = rows
            .runtime
            .iter()
            .map(|fact| RuntimePiece {
                base_station: fact.base_station,
                started_at: fact.started_at,
                ended_at: fact.ended_at,
                operator_tag: None,
                machine: fact.machine,
                operator: fact.operator,
                worksite: fact.worksite,
                project: fact.project,
                local_day: fact.local_day.number(),
                local_hour: fact.local_hour,
            })
            .collect();
        self.put_runtime(&pieces).await;
    }

    /// Puts runtime pieces in one transaction, with sequence numbers in their order.
    pub async fn put_runtime(&self, pieces: &[RuntimePiece]) {
        let mut tx = self.store.begin().await.expect("a transaction");
        let count = i64::try_from(pieces.len()).expect("not so many");
        let last = tx.lock_and_allocate_seq(&self.scope, count).await.expect("numbers").last_seq;
        tx.runtime(&self.scope).upsert_pieces(pieces, last - count + 1, self.now).await.expect("runtime");
        tx.commit().await.expect("a commit");
    }

    /// Finds the incursion with the station's own id for it.
    pub async fn find_incursion(&self, base_station: BaseStationId, uid: &str) -> StoredIncursion {
        let mut tx = self.store.read().await.expect("a connection");
        let found = tx.incursions(&self.scope).by_uids(&[(base_station, uid)]).await.expect("an incursion");
        found.into_iter().next().expect("such an incursion")
    }

    /// Changes an incursion as ingest or a job would, and returns the sequence number of the change.
    pub async fn change_incursion(
        &self,
        stored: &mut StoredIncursion,
        cause: ChangeCause,
        change: impl FnOnce(&mut IncursionRow),
    ) -> i64 {
        let mut tx = self.store.begin().await.expect("a transaction");
        let replaced = stored.row.seq;
        change(&mut stored.row);
        stored.row.seq = tx.lock_and_allocate_seq(&self.scope, 1).await.expect("a number").last_seq;
        let changed =
            tx.incursions(&self.scope).replace(&[(stored.clone(), replaced)], cause, self.now).await;
        assert_eq!(changed.expect("a change"), 1);
        tx.commit().await.expect("a commit");
        stored.row.seq
    }
}
