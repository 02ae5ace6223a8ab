//! Answers analytics questions with the engine's own `group by`.
//!
//! The cube's answers are compared with these, and they stand in while a brand's columns are being built or do not fit
//! into memory. A grouping costs one statement over incursions, and one over runtime if that is requested, regardless of
//! the number of groups. All statements see the same snapshot.
//!
//! Facts from before the watermarks of retention do not count, even if their rows exist: they arrived late and are deleted next, and copies
//! cannot tell them from those that were deleted.

pub(crate) mod column_manifests;
pub(crate) mod expired_exports;
pub(crate) mod exports;
pub(crate) mod labels;
pub(crate) mod saved_views;
pub(crate) mod time_zones;
pub(crate) mod warehouse_copies;

mod group_keys;
mod measures;
mod percentiles;
mod runtime;
mod runtime_pieces;

use std::collections::HashMap;
use std::time::Duration;

use domain::Timestamp;
use domain::insights::{Answer, Group, Grouping, Groups, Key, Question};
use domain::row::FromRow;

use crate::engine::row::Row;
use crate::engine::statement::{Statement, sql};
use crate::facts::incursion_filter::question_conditions;
use crate::{Error, FactState, Scope, Snapshot, Tx};
use group_keys::{FactTable, GroupKeys};
use measures::Sums;

pub use runtime_pieces::MachineRuntimePiece;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryLimits {
    /// Maximum number of groups in a grouping; beyond it the query fails with [`Error::TooManyGroups`].
    pub max_groups: usize,
    /// Maximum duration; after it the query fails with [`Error::TimedOut`].
    pub timeout: Duration,
}

/// An answer, with the sequence number up to which it includes changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerWithSeq {
    pub answer: Answer,
    /// Sequence number of the brand's last change that is included.
    pub seq: i64,
}

/// The analytics of a brand, limited to what is visible in the scope.
pub struct Insights<'a>(&'a mut Tx, &'a Scope);

impl Snapshot {
    pub fn insights<'a>(&'a mut self, scope: &'a Scope) -> Insights<'a> {
        Insights(self, scope)
    }
}

#[macros::boxed]
impl Insights<'_> {
    /// Answers a question. Only facts in both the scope's projects and the question's projects are counted; the two are meant
    /// to be the same. After [`Error::TimedOut`] the snapshot can no longer be used.
    pub async fn answer(&mut self, question: &Question, limits: QueryLimits) -> Result<AnswerWithSeq, Error> {
        let scope = self.1;
        self.0
            .with_timeout(limits.timeout, async |tx| {
                let state = tx.fact_changes(scope).state().await?;
                let mut answer = Answer::default();
                for grouping in &question.groupings {
                    let groups =
                        query_groups(tx, scope, question, (grouping, &state), limits.max_groups).await?;
                    answer.groupings.push(Groups::sort_and_limit(groups, grouping, &question.measures));
                }
                Ok(AnswerWithSeq { answer, seq: state.last_seq })
            })
            .await
    }
}

struct IntRow(Vec<Option<i64>>);

impl FromRow<Row> for IntRow {
    fn from_row(row: &Row) -> Result<Self, Error> {
        row.ints().map(Self)
    }
}

/// Returns the groups of a grouping, in no particular order, of the facts in a state.
async fn query_groups(
    tx: &mut Tx,
    scope: &Scope,
    question: &Question,
    (grouping, state): (&Grouping, &FactState),
    max_groups: usize,
) -> Result<Vec<Group>, Error> {
    let kept_from = (state.incursions_kept_from, state.runtime_kept_from);
    let keys = GroupKeys::new(&grouping.dimensions);
    let mut groups: Vec<(Vec<Key>, Sums)> = Vec::new();
    let statement = incursion_statement(scope, (question, kept_from.0), &keys, max_groups);
    tx.for_each_row(statement, |IntRow(numbers)| {
        let (found, sums) = numbers.split_at(keys.len());
        groups.push((keys.read(found), Sums::read(sums)));
    })
    .await?;
    let has_runtime =
        question.needs_runtime() && question.filter.applies_to_runtime() && grouping.applies_to_runtime();
    if has_runtime {
        for (_, sums) in &mut groups {
            sums.runtime_ms = Some(0);
        }
        let mut indexes: HashMap<Vec<Key>, usize> =
            groups.iter().enumerate().map(|(index, (keys, _))| (keys.clone(), index)).collect();
        let statement = runtime::statement(scope, (question, kept_from.1), &keys, max_groups);
        tx.for_each_row(statement, |IntRow(numbers)| {
            let (found, ms) = numbers.split_at(keys.len());
            let found = keys.read(found);
            let index = *indexes.entry(found).or_insert_with_key(|found| {
                groups.push((found.clone(), Sums::default()));
                groups.len() - 1
            });
            groups[index].1.runtime_ms = Some(ms.first().copied().flatten().unwrap_or(0));
        })
        .await?;
    }
    if groups.len() > max_groups {
        return Err(Error::TooManyGroups(max_groups));
    }
    let group = |(keys, sums): (Vec<Key>, Sums)| {
        let figures = question.measures.iter().map(|measure| sums.figure(*measure)).collect();
        Group { keys, figures }
    };
    Ok(groups.into_iter().map(group).collect())
}

/// Builds the statement that sums the incursions of each group. Its limit is one more than the maximum, so that too many
/// groups are noticed.
fn incursion_statement(
    scope: &Scope,
    (question, kept_from): (&Question, Option<Timestamp>),
    keys: &GroupKeys,
    max_groups: usize,
) -> Statement {
    let has_ranks = question.measures.iter().any(|measure| measure.percentile().is_some());
    let mut statement = keys.names(sql!("select ").uncached());
    statement = measures::columns(&question.measures, statement).push(" from (");
    if has_ranks {
        statement = percentiles::ranked(keys, statement).push(" from (");
    }
    statement = keys.expressions(FactTable::Incursions, statement.push("select ")).push(
        "i.acknowledged_at, i.machine_id, i.pedestrian_id, i.operator_id,
             (i.ended_at - i.started_at) / 1000 as duration_ms,
             (i.acknowledged_at - i.started_at) / 1000 as ack_ms
         from incursions i",
    );
    statement = question_conditions(question, kept_from, keys.joins(scope, statement), scope);
    if has_ranks {
        statement = statement.push(") as f");
    }
    group_and_limit(keys, statement.push(") as f"), max_groups)
}

/// Appends the `group by` of `f` and the limit.
fn group_and_limit(keys: &GroupKeys, statement: Statement, max_groups: usize) -> Statement {
    let one_more = i64::try_from(max_groups).unwrap_or(i64::MAX).saturating_add(1);
    keys.group_by(statement).push_with(" limit $?", [one_more.into()])
}
