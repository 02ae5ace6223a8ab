//! Merges the reports of one incursion; the result does not depend on their order.

use domain::event::IncursionReport;
use domain::{Coordinates, IncursionRow, Span, TagId, Timestamp};

use super::attribution_cache::AttributionCache;

/// An incursion without an end is closed after this time.
pub(crate) const MAX_OPEN_DURATION: Span = Span::minutes(24 * 60);

/// Returns whether a report describes the incursion that is stored under its uid.
pub(super) fn is_same_incursion(row: &IncursionRow, tag: TagId, report: &IncursionReport) -> bool {
    row.tag == tag && row.started_at == report.started_at
}

/// Merges a report: the latest end, the earliest acknowledgement, the worst zone and the shortest distance win. Returns whether
/// anything changed.
///
/// Of two operators or positions the lower one wins; any rule that does not depend on the order would do.
pub(super) fn merge_report(
    row: &mut IncursionRow,
    report: &IncursionReport,
    operator_tag: Option<TagId>,
    links: &AttributionCache,
) -> bool {
    let before = row.clone();
    row.ended_at = merge_option(row.ended_at, report.ended_at, Timestamp::max);
    row.acknowledged_at = merge_option(row.acknowledged_at, report.acknowledged_at, Timestamp::min);
    row.zone = row.zone.max(report.zone);
    row.closest_cm = merge_option(row.closest_cm, report.closest_cm, i64::min);
    row.position = merge_option(row.position, report.position, Coordinates::min);
    row.operator_tag = merge_option(row.operator_tag, operator_tag, |a, b| {
        // Compared by serial, because ids depend on which tag was registered first.
        if links.serial_of(a) <= links.serial_of(b) { a } else { b }
    });
    if row.ended_at.is_some() {
        row.closed_at = None;
    }
    *row != before
}

/// Closes an incursion whose end is overdue.
pub(super) fn close_overdue(row: &mut IncursionRow, now: Timestamp) {
    if row.ended_at.is_none() && row.closed_at.is_none() && row.started_at + MAX_OPEN_DURATION <= now {
        row.closed_at = Some(now);
    }
}

fn merge_option<T>(one: Option<T>, other: Option<T>, pick: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(pick(one, other)),
        (one, other) => one.or(other),
    }
}
