//! How far the rules of each brand were evaluated, and the worker that does it.

use domain::{BrandId, Timestamp};

use crate::engine::statement::{Statement, sql};
use crate::{Error, Platform, Tx};

/// A brand whose rules must be looked at.
#[derive(Clone, Debug, macros::FromRow)]
pub struct DueBrand {
    #[row(column = "brand_id")]
    pub brand: BrandId,
    /// Sequence number of the brand's last change of a fact.
    pub last_seq: i64,
    pub registry_version: i64,
    #[row(flatten)]
    pub cursor: CursorState,
}

/// How far the rules of a brand were evaluated, and who holds the lease.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct CursorState {
    /// Rises with every change of rules, recipients or firings that the evaluating worker did not make.
    pub rules_version: i64,
    /// Sequence number of the last change of a fact that was evaluated.
    pub evaluated_seq: i64,
    pub next_due_at: Timestamp,
    pub worker: Option<String>,
    pub leased_until: Timestamp,
    /// Rises with every takeover.
    pub fence: i64,
}

/// An evaluation as it is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedEvaluation {
    /// Up to where facts were evaluated.
    pub seq: i64,
    /// The version of the rules that were evaluated.
    pub rules_version: i64,
    pub next_due_at: Timestamp,
    /// When it began.
    pub evaluated_at: Timestamp,
}

#[derive(macros::FromRow)]
struct Fence(#[row(column = "fence")] i64);

#[derive(macros::FromRow)]
struct NextDue(#[row(column = "next_due_at")] Timestamp);

#[derive(macros::FromRow)]
struct Counts {
    rules: i64,
    firings: i64,
    deliveries: i64,
}

/// The evaluation of the rules of all brands.
pub struct AlertCursors<'a>(&'a mut Tx);

impl Tx {
    pub fn alert_cursors(&mut self, _: &Platform) -> AlertCursors<'_> {
        AlertCursors(self)
    }

    /// Locks the cursor of a brand, as every change of rules and firings does first.
    pub(super) async fn lock_alert_cursor(&mut self, brand: BrandId) -> Result<(), Error> {
        let lock = self.row_lock();
        let text = "select fence from alert_cursors where brand_id = $1";
        self.optional::<Fence>(sql!(text, brand).push(lock)).await?;
        Ok(())
    }

    /// Records that the rules of a brand must be read again, now. The first rule of a brand creates its cursor.
    pub(super) async fn bump_alert_cursor(&mut self, brand: BrandId, now: Timestamp) -> Result<(), Error> {
        self.execute(sql!(
            "insert into alert_cursors (brand_id, rules_version, has_rules, evaluated_seq, next_due_at, leased_until, fence)
             values ($1, 1, exists (select 1 from alert_rules r where r.brand_id = $1 and r.deleted_at is null), 0, $2, 0, 0)
             on conflict (brand_id) do update set rules_version = alert_cursors.rules_version + 1,
                 has_rules = excluded.has_rules, next_due_at = excluded.next_due_at",
            brand,
            now
        ))
        .await?;
        Ok(())
    }
}

#[macros::boxed]
impl AlertCursors<'_> {
    /// Returns the brands with rules whose facts changed or whose time has come, and that no other worker holds.
    pub async fn due(&mut self, worker: &str, now: Timestamp) -> Result<Vec<DueBrand>, Error> {
        self.0.all(select_due(worker, now)).await
    }

    /// Returns the query plan of [`AlertCursors::due`], for tests of indexes.
    pub async fn explain_due(&mut self, worker: &str, now: Timestamp) -> Result<Vec<String>, Error> {
        self.0.explain(select_due(worker, now)).await
    }

    /// Takes or renews the lease on a brand until a time; returns the fence, or none if another worker holds the lease or the brand has
    /// no cursor. The fence moves unless this worker has held the lease until now.
    pub async fn take(
        &mut self,
        brand: BrandId,
        worker: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<i64>, Error> {
        let taken: Option<Fence> = self
            .0
            .optional(sql!(
                "update alert_cursors set worker = $2, leased_until = $4,
                     fence = case when worker = $2 and leased_until > $3 then fence else fence + 1 end
                 where brand_id = $1 and (worker is null or worker = $2 or leased_until <= $3) returning fence",
                brand,
                worker,
                now,
                until
            ))
            .await?;
        Ok(taken.map(|Fence(fence)| fence))
    }

    /// Locks the row of a brand until the end of the transaction, and returns whether this fence still holds. If not, nothing that was
    /// read under it may be written.
    pub async fn lock(&mut self, brand: BrandId, fence: i64) -> Result<bool, Error> {
        let lock = self.0.row_lock();
        let text = "select fence from alert_cursors where brand_id = $1";
        let found: Option<Fence> = self.0.optional(sql!(text, brand).push(lock)).await?;
        Ok(found.is_some_and(|Fence(current)| current == fence))
    }

    /// Records an evaluation; returns false if the fence no longer holds. What became due because someone changed a rule after it was
    /// read stays due.
    pub async fn record(
        &mut self,
        brand: BrandId,
        fence: i64,
        done: &RecordedEvaluation,
    ) -> Result<bool, Error> {
        let recorded = self
            .0
            .execute(sql!(
                "update alert_cursors set evaluated_seq = $3, evaluated_at = $6,
                     next_due_at = case when rules_version > $4 and next_due_at < $5 then next_due_at else $5 end
                 where brand_id = $1 and fence = $2",
                brand,
                fence,
                done.seq,
                done.rules_version,
                done.next_due_at,
                done.evaluated_at
            ))
            .await?;
        Ok(recorded > 0)
    }

    /// Returns when the brand that has waited longest, or waits next, is looked at; none if there are no rules.
    pub async fn first_due_at(&mut self) -> Result<Option<Timestamp>, Error> {
        let text = "select next_due_at from alert_cursors where has_rules order by next_due_at limit 1";
        Ok(self.0.optional::<NextDue>(sql!(text)).await?.map(|NextDue(at)| at))
    }

    /// Records that something changed that the evaluating worker must read again, and makes the brand due.
    pub async fn bump(&mut self, brand: BrandId, now: Timestamp) -> Result<(), Error> {
        self.0.bump_alert_cursor(brand, now).await
    }

    /// Ends all leases, for a restored database: the workers that held them are elsewhere.
    pub async fn release_all(&mut self) -> Result<(), Error> {
        self.0.execute(sql!("update alert_cursors set worker = null, leased_until = 0")).await?;
        Ok(())
    }

    /// Counts rules that are enabled, firings that are open and deliveries that are queued, of all brands.
    pub async fn counts(&mut self) -> Result<(i64, i64, i64), Error> {
        let text = "select (select count(*) from alert_rules where enabled and deleted_at is null) as rules,
                 (select count(*) from alert_firings where cleared_at is null) as firings,
                 (select count(*) from alert_deliveries where state = 'queued') as deliveries";
        let Counts { rules, firings, deliveries } = self.0.one(sql!(text)).await?;
        Ok((rules, firings, deliveries))
    }
}

fn select_due(worker: &str, now: Timestamp) -> Statement {
    sql!(
        "select c.brand_id, b.last_seq, b.registry_version, c.rules_version, c.evaluated_seq, c.next_due_at, c.worker,
             c.leased_until, c.fence
         from alert_cursors c join brand_counters b on b.brand_id = c.brand_id
         where c.has_rules and (b.last_seq > c.evaluated_seq or c.next_due_at <= $2)
             and (c.worker is null or c.worker = $1 or c.leased_until <= $2)
         order by c.next_due_at, c.brand_id",
        worker,
        now
    )
}
