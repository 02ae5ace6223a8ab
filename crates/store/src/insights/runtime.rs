//! Builds the statement that sums the runtime of machines by group.

use domain::insights::Question;
use domain::{PeriodBound, Span, Timestamp};

use crate::Scope;
use crate::engine::statement::{Statement, sql};
use crate::facts::incursion_filter::kind_conditions;

use super::group_and_limit;
use super::group_keys::{FactTable, GroupKeys};

/// An upper bound of the length of a piece, which ends with its local hour: a piece that covers an instant started at most this
/// long before it.
const MAX_PIECE_LENGTH: Span = Span::minutes(24 * 60);

/// Builds the statement that returns the milliseconds of runtime of each group. Pieces of zero length are deleted and do not
/// count, nor do those that started before `kept_from`; a piece that overlaps a bound of the period counts up to that bound.
pub(super) fn statement(
    scope: &Scope,
    (question, kept_from): (&Question, Option<Timestamp>),
    keys: &GroupKeys,
    max_groups: usize,
) -> Statement {
    let at = |cut| match cut {
        Some(PeriodBound::Instant(at)) => Some(at),
        Some(PeriodBound::Day(_)) | None => None,
    };
    let (from, to) = (at(question.from), at(question.to));
    let statement = keys.names(sql!("select ").uncached()).push("cast(sum(runtime_ms) as bigint) from (");
    let statement = keys.expressions(FactTable::Pieces, statement.push("select ")).push("(");
    let statement =
        clipped(statement, to, "case when p.ended_at > $? then $? else p.ended_at end", "p.ended_at");
    let statement = clipped(
        statement.push(" - "),
        from,
        "case when p.started_at < $? then $? else p.started_at end",
        "p.started_at",
    );
    let statement = statement.push(") / 1000 as runtime_ms from runtime_pieces p");
    let statement = keys
        .joins(scope, statement)
        .push_with(" where p.brand_id = $? and p.ended_at > p.started_at", [scope.brand().into()])
        .and_in_projects(scope.projects(), "p.project_id");
    let statement = link_conditions(question, scope, period_conditions(question, kept_from, statement));
    group_and_limit(keys, statement.push(") as f"), max_groups)
}

/// Appends a column, clipped at a time if one is given.
fn clipped(
    statement: Statement,
    at: Option<Timestamp>,
    text: &'static str,
    column: &'static str,
) -> Statement {
    match at {
        // SQLite and PostgreSQL have different functions for the smaller of two values.
        Some(at) => statement.push_with(text, [at.into(), at.into()]),
        None => statement.push(column),
    }
}

/// Appends the conditions on the time of a piece, which also started at `kept_from` or later. The index is on its start, and no piece is as
/// long as a day.
pub(super) fn period_conditions(
    question: &Question,
    kept_from: Option<Timestamp>,
    statement: Statement,
) -> Statement {
    if let (Some(PeriodBound::Instant(from)), Some(PeriodBound::Instant(to))) = (question.from, question.to)
        && from >= to
    {
        return statement.push(" and 1 = 0");
    }
    let statement = match question.from {
        None => statement,
        Some(PeriodBound::Instant(at)) => statement.push_with(
            " and p.started_at >= $? and p.ended_at > $?",
            [(at - MAX_PIECE_LENGTH).into(), at.into()],
        ),
        Some(cut @ PeriodBound::Day(day)) => statement.push_with(
            " and p.started_at >= $? and p.local_day >= $?",
            [cut.earliest().into(), day.number().into()],
        ),
    };
    // Only where it says more: of two lower bounds, an engine may look up the wrong one in the index.
    let says_more =
        |at: &Timestamp| question.from.is_none_or(|from| from.earliest() - MAX_PIECE_LENGTH < *at);
    let statement = match kept_from.filter(says_more) {
        Some(at) => statement.push_with(" and p.started_at >= $?", [at.into()]),
        None => statement,
    };
    match question.to {
        None => statement,
        Some(PeriodBound::Instant(at)) => statement.push_with(" and p.started_at < $?", [at.into()]),
        Some(cut @ PeriodBound::Day(day)) => statement.push_with(
            " and p.started_at < $? and p.local_day < $?",
            [cut.latest().into(), day.number().into()],
        ),
    }
}

/// Appends the conditions on the records that a piece is linked to. Filters on fields that only incursions have are ignored.
pub(super) fn link_conditions(question: &Question, scope: &Scope, statement: Statement) -> Statement {
    let filter = &question.filter;
    let mut statement = kind_conditions(filter, scope, statement, ("p.machine_id", "p.worksite_id"));
    let ids: [(&str, Vec<i64>); 5] = [
        ("p.project_id", filter.projects.iter().map(|id| id.0).collect()),
        ("p.worksite_id", filter.worksites.iter().map(|id| id.0).collect()),
        ("p.machine_id", filter.machines.iter().map(|id| id.0).collect()),
        ("p.base_station_id", filter.base_stations.iter().map(|id| id.0).collect()),
        ("p.operator_id", filter.operators.iter().map(|id| id.0).collect()),
    ];
    for (column, ids) in ids {
        if !ids.is_empty() {
            statement = statement.and_in(column, ids);
        }
    }
    match &question.visible_projects {
        Some(projects) => statement.and_in("p.project_id", projects.iter().copied()),
        None => statement,
    }
}
