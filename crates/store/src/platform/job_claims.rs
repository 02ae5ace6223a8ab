//! Claims waiting jobs, brand by brand, through one index whatever the length of the queue.
//!
//! The queue is never sorted. The brands with waiting jobs are found by skipping from one to the next in the index `jobs_turns`,
//! which also gives the first job of each kind within a brand. A brand with a hundred thousand jobs therefore costs as much as one
//! with a single job.

use domain::{BrandId, JobId, Timestamp};

use crate::Error;
use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::platform::jobs::{ClaimedJob, Jobs};

/// Selects the jobs that a worker may claim: of these kinds, and of any brand that is below its limit of running jobs.
#[derive(Clone, Debug, Default)]
pub struct Claimable {
    pub kinds: Vec<&'static str>,
    /// Brands that get no more jobs for now.
    pub brands_at_limit: Vec<BrandId>,
}

impl Claimable {
    /// Selects all jobs of these kinds.
    pub fn any(kinds: &[&'static str]) -> Self {
        Self { kinds: kinds.to_vec(), brands_at_limit: Vec::new() }
    }
}

/// The worker that claims a job, and the period of its lease.
#[derive(Clone, Copy, Debug)]
pub struct Claimant<'a> {
    pub worker: &'a str,
    pub now: Timestamp,
    /// Time after which another worker may take over the job.
    pub leased_until: Timestamp,
}

/// The brand of a job as the index has it: 0 for jobs without a brand.
#[derive(macros::FromRow)]
struct BrandKey(#[row(column = "brand")] i64);

impl BrandKey {
    fn from_brand(brand: Option<BrandId>) -> i64 {
        brand.map_or(0, |BrandId(id)| id)
    }

    fn brand(&self) -> Option<BrandId> {
        Some(BrandId(self.0)).filter(|brand| brand.0 != 0)
    }
}

/// Considers the first eight jobs of each kind, because other processes may be about to claim some of them.
const FIRST_OF_A_KIND: &str = " order by run_at, id limit 8) first_of_a_kind";

#[macros::boxed]
impl Jobs<'_> {
    /// Lists the brands that have a due job among these, in order of their ids; none stands for jobs without a brand. This is a plain
    /// read, so that idle workers do not write.
    pub async fn due_brands(
        &mut self,
        of: &[Claimable],
        now: Timestamp,
    ) -> Result<Vec<Option<BrandId>>, Error> {
        let Some(statement) = due_brands_statement(of, now) else { return Ok(Vec::new()) };
        let mut found: Vec<BrandKey> = self.0.all(statement).await?;
        found.sort_unstable_by_key(|BrandKey(id)| *id);
        Ok(found.iter().map(BrandKey::brand).collect())
    }

    /// Whether one of these jobs was abandoned, which means that its lease has expired.
    pub async fn has_abandoned(&mut self, of: &[Claimable], now: Timestamp) -> Result<bool, Error> {
        let statement = and_abandoned(sql!("select id from jobs where "), of, now).push(" limit 1");
        Ok(self.0.optional::<Id<JobId>>(statement).await?.is_some())
    }

    /// Takes over one of these jobs whose lease has expired. There are never more of them than workers.
    pub async fn claim_abandoned(
        &mut self,
        of: &[Claimable],
        claimant: Claimant<'_>,
    ) -> Result<Option<ClaimedJob>, Error> {
        let lock = self.0.queue_lock();
        let statement = and_abandoned(claim_prefix(claimant), of, claimant.now)
            .push(" order by leased_until, id limit 1");
        self.0.optional(returning(statement, lock)).await
    }

    /// Claims the job among these that has been due for the longest time, of a brand or without one.
    pub async fn claim_for_brand(
        &mut self,
        brand: Option<BrandId>,
        of: &[Claimable],
        claimant: Claimant<'_>,
    ) -> Result<Option<ClaimedJob>, Error> {
        let lock = self.0.queue_lock();
        let Some(statement) = claim_statement(brand, of, claimant) else { return Ok(None) };
        self.0.optional(returning(statement, lock)).await
    }

    /// Returns the query plans of finding due brands and claiming a job, for tests of indexes.
    pub async fn explain_claims(
        &mut self,
        of: &[Claimable],
        brand: BrandId,
        now: Timestamp,
    ) -> Result<Vec<String>, Error> {
        let claimant = Claimant { worker: "", now, leased_until: now };
        let lock = self.0.queue_lock();
        let claim = claim_statement(Some(brand), of, claimant).map(|statement| returning(statement, lock));
        let mut lines = Vec::new();
        for statement in due_brands_statement(of, now).into_iter().chain(claim) {
            lines.extend(self.0.explain(statement).await?);
        }
        Ok(lines)
    }
}

