//! Runtime comes in: what was reported is kept as it was, and the pieces around it are cut anew.
//!
//! Reports of a station may overlap and come in any order. Where several cover a moment, the one that began last tells who
//! drove. Pieces end at local hours and wherever a link changes, and neighbours that are alike are one piece.

use std::collections::{BTreeMap, BTreeSet};

use domain::{BaseStationId, Report, Span, TagId, Timestamp};
use store::{RuntimePiece, RuntimeSpan, RuntimeWindow, Scope, Tx};

use super::Verdict;
use super::links::{Held, Links};
use super::writer::{Intaking, Known};
use crate::Error;

/// The longest time that one report may cover.
pub(crate) const LONGEST: Span = Span::minutes(7 * 24 * 60);

/// Twice as long as any piece: what is farther away than this from a change is not touched by it.
const AROUND: Span = Span::minutes(120);

/// Reports by what makes them one: the latest end, and who told it.
type Told = BTreeMap<(BaseStationId, Timestamp, Option<TagId>), (Timestamp, Vec<usize>)>;

/// Brings runtime to its rows.
pub(super) async fn take(intaking: &mut Intaking<'_>, known: &[Known<'_>]) -> Result<(), Error> {
    let mut told = Told::new();
    for event in known {
        let Report::Runtime(report) = &event.arrival.event.report else { continue };
        let operator_tag = report.operator_tag.as_ref().and_then(|serial| intaking.links.tag(serial));
        let key = (event.station, report.started_at, operator_tag);
        let (ended_at, indexes) = told.entry(key).or_insert((report.started_at, Vec::new()));
        if report.ended_at <= *ended_at && !indexes.is_empty() {
            intaking.verdicts[event.index] = Verdict::Duplicate;
            continue;
        }
        *ended_at = report.ended_at.max(*ended_at);
        indexes.push(event.index);
    }
    if told.is_empty() {
        return Ok(());
    }
    let spans: Vec<RuntimeSpan> = told
        .iter()
        .map(|((base_station, started_at, operator_tag), (ended_at, _))| RuntimeSpan {
            base_station: *base_station,
            started_at: *started_at,
            ended_at: *ended_at,
            operator_tag: *operator_tag,
        })
        .collect();
    let news = intaking.tx.runtime(intaking.scope).report(&spans, intaking.now).await?;
    let mut touched: BTreeMap<BaseStationId, Vec<(Timestamp, Timestamp)>> = BTreeMap::new();
    for span in &news {
        told.remove(&(span.base_station, span.started_at, span.operator_tag));
        touched.entry(span.base_station).or_default().push((span.started_at, span.ended_at));
    }
    for index in told.into_values().flat_map(|(_, indexes)| indexes) {
        intaking.verdicts[index] = Verdict::Duplicate;
    }
    let windows: Vec<RuntimeWindow> = touched
        .into_iter()
        .flat_map(|(base_station, times)| {
            joined(times).into_iter().map(move |(from, to)| RuntimeWindow { base_station, from, to })
        })
        .collect();
    intaking.last_seq += cut(intaking.tx, intaking.scope, intaking.links, &windows, intaking.now).await?;
    Ok(())
}

/// Cuts the pieces of stations around times anew, under the brand's lock; tells how many changed. The times of a station are
/// in order and far apart ([`joined`]), so that what is read and cut for one says nothing of another.
pub(crate) async fn cut(
    tx: &mut Tx,
    scope: &Scope,
    links: &mut Links,
    windows: &[RuntimeWindow],
    now: Timestamp,
) -> Result<i64, Error> {
    let around: Vec<RuntimeWindow> = windows
        .iter()
        .map(|window| RuntimeWindow { from: window.from - AROUND, to: window.to + AROUND, ..*window })
        .collect();
    let mut reports: BTreeMap<BaseStationId, Vec<RuntimeSpan>> = BTreeMap::new();
    let told = tx.runtime(scope).reported(&around, LONGEST).await?;
    let tags: BTreeSet<TagId> = told.iter().filter_map(|report| report.operator_tag).collect();
    links.read_missing(tx, scope, tags).await?;
    for report in told {
        reports.entry(report.base_station).or_default().push(report);
    }
    let mut kept: BTreeMap<BaseStationId, Vec<RuntimePiece>> = BTreeMap::new();
    for one in tx.runtime(scope).pieces_in(&around).await? {
        kept.entry(one.piece.base_station).or_default().push(one.piece);
    }
    let mut changed = Vec::new();
    for (window, around) in windows.iter().zip(&around) {
        let of = |report: &&RuntimeSpan| report.started_at < around.to && report.ended_at > around.from;
        let reports = reports.get(&window.base_station).map_or(&[][..], Vec::as_slice);
        let reports: Vec<RuntimeSpan> = reports.iter().filter(of).cloned().collect();
        let kept = kept.get(&window.base_station).map_or(&[][..], Vec::as_slice);
        let kept =
            kept.iter().filter(|piece| piece.started_at >= around.from && piece.started_at < around.to);
        changed.extend(changes(links, window, (around.from, around.to), &reports, kept));
    }
    let count = i64::try_from(changed.len()).unwrap_or(0);
    if count > 0 {
        let last = tx.take_seq(scope, count).await?.last_seq;
        tx.runtime(scope).put(&changed, last - count + 1, now).await?;
    }
    Ok(count)
}

