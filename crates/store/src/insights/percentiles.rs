//! Percentiles of durations by the nearest-rank method, from ranks within each group.

use domain::insights::Measure;

use crate::engine::statement::Statement;

use super::group_keys::GroupKeys;

/// Separates rows without a duration into a partition of their own, so that the others are ranked among themselves.
const ENDED: &str = "case when duration_ms is null then 1 else 0 end";

/// Appends the start of a select that adds to each row of `f` its rank and the number of rows that are ranked with it.
pub(super) fn ranked(keys: &GroupKeys, statement: Statement) -> Statement {
    let statement = statement.push("select f.*, row_number() over (partition by ");
    let statement = keys.names(statement).push(ENDED).push(" order by duration_ms) as rank_in_group, ");
    let statement = keys.names(statement.push("count(*) over (partition by "));
    statement.push(ENDED).push(") as ranked")
}

/// Appends the duration at the rank of a measure, or null for a measure that is not a percentile.
pub(super) fn nearest_rank(measure: Measure, statement: Statement) -> Statement {
    match measure.percentile() {
        // The smallest rank that covers at least this percentage of the rows.
        Some(percent) => statement.push_with(
            "max(case when rank_in_group = ($? * ranked + 99) / 100 then duration_ms end)",
            [percent.into()],
        ),
        None => statement.push("cast(null as bigint)"),
    }
}
