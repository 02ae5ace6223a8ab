//! Incursions come in.

use std::collections::{BTreeSet, HashMap};

use domain::event::IncursionReport;
use domain::{BaseStationId, Invalid, Report, Review, TagId};
use futures_util::future::join;
use store::{ChangeCause, IncursionRow, KeptIncursion};

use super::Verdict;
use super::links::Links;
use super::merge;
use super::writer::{Intaking, Known};
use crate::Error;

/// A report with the tags it speaks of.
struct Told<'a> {
    index: usize,
    tag: TagId,
    operator_tag: Option<TagId>,
    report: &'a IncursionReport,
}

/// Brings incursions to their rows.
pub(super) async fn take(intaking: &mut Intaking<'_>, known: &[Known<'_>]) -> Result<(), Error> {
    let mut rows: Vec<IncursionRow> = Vec::new();
    // What was told of each row, to be told again if there was such a row already.
    let mut told: Vec<Vec<Told<'_>>> = Vec::new();
    let mut by_uid: HashMap<(BaseStationId, &str), usize> = HashMap::new();
    for event in known {
        let Report::Incursion(report) = &event.arrival.event.report else { continue };
        let links = &*intaking.links;
        let Some(tag) = links.tag(&report.tag) else { continue };
        let operator_tag = report.operator_tag.as_ref().and_then(|serial| links.tag(serial));
        let new = Told { index: event.index, tag, operator_tag, report };
        let uid = event.arrival.event.uid.as_str();
        let next = rows.len();
        let place = *by_uid.entry((event.station, uid)).or_insert(next);
        if place == next {
            let seq = intaking.first_seq + i64::try_from(next).unwrap_or(0);
            rows.push(row(&new, event, uid, seq));
            told.push(vec![new]);
            continue;
        }
        intaking.verdicts[event.index] = verdict(&mut rows[place], &new, intaking);
        told[place].push(new);
    }
    if rows.is_empty() {
        return Ok(());
    }
    let added = add(intaking, &mut rows).await?;
    if added < rows.len() as u64 {
        add_to_kept(intaking, &rows, &told).await?;
    }
    Ok(())
}

/// How many rows are attributed while those before them are being added.
const AT_ONCE: usize = 1_280;

/// Attributes rows and adds them, and tells how many there were not before. The store is busy elsewhere with some while the next
/// ones are attributed.
async fn add(intaking: &mut Intaking<'_>, rows: &mut [IncursionRow]) -> Result<u64, Error> {
    let (now, links) = (intaking.now, &*intaking.links);
    let attribute_all = |rows: &mut [IncursionRow]| {
        for row in rows {
            merge::close_overdue(row, now);
            attribute(row, links);
        }
    };
    let mut parts = rows.chunks_mut(AT_ONCE);
    let mut next = parts.next();
    if let Some(first) = &mut next {
        attribute_all(first);
    }
    let mut added = 0;
    while let Some(part) = next.take() {
        let meanwhile = async {
            next = parts.next();
            if let Some(part) = &mut next {
                attribute_all(part);
            }
        };
        let (done, ()) = join(intaking.tx.incursions(intaking.scope).add(part), meanwhile).await;
        added += done?;
    }
    Ok(added)
}

/// Adds to the rows that were there before what was told of them now.
async fn add_to_kept(
    intaking: &mut Intaking<'_>,
    rows: &[IncursionRow],
    told: &[Vec<Told<'_>>],
) -> Result<(), Error> {
    let uids: Vec<(BaseStationId, &str)> =
        rows.iter().map(|row| (row.base_station, row.uid.as_str())).collect();
    let places: HashMap<(BaseStationId, &str), usize> =
        uids.iter().enumerate().map(|(place, uid)| (*uid, place)).collect();
    let mut changed: Vec<(KeptIncursion, i64)> = Vec::new();
    // Those that were just added have numbers of this commit.
    let before = intaking.first_seq;
    let all = intaking.tx.incursions(intaking.scope).by_uids_before(&uids, before).await?;
    // What is told now may leave out the operator that was told then.
    let tags = all.iter().flat_map(|kept| [Some(kept.row.tag), kept.row.operator_tag]).flatten();
    let tags: BTreeSet<TagId> = tags.collect();
    intaking.links.read_missing(intaking.tx, intaking.scope, tags).await?;
    for mut kept in all {
        let Some(place) = places.get(&(kept.row.base_station, kept.row.uid.as_str())).copied() else {
            continue;
        };
        let replaced = kept.row.seq;
        let before = kept.row.clone();
        for new in &told[place] {
            intaking.verdicts[new.index] = verdict(&mut kept.row, new, intaking);
        }
        if kept.row == before {
            continue;
        }
        merge::close_overdue(&mut kept.row, intaking.now);
        attribute(&mut kept.row, intaking.links);
        kept.row.seq = rows[place].seq;
        changed.push((kept, replaced));
    }
    intaking.tx.incursions(intaking.scope).replace(&changed, ChangeCause::Report, intaking.now).await?;
    Ok(())
}

/// Adds a report to a row, and tells what became of it.
fn verdict(row: &mut IncursionRow, new: &Told<'_>, intaking: &Intaking<'_>) -> Verdict {
    if !merge::is_same(row, new.tag, new.report) {
        let text = "uid: is that of another incursion, with another tag or start";
        return Verdict::Rejected(Invalid::new("uid_conflict", text));
    }
    if merge::add(row, new.report, new.operator_tag, intaking.links) {
        Verdict::Accepted
    } else {
        Verdict::Duplicate
    }
}

fn row(new: &Told<'_>, event: &Known<'_>, uid: &str, seq: i64) -> IncursionRow {
    let report = new.report;
    IncursionRow {
        seq,
        base_station: event.station,
        uid: uid.to_owned(),
        tag: new.tag,
        operator_tag: new.operator_tag,
        started_at: report.started_at,
        ended_at: report.ended_at,
        closed_at: None,
        acknowledged_at: report.acknowledged_at,
        zone: report.zone,
        closest_cm: report.closest_cm,
        place: report.place,
        attribution: store::Attribution::default(),
        review: Review::Unreviewed,
        received_at: event.arrival.received_at,
    }
}

fn attribute(row: &mut IncursionRow, links: &Links) {
    row.attribution = links.attribute(row.base_station, row.tag, row.operator_tag, row.place, row.started_at);
}
