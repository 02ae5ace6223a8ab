//! Ranks of lengths within their group, of which percentiles are the nearest.

use domain::insights::Measure;

use crate::engine::statement::Statement;

use super::group_keys::GroupKeys;

/// Rows with a length are ranked among themselves; those without are a partition of their own.
const ENDED: &str = "case when duration_ms is null then 1 else 0 end";

/// Appends the beginning of a select that adds to each row of `f` its rank and how many are ranked with it.
pub(super) fn ranked(keys: &GroupKeys, statement: Statement) -> Statement {
    let statement = statement.push("select f.*, row_number() over (partition by ");
    let statement = keys.names(statement).push(ENDED).push(" order by duration_ms) as rank_in_group, ");
    let statement = keys.names(statement.push("count(*) over (partition by "));
    statement.push(ENDED).push(") as ranked")
}

/// Appends the length at a measure's rank; of one that is no percentile, nothing is known.
pub(super) fn nearest_rank(measure: Measure, statement: Statement) -> Statement {
    match measure.percentile() {
        // The least rank that is not below so many hundredths of all.
        Some(percent) => statement.push_with(
            "max(case when rank_in_group = ($? * ranked + 99) / 100 then duration_ms end)",
            [percent.into()],
        ),
        None => statement.push("cast(null as bigint)"),
    }
}