/// Selects the brands that have a due job among these; returns none if there are no kinds. The first brand is found with a condition
/// that always holds, because without one SQLite sorts the table.
fn due_brands_statement(of: &[Claimable], now: Timestamp) -> Option<Statement> {
    let mut statement = sql!(
        "with recursive brands (brand) as (
             select (select coalesce(j.brand_id, 0) from jobs j
                 where j.state = 'waiting' and coalesce(j.brand_id, 0) > -1
                 order by coalesce(j.brand_id, 0) limit 1)
             union all
             select (select coalesce(j.brand_id, 0) from jobs j
                 where j.state = 'waiting' and coalesce(j.brand_id, 0) > b.brand
                 order by coalesce(j.brand_id, 0) limit 1)
             from brands b where b.brand is not null
         )
         select b.brand from brands b where b.brand is not null and ("
    );
    let mut is_first = true;
    for Claimable { kinds, brands_at_limit } in of {
        // One condition per kind: for a list of kinds PostgreSQL would scan all kinds of a brand.
        for kind in kinds {
            statement = statement.push(if is_first { "" } else { " or " });
            is_first = false;
            if !brands_at_limit.is_empty() {
                statement = statement
                    .push("b.brand not in ")
                    .push_list(brands_at_limit.iter().copied())
                    .push(" and ");
            }
            statement = statement.push_with(
                "exists (select 1 from jobs j where j.state = 'waiting' and coalesce(j.brand_id, 0) = b.brand
                     and j.kind = $? and j.run_at <= $?)",
                [(*kind).into(), now.into()],
            );
        }
    }
    (!is_first).then(|| statement.push(")"))
}

/// Claims the first of these jobs of a brand; returns none if the brand is at its limit for all of them.
fn claim_statement(brand: Option<BrandId>, of: &[Claimable], claimant: Claimant<'_>) -> Option<Statement> {
    let is_full = |full: &[BrandId]| brand.is_some_and(|brand| full.contains(&brand));
    let groups = of.iter().filter(|group| !is_full(&group.brands_at_limit));
    let mut statement = claim_prefix(claimant).push("state = 'waiting' and id in (");
    let mut is_first = true;
    for kind in groups.flat_map(|group| &group.kinds) {
        statement = statement.push(if is_first { "" } else { " union all " });
        is_first = false;
        statement = statement
            .push_with(
                "select id from (select id from jobs where state = 'waiting' and coalesce(brand_id, 0) = $?
                     and kind = $? and run_at <= $?",
                [BrandKey::from_brand(brand).into(), (*kind).into(), claimant.now.into()],
            )
            .push(FIRST_OF_A_KIND);
    }
    (!is_first).then(|| statement.push(") order by run_at, id limit 1"))
}

fn claim_prefix(Claimant { worker, now, leased_until }: Claimant<'_>) -> Statement {
    sql!(
        "update jobs set state = 'running', worker = $1, leased_until = $2, updated_at = $3,
             fence = fence + 1, attempts = attempts + 1
         where id = (select id from jobs where ",
        worker,
        leased_until,
        now
    )
}

fn returning(statement: Statement, lock: &'static str) -> Statement {
    statement.push(lock).push(") returning id, kind, payload, attempts, fence, brand_id, created_at")
}

/// Appends the condition that the lease of a job has expired and that it is one of these.
fn and_abandoned(statement: Statement, of: &[Claimable], now: Timestamp) -> Statement {
    let mut statement =
        statement.push_with("state = 'running' and leased_until <= $? and (1 = 0", [now.into()]);
    for Claimable { kinds, brands_at_limit } in of.iter().filter(|one| !one.kinds.is_empty()) {
        statement = statement.push(" or kind in ").push_list(kinds.iter().copied());
        if !brands_at_limit.is_empty() {
            statement = statement
                .push(" and coalesce(brand_id, 0) not in ")
                .push_list(brands_at_limit.iter().copied());
        }
    }
    statement.push(")")
}
