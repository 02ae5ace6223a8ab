//! Ingest of positions: fixes are merged into chunks of a quarter of an hour.

use std::collections::{BTreeMap, HashMap};

use domain::{BaseStationId, Coordinates, EventPayload, Fix, SortedMap, StationPosition, Timestamp};
use store::GpsChunk;

use super::batch_context::BatchContext;
use super::events::{EventOutcome, ResolvedEvent};
use crate::Error;

/// The fixes of a quarter of an hour, by the index of their event.
type ReportedFixes = Vec<(usize, Vec<Fix>)>;

/// Stores positions.
pub(super) async fn ingest(
    context: &mut BatchContext<'_>,
    events: &[ResolvedEvent<'_>],
) -> Result<(), Error> {
    record_last_positions(context, events).await?;
    let mut quarters: BTreeMap<(BaseStationId, i64), ReportedFixes> = BTreeMap::new();
    for event in events {
        let EventPayload::Gps(fixes) = &event.received.event.payload else { continue };
        // A duplicate until one of its fixes turns out to be new.
        context.outcomes[event.index] = EventOutcome::Duplicate;
        for fix in fixes {
            let reported = quarters.entry((event.station, tracks::quarter_hour(fix.at_ms))).or_default();
            match reported.last_mut() {
                Some((index, fixes)) if *index == event.index => fixes.push(*fix),
                _ => reported.push((event.index, vec![*fix])),
            }
        }
    }
    if quarters.is_empty() {
        return Ok(());
    }
    let keys: Vec<_> = quarters.keys().copied().collect();
    let kept = context.tx.gps_chunks(context.scope).find_many(&keys).await?;
    let mut kept: HashMap<_, GpsChunk> =
        kept.into_iter().map(|chunk| ((chunk.base_station, chunk.quarter), chunk)).collect();
    let mut changed = Vec::new();
    for ((base_station, quarter), reported) in quarters {
        let mut fixes = match kept.remove(&(base_station, quarter)) {
            Some(chunk) => tracks::decode(&chunk.bytes).map_err(|error| unreadable(&chunk, &error))?,
            None => Vec::new(),
        };
        let mut is_changed = false;
        for (index, more) in reported {
            let merged = tracks::merge(&fixes, &more);
            if merged.changed {
                context.outcomes[index] = EventOutcome::Accepted;
                (is_changed, fixes) = (true, merged.fixes);
            }
        }
        if is_changed {
            changed.push(chunk(base_station, quarter, &fixes)?);
        }
    }
    context.tx.gps_chunks(context.scope).upsert(changed).await?;
    Ok(())
}

fn chunk(base_station: BaseStationId, quarter: i64, fixes: &[Fix]) -> Result<GpsChunk, Error> {
    let at = |fix: Option<&Fix>| Timestamp::from_micros(fix.map_or(0, |fix| fix.at_ms.saturating_mul(1_000)));
    Ok(GpsChunk {
        base_station,
        quarter,
        fixes: i64::try_from(fixes.len()).unwrap_or(i64::MAX),
        first_at: at(fixes.first()),
        last_at: at(fixes.last()),
        bytes: tracks::encode(fixes).map_err(Error::internal)?,
    })
}

fn unreadable(chunk: &GpsChunk, error: &tracks::Error) -> Error {
    let (station, quarter) = (chunk.base_station, chunk.quarter);
    Error::internal(format!(
        "the positions of station {station} in quarter {quarter} cannot be read: {error}"
    ))
}

/// Records the last position of each station, from its fixes and its incursions.
async fn record_last_positions(
    context: &mut BatchContext<'_>,
    events: &[ResolvedEvent<'_>],
) -> Result<(), Error> {
    let mut reported: Vec<(BaseStationId, (Timestamp, Coordinates))> = Vec::new();
    let mut record = |station, at: Timestamp, place: Coordinates| reported.push((station, (at, place)));
    for event in events {
        match &event.received.event.payload {
            EventPayload::Incursion(incursion) => {
                if let Some(place) = incursion.position {
                    record(event.station, incursion.started_at, place);
                }
            }
            EventPayload::Gps(fixes) => {
                if let Some(fix) = fixes.iter().max_by_key(|fix| fix.at_ms) {
                    let place = Coordinates { lat_e7: fix.lat_e6 * 10, lon_e7: fix.lon_e6 * 10 };
                    record(event.station, Timestamp::from_micros(fix.at_ms.saturating_mul(1_000)), place);
                }
            }
            _ => {}
        }
    }
    let latest = SortedMap::merged(reported, |latest, other| {
        if other.0 > latest.0 {
            *latest = *other;
        }
    });
    let positions: Vec<StationPosition> = latest
        .into_iter()
        .map(|(base_station, (at, place))| StationPosition { base_station, at, position: place })
        .collect();
    context.tx.gps_chunks(context.scope).record_positions(&positions).await?;
    Ok(())
}