/// The pieces that have to be put in the place of those that are kept, in order.
fn changes<'a>(
    links: &Links,
    window: &RuntimeWindow,
    around: (Timestamp, Timestamp),
    reports: &[RuntimeSpan],
    kept: impl Iterator<Item = &'a RuntimePiece>,
) -> impl Iterator<Item = RuntimePiece> {
    let touches = |piece: &RuntimePiece| piece.started_at <= window.to && piece.ended_at >= window.from;
    let mut wanted: BTreeMap<Timestamp, RuntimePiece> = pieces(links, window.base_station, reports, around)
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

/// Times that are too near one another to be cut apart, as one.
fn joined(mut times: Vec<(Timestamp, Timestamp)>) -> Vec<(Timestamp, Timestamp)> {
    times.sort_unstable();
    let mut joined: Vec<(Timestamp, Timestamp)> = Vec::new();
    for (from, to) in times {
        match joined.last_mut() {
            Some(last) if from <= last.1 + AROUND + AROUND => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}

/// The pieces that reports come to within a time.
fn pieces(
    links: &Links,
    station: BaseStationId,
    reports: &[RuntimeSpan],
    (from, to): (Timestamp, Timestamp),
) -> Vec<RuntimePiece> {
    let mut pieces: Vec<RuntimePiece> = Vec::new();
    for (started_at, ended_at, operator_tag) in covered(reports, from, to) {
        let mut at = started_at;
        while at < ended_at {
            let mut piece = piece(links, station, operator_tag, at);
            piece.ended_at = next_cut(links, &piece).map_or(ended_at, |cut| cut.min(ended_at));
            at = piece.ended_at;
            match pieces.last_mut() {
                Some(last) if last.ended_at == piece.started_at && is_alike(last, &piece) => {
                    last.ended_at = piece.ended_at;
                }
                _ => pieces.push(piece),
            }
        }
    }
    pieces
}

/// When the ignition was on, and who drove, without overlaps, in order.
fn covered(
    reports: &[RuntimeSpan],
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

fn piece(links: &Links, station: BaseStationId, operator_tag: Option<TagId>, at: Timestamp) -> RuntimePiece {
    let whose = links.attribute_runtime(station, operator_tag, at);
    RuntimePiece {
        base_station: station,
        started_at: at,
        ended_at: at,
        operator_tag,
        machine: whose.machine,
        operator: whose.operator,
        worksite: whose.worksite,
        project: whose.project,
        local_day: whose.local_day,
        local_hour: whose.local_minute / 60 % 24,
    }
}

/// The next moment at which a piece that begins so must end: an hour of the site's clock, or a link that changes.
fn next_cut(links: &Links, piece: &RuntimePiece) -> Option<Timestamp> {
    let at = piece.started_at;
    let hour = links.terms_of(piece.worksite, at).0.next_hour(at);
    let steps = links
        .installations
        .get(&piece.base_station)
        .into_iter()
        .flat_map(|held| steps(held))
        .chain(
            piece
                .operator_tag
                .and_then(|tag| links.wearers.get(&tag))
                .into_iter()
                .flat_map(|held| steps(held)),
        )
        .chain(
            piece
                .machine
                .and_then(|id| links.machine_sites.get(&id))
                .into_iter()
                .flat_map(|held| steps(held)),
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

fn steps<T>(held: &[Held<T>]) -> impl Iterator<Item = Timestamp> {
    held.iter().flat_map(|held| [Some(held.from), held.until]).flatten()
}

/// Whether two pieces differ in nothing but their time.
fn is_alike(one: &RuntimePiece, other: &RuntimePiece) -> bool {
    let other = RuntimePiece { started_at: one.started_at, ended_at: one.ended_at, ..other.clone() };
    *one == other
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_seconds(1_772_323_200 + minute * 60)
    }

    fn report(from: i64, to: i64, tag: i64) -> RuntimeSpan {
        RuntimeSpan {
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
        assert_eq!(covered(&reports, at(-10), at(500)), expected);
    }

    #[test]
    fn pieces_end_at_hours_and_where_links_change() {
        let mut links = Links::default();
        let held = |machine, from: i64, until: Option<i64>| Held {
            to: domain::MachineId(machine),
            from: at(from),
            until: until.map(at),
        };
        links.installations.insert(BaseStationId(1), vec![held(7, -60, Some(90)), held(8, 90, None)]);
        let pieces =
            pieces(&links, BaseStationId(1), &[report(50, 130, 0), report(130, 140, 0)], (at(0), at(600)));
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
