//! The runtime pieces that follow from reports.
//!
//! Reports of a station may overlap and arrive in any order. Where several cover a moment, the one that started last decides the
//! operator. Pieces end at full local hours and wherever a link changes; adjacent pieces with the same attribution are merged.

use std::collections::BTreeMap;

use domain::{BaseStationId, SortedMap, SortedSet, Span, TagId, Timestamp};
use store::{ReportedRuntime, RuntimePiece, RuntimeWindow, Scope, Tx};

use super::attribution_cache::{AttributionCache, LinkPeriod};
use crate::Error;

pub(crate) const MAX_REPORT_DURATION: Span = Span::minutes(7 * 24 * 60);

/// Twice the length of the longest piece: a change cannot affect pieces that are farther away.
const MARGIN: Span = Span::minutes(120);

/// Rebuilds the pieces of stations around time windows, under the brand's lock; returns how many changed. The windows of a station
/// are sorted and far apart ([`merge_time_ranges`]), so that rebuilding one does not affect another.
pub(crate) async fn rebuild_pieces(
    tx: &mut Tx,
    scope: &Scope,
    links: &mut AttributionCache,
    windows: &[RuntimeWindow],
    now: Timestamp,
) -> Result<i64, Error> {
    let around: Vec<RuntimeWindow> = windows
        .iter()
        .map(|window| RuntimeWindow { from: window.from - MARGIN, to: window.to + MARGIN, ..*window })
        .collect();
    let spans = tx.runtime(scope).find_reports(&around, MAX_REPORT_DURATION).await?;
    let tags: SortedSet<TagId> = spans.iter().filter_map(|report| report.operator_tag).collect();
    links.load_missing_tags(tx, scope, tags).await?;
    let reports = SortedMap::grouped(spans.into_iter().map(|report| (report.base_station, report)));
    let kept = tx.runtime(scope).pieces_in(&around).await?.into_iter().map(|one| one.piece);
    let kept = SortedMap::grouped(kept.map(|piece| (piece.base_station, piece)));
    let mut changed = Vec::new();
    for (window, around) in windows.iter().zip(&around) {
        let of = |report: &&ReportedRuntime| report.started_at < around.to && report.ended_at > around.from;
        let reports = reports.get(&window.base_station).map_or(&[][..], Vec::as_slice);
        let reports: Vec<ReportedRuntime> = reports.iter().filter(of).cloned().collect();
        let kept = kept.get(&window.base_station).map_or(&[][..], Vec::as_slice);
        let kept =
            kept.iter().filter(|piece| piece.started_at >= around.from && piece.started_at < around.to);
        changed.extend(changed_pieces(links, window, (around.from, around.to), &reports, kept));
    }
    let count = i64::try_from(changed.len()).unwrap_or(0);
    if count > 0 {
        let last = tx.lock_and_allocate_seq(scope, count).await?.last_seq;
        tx.runtime(scope).upsert_pieces(&changed, last - count + 1, now).await?;
    }
    Ok(count)
}

/// Returns the pieces that replace stored ones, in order. A piece of length zero replaces one that no longer exists.
fn changed_pieces<'a>(
    links: &AttributionCache,
    window: &RuntimeWindow,
    around: (Timestamp, Timestamp),
    reports: &[ReportedRuntime],
    kept: impl Iterator<Item = &'a RuntimePiece>,
) -> impl Iterator<Item = RuntimePiece> {
    let touches = |piece: &RuntimePiece| piece.started_at <= window.to && piece.ended_at >= window.from;
    let mut wanted: BTreeMap<Timestamp, RuntimePiece> =
        build_pieces(links, window.base_station, reports, around)
            .into_iter()
            .filter(touches)
            .map(|piece| (piece.started_at, piece))
            .collect();
    for kept in kept.filter(|kept| touches(kept)) {
        match wanted.get(&kept.started_at) {
            Some(piece) if piece == kept => {
                wanted.remove(&kept.started_at);
            }
            Some(_) => {}
            None if kept.ended_at == kept.started_at => {}
            None => {
                wanted.insert(kept.started_at, RuntimePiece { ended_at: kept.started_at, ..kept.clone() });
            }
        }
    }
    wanted.into_values()
}

