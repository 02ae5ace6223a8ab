//! Questions that are answered with numbers, answered by the engine's own `group by`.
//!
//! This is what the cube's answers are compared with, and what answers for it while a brand's columns are being built or do
//! not fit. Each grouping costs a statement over incursions, and one over runtime if that is asked for, however many groups
//! there are. All see the same rows.

pub(crate) mod expired_exports;
pub(crate) mod exports;
pub(crate) mod labels;
pub(crate) mod saved_views;

mod group_keys;
mod measures;
mod percentiles;
mod runtime;
mod runtime_pieces;

use std::collections::HashMap;
use std::time::Duration;

use domain::insights::{Answer, Group, Grouping, Groups, Key, Question};

use crate::engine::row::{FromRow, Row};
use crate::engine::statement::{Statement, sql};
use crate::facts::incursion_filter::question_conditions;
use crate::{Error, Scope, Snapshot, Tx};
use group_keys::{FactTable, GroupKeys};
use measures::Sums;

pub use runtime_pieces::MachineRuntimePiece;

/// What answering may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryLimits {
    /// How many groups a grouping may have; with more, the answer is [`Error::TooManyGroups`].
    pub max_groups: usize,
    /// How long it may take; then the answer is [`Error::Deadline`].
    pub timeout: Duration,
}

/// An answer, and how far the facts went that it was made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerWithSeq {
    /// The answer.
    pub answer: Answer,
    /// The number of the brand's last change that it knows of.
    pub seq: i64,
}

/// The numbers of a brand, as far as the scope shows them.
pub struct Insights<'a>(&'a mut Tx, &'a Scope);

impl Snapshot {
    /// The numbers of a brand, as far as the scope shows them.
    pub fn insights<'a>(&'a mut self, scope: &'a Scope) -> Insights<'a> {
        Insights(self, scope)
    }
}

impl Insights<'_> {
    /// Answers a question. Nothing is counted but what lies in the scope's projects and in those of the question, which
    /// are meant to be the same. After [`Error::Deadline`] the snapshot is of no more use.
    pub async fn answer(&mut self, question: &Question, limits: QueryLimits) -> Result<AnswerWithSeq, Error> {
        let scope = self.1;
        self.0
            .with_timeout(limits.timeout, async |tx| {
                let seq = tx.counters(scope).await?.last_seq;
                let mut answer = Answer::default();
                for grouping in &question.groupings {
                    let groups = query_groups(tx, scope, question, grouping, limits.max_groups).await?;
                    answer.groupings.push(Groups::sort_and_limit(groups, grouping, &question.measures));
                }
                Ok(AnswerWithSeq { answer, seq })
            })
            .await
    }
}

/// A row of whole numbers.
struct IntRow(Vec<Option<i64>>);

impl FromRow for IntRow {
    fn from_row(row: &Row) -> Result<Self, Error> {
        row.ints().map(Self)
    }
}

/// The groups of a grouping, in any order.
async fn query_groups(
    tx: &mut Tx,
    scope: &Scope,
    question: &Question,
    grouping: &Grouping,
    max_groups: usize,
) -> Result<Vec<Group>, Error> {
    let keys = GroupKeys::new(&grouping.dimensions);
    let mut groups: Vec<(Vec<Key>, Sums)> = Vec::new();
    tx.for_each_row(incursion_statement(scope, question, &keys, max_groups), |IntRow(numbers)| {
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
        let mut places: HashMap<Vec<Key>, usize> =
            groups.iter().enumerate().map(|(place, (keys, _))| (keys.clone(), place)).collect();
        tx.for_each_row(runtime::statement(scope, question, &keys, max_groups), |IntRow(numbers)| {
            let (found, ms) = numbers.split_at(keys.len());
            let found = keys.read(found);
            let place = *places.entry(found).or_insert_with_key(|found| {
                groups.push((found.clone(), Sums::default()));
                groups.len() - 1
            });
            groups[place].1.runtime_ms = Some(ms.first().copied().flatten().unwrap_or(0));
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

/// The sums of the incursions of each group. One group more than may be is asked for, which tells that there are too many.
fn incursion_statement(scope: &Scope, question: &Question, keys: &GroupKeys, max_groups: usize) -> Statement {
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
    statement = question_conditions(question, keys.joins(scope, statement), scope);
    if has_ranks {
        statement = statement.push(") as f");
    }
    group_and_limit(keys, statement.push(") as f"), max_groups)
}

/// Appends by what `f` is grouped, and how many groups there may be.
fn group_and_limit(keys: &GroupKeys, statement: Statement, max_groups: usize) -> Statement {
    let one_more = i64::try_from(max_groups).unwrap_or(i64::MAX).saturating_add(1);
    keys.group_by(statement).push_with(" limit $?", [one_more.into()])
}