/// Merges time ranges that are too close to be rebuilt separately.
pub(super) fn merge_time_ranges(mut times: Vec<(Timestamp, Timestamp)>) -> Vec<(Timestamp, Timestamp)> {
    times.sort_unstable();
    let mut joined: Vec<(Timestamp, Timestamp)> = Vec::new();
    for (from, to) in times {
        match joined.last_mut() {
            Some(last) if from <= last.1 + MARGIN + MARGIN => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}

/// Builds the pieces of reports within a time range.
fn build_pieces(
    links: &AttributionCache,
    station: BaseStationId,
    reports: &[ReportedRuntime],
    (from, to): (Timestamp, Timestamp),
) -> Vec<RuntimePiece> {
    let mut pieces: Vec<RuntimePiece> = Vec::new();
    for (started_at, ended_at, operator_tag) in resolve_overlaps(reports, from, to) {
        let mut at = started_at;
        while at < ended_at {
            let mut piece = attributed_piece(links, station, operator_tag, at);
            piece.ended_at = next_boundary(links, &piece).map_or(ended_at, |cut| cut.min(ended_at));
            at = piece.ended_at;
            match pieces.last_mut() {
                Some(last) if last.ended_at == piece.started_at && has_same_attribution(last, &piece) => {
                    last.ended_at = piece.ended_at;
                }
                _ => pieces.push(piece),
            }
        }
    }
    pieces
}

/// Returns when the ignition was on and who drove, without overlaps, in order.
fn resolve_overlaps(
    reports: &[ReportedRuntime],
    from: Timestamp,
    to: Timestamp,
) -> Vec<(Timestamp, Timestamp, Option<TagId>)> {
    let mut steps: Vec<Timestamp> = reports
        .iter()
        .flat_map(|report| [report.started_at, report.ended_at])
        .map(|at| at.clamp(from, to))
        .collect();
    steps.sort_unstable();
    steps.dedup();
    let mut covered: Vec<(Timestamp, Timestamp, Option<TagId>)> = Vec::new();
    for step in steps.windows(2) {
        let (start, end) = (step[0], step[1]);
        let last = reports
            .iter()
            .filter(|report| report.started_at <= start && report.ended_at >= end)
            .max_by_key(|report| (report.started_at, report.operator_tag));
        let Some(last) = last else { continue };
        match covered.last_mut() {
            Some((_, until, tag)) if *until == start && *tag == last.operator_tag => *until = end,
            _ => covered.push((start, end, last.operator_tag)),
        }
    }
    covered
}

fn attributed_piece(
    links: &AttributionCache,
    station: BaseStationId,
    operator_tag: Option<TagId>,
    at: Timestamp,
) -> RuntimePiece {
    let attribution = links.attribute_runtime(station, operator_tag, at);
    RuntimePiece {
        base_station: station,
        started_at: at,
        ended_at: at,
        operator_tag,
        machine: attribution.machine,
        operator: attribution.operator,
        worksite: attribution.worksite,
        project: attribution.project,
        local_day: attribution.local_day,
        local_hour: attribution.local_minute / 60 % 24,
    }
}

/// Returns the time at which a piece must end: a full hour of the worksite's clock, or a link that changes.
fn next_boundary(links: &AttributionCache, piece: &RuntimePiece) -> Option<Timestamp> {
    let at = piece.started_at;
    let hour = links.zone_and_project_at(piece.worksite, at).0.next_hour(at);
    let steps = links
        .installations
        .get(&piece.base_station)
        .into_iter()
        .flat_map(|held| period_boundaries(held))
        .chain(
            piece
                .operator_tag
                .and_then(|tag| links.wearers.get(&tag))
                .into_iter()
                .flat_map(|held| period_boundaries(held)),
        )
        .chain(
            piece
                .machine
                .and_then(|id| links.machine_sites.get(&id))
                .into_iter()
                .flat_map(|held| period_boundaries(held)),
        )
        .chain(
            piece
                .worksite
                .and_then(|site| links.terms.get(&site))
                .into_iter()
                .flat_map(|terms| terms.iter().map(|term| term.from)),
        );
    steps.filter(|step| *step > at).chain([hour]).min()
}

fn period_boundaries<T>(held: &[LinkPeriod<T>]) -> impl Iterator<Item = Timestamp> {
    held.iter().flat_map(|held| [Some(held.from), held.until]).flatten()
}

/// Returns whether two pieces differ only in their times.
fn has_same_attribution(one: &RuntimePiece, other: &RuntimePiece) -> bool {
    let other = RuntimePiece { started_at: one.started_at, ended_at: one.ended_at, ..other.clone() };
    *one == other
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_seconds(1_772_323_200 + minute * 60)
    }

    fn report(from: i64, to: i64, tag: i64) -> ReportedRuntime {
        ReportedRuntime {
            base_station: BaseStationId(1),
            started_at: at(from),
            ended_at: at(to),
            operator_tag: (tag != 0).then_some(TagId(tag)),
        }
    }

    #[test]
    fn of_overlapping_reports_the_one_that_began_last_tells_who_drove() {
        let reports = [report(0, 100, 1), report(20, 40, 2), report(30, 50, 0), report(120, 130, 1)];
        let expected: Vec<_> = [(0, 20, 1), (20, 30, 2), (30, 50, 0), (50, 100, 1), (120, 130, 1)]
            .into_iter()
            .map(|(from, to, tag)| (at(from), at(to), (tag != 0).then_some(TagId(tag))))
            .collect();
        assert_eq!(resolve_overlaps(&reports, at(-10), at(500)), expected);
    }

    #[test]
    fn pieces_end_at_hours_and_where_links_change() {
        let mut links = AttributionCache::default();
        let held = |machine, from: i64, until: Option<i64>| LinkPeriod {
            target: domain::MachineId(machine),
            from: at(from),
            until: until.map(at),
        };
        links.installations.insert(BaseStationId(1), vec![held(7, -60, Some(90)), held(8, 90, None)]);
        let pieces = build_pieces(
            &links,
            BaseStationId(1),
            &[report(50, 130, 0), report(130, 140, 0)],
            (at(0), at(600)),
        );
        let found: Vec<_> = pieces
            .iter()
            .map(|piece| {
                (piece.started_at, piece.ended_at, piece.machine.map(|machine| machine.0), piece.local_hour)
            })
            .collect();
        let expected = [(50, 60, 7, 0), (60, 90, 7, 1), (90, 120, 8, 1), (120, 140, 8, 2)];
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(from, to, machine, hour)| (at(from), at(to), Some(machine), hour))
            .collect();
        assert_eq!(found, expected);
    }
}
