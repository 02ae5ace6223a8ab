//! Tracks of base stations and machines: chunks of positions assembled into lines.

use std::collections::HashMap;

use domain::access::ReadInsights;
use domain::{BaseStationId, Fix, Invalid, MachineId, PeriodBound, SortedMap, Timestamp};
use store::{GpsChunk, Scope, VisibleStation};
use tracks::{decode, quarter_hour, simplify};

use crate::facts::timeline::resolve_window;
use crate::platform::local_bounds::{resolve_for_machine, resolve_for_station};
use crate::registry::base_stations;
use crate::{App, Caller, Error};

/// Length of the period if no start is given.
const DEFAULT_DAYS: i64 = 1;
/// Maximum length of the period.
const MAX_DAYS: i64 = 31;
/// Maximum number of vertices in a response.
const MAX_VERTICES: usize = 100_000;
/// Maximum number of fixes that are read for a response: more than one a second for the longest period.
const MAX_FIXES: i64 = 3_000_000;
/// Number of chunks that are read at a time: more than two days.
const CHUNKS_PER_READ: usize = 256;
/// Number of fixes that are simplified at a time.
const FIXES_PER_BATCH: usize = 50_000;
/// After this time without a fix the line is interrupted.
const MAX_GAP_MS: i64 = 5 * 60 * 1_000;
/// Half the globe: a line that spans more crosses the 180th meridian instead, and is interrupted.
const HALF_GLOBE_E6: u32 = 180_000_000;

/// The period and precision of a track.
#[derive(Clone, Copy, Debug)]
pub struct TrackRequest {
    /// Start of the period; by default a day before its end, or a day ago.
    pub from: Option<PeriodBound>,
    /// End of the period, exclusive; by default there is none.
    pub to: Option<PeriodBound>,
    /// Maximum distance of an omitted fix from the line, in metres. With 0 no fix is omitted.
    pub simplify_m: f64,
}

/// A line without gaps, in order of time.
pub type TrackLine = Vec<Fix>;

#[macros::boxed]
impl App {
    /// Lists the track lines of a station that the caller sees, the oldest first.
    pub async fn list_station_tracks(
        &self,
        caller: &Caller<ReadInsights>,
        station: BaseStationId,
        request: TrackRequest,
    ) -> Result<Vec<TrackLine>, Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let (from, to) = resolve_for_station(&mut tx, scope, station, (request.from, request.to)).await?;
        let time = resolve_window(from, to, self.clock.now(), (DEFAULT_DAYS, MAX_DAYS))?;
        let found = tx.visible_station(scope, station).await?;
        drop(tx);
        let station = found.ok_or_else(base_stations::station_not_found)?;
        self.read_track_lines(scope, &TrackPart::list_visible(&station, time), request.simplify_m).await
    }

    /// Lists the track lines of a machine that the caller sees, the oldest first: those of each station while it was installed on it.
    pub async fn list_machine_tracks(
        &self,
        caller: &Caller<ReadInsights>,
        machine: MachineId,
        request: TrackRequest,
    ) -> Result<Vec<TrackLine>, Error> {
        let parts = self.list_machine_parts(caller.scope(), machine, (request.from, request.to)).await?;
        self.read_track_lines(caller.scope(), &parts, request.simplify_m).await
    }

    /// Returns whether a machine had a station in a period of which the caller would see a track. Whether it sent positions is not known.
    pub async fn can_have_track(
        &self,
        caller: &Caller<ReadInsights>,
        machine: MachineId,
        period: (Option<PeriodBound>, Option<PeriodBound>),
    ) -> Result<bool, Error> {
        Ok(!self.list_machine_parts(caller.scope(), machine, period).await?.is_empty())
    }

    /// Returns the parts of the track of a machine, the oldest first.
    async fn list_machine_parts(
        &self,
        scope: &Scope,
        machine: MachineId,
        period: (Option<PeriodBound>, Option<PeriodBound>),
    ) -> Result<Vec<TrackPart>, Error> {
        let mut tx = self.store.read().await?;
        let (from, to) = resolve_for_machine(&mut tx, scope, machine, period).await?;
        let (from, to) = resolve_window(from, to, self.clock.now(), (DEFAULT_DAYS, MAX_DAYS))?;
        tx.machines(scope).find(machine).await?.ok_or_else(|| Error::not_found("machine"))?;
        let installed = tx.station_installations(scope).on_machine(machine, from, to).await?;
        let mut ids: Vec<BaseStationId> = installed.iter().map(|one| one.base_station).collect();
        ids.sort_unstable();
        ids.dedup();
        let stations = tx.visible_stations(scope, &ids).await?;
        drop(tx);
        let mut parts = Vec::new();
        // A machine has one station at a time, so the parts follow each other in time.
        for one in installed {
            if let Some(station) = stations.iter().find(|station| station.id == one.base_station) {
                let time = (from.max(one.from), one.to.map_or(to, |end| to.min(end)));
                parts.extend(TrackPart::list_visible(station, time));
            }
        }
        Ok(parts)
    }

    /// Reads the lines of the parts of a track, which follow each other in time. No connection is held while they are computed.
    pub(crate) async fn read_track_lines(
        &self,
        scope: &Scope,
        parts: &[TrackPart],
        simplify_m: f64,
    ) -> Result<Vec<TrackLine>, Error> {
        let chunks = self.list_track_chunks(scope, parts).await?;
        let mut builder = TrackBuilder::new(parts, simplify_m);
        for wanted in chunks.chunks(CHUNKS_PER_READ) {
            let keys: Vec<ChunkKey> = wanted.iter().map(|(_, key)| *key).collect();
            let mut tx = self.store.read().await?;
            let found = tx.gps_chunks(scope).find_many(&keys).await?;
            drop(tx);
            let wanted = wanted.to_vec();
            builder = self.compute(move || builder.add(&wanted, found).map(|()| builder)).await??;
        }
        self.compute(move || builder.finish()).await?
    }

    /// Lists the chunks of the parts of a track in order. Too many fixes are refused here, before any of them is read.
    async fn list_track_chunks(
        &self,
        scope: &Scope,
        parts: &[TrackPart],
    ) -> Result<Vec<(usize, ChunkKey)>, Error> {
        let ranges: Vec<_> = parts.iter().map(TrackPart::quarters).collect();
        let mut tx = self.store.read().await?;
        let sizes = tx.gps_chunks(scope).sizes_in(&ranges).await?;
        drop(tx);
        let sizes: SortedMap<ChunkKey, i64> =
            sizes.into_iter().map(|size| ((size.base_station, size.quarter), size.fixes)).collect();
        let mut chunks = Vec::new();
        let mut fixes = 0_i64;
        for (part, (station, first, last)) in ranges.into_iter().enumerate() {
            for (key, count) in sizes.within(&(station, first), &(station, last)) {
                chunks.push((part, *key));
                fixes = fixes.saturating_add(*count);
            }
        }
        if fixes > MAX_FIXES {
            let text = format!("the period has more than {MAX_FIXES} positions; request a shorter one");
            return Err(Error::bad_parameter("from", Invalid::new("too_many_positions", text)));
        }
        Ok(chunks)
    }
}

/// A station and the quarter of an hour of a chunk of its fixes.
type ChunkKey = (BaseStationId, i64);

/// A time for which the fixes of a station belong to a track.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrackPart {
    station: BaseStationId,
    from: Timestamp,
    /// Exclusive.
    to: Timestamp,
}

impl TrackPart {
    /// Returns the parts of a period in which the station is visible, in order.
    pub(crate) fn list_visible(station: &VisibleStation, (from, to): (Timestamp, Timestamp)) -> Vec<Self> {
        let parts = station.visible_parts(from, to).into_iter().filter(|(from, to)| from < to);
        parts.map(|(from, to)| Self { station: station.id, from, to }).collect()
    }

    /// Returns the station with the first and the last quarter of an hour of the part.
    fn quarters(&self) -> (BaseStationId, i64, i64) {
        let first = quarter_hour(self.from.micros().div_euclid(1_000));
        (self.station, first, quarter_hour(ceil_to_ms(self.to)))
    }
}

/// Builds lines from chunks, batch by batch.
struct TrackBuilder {
    /// Start and end of each part in milliseconds; the ends are exclusive.
    times: Vec<(i64, i64)>,
    simplify_m: f64,
    lines: Vec<TrackLine>,
    /// Fixes of the last line that are not simplified yet. Starts with the last vertex of that line, if there is one.
    pending: Vec<Fix>,
    /// Index of the part that the pending fixes belong to. Lines do not connect two parts.
    pending_part: usize,
    /// Whether `pending` continues the last of the lines.
    continues_line: bool,
    vertices: usize,
}

impl TrackBuilder {
    fn new(parts: &[TrackPart], simplify_m: f64) -> Self {
        Self {
            times: parts.iter().map(|part| (ceil_to_ms(part.from), ceil_to_ms(part.to))).collect(),
            simplify_m,
            lines: Vec::new(),
            pending: Vec::new(),
            pending_part: 0,
            continues_line: false,
            vertices: 0,
        }
    }

    /// Adds the fixes of chunks, each to the part with the index beside its key.
    fn add(&mut self, wanted: &[(usize, ChunkKey)], found: Vec<GpsChunk>) -> Result<(), Error> {
        let found: HashMap<ChunkKey, GpsChunk> =
            found.into_iter().map(|chunk| ((chunk.base_station, chunk.quarter), chunk)).collect();
        for (part, key) in wanted {
            // It may have been deleted since it was listed.
            let Some(chunk) = found.get(key) else { continue };
            let (from, to) = self.times[*part];
            for fix in decode(&chunk.bytes).map_err(Error::internal)? {
                if !(from..to).contains(&fix.at_ms) {
                    continue;
                }
                if self.pending.last().is_some_and(|last| self.pending_part != *part || is_gap(last, &fix)) {
                    self.flush()?;
                    self.pending.clear();
                    self.continues_line = false;
                } else if self.pending.len() >= FIXES_PER_BATCH {
                    self.flush()?;
                }
                self.pending_part = *part;
                self.pending.push(fix);
            }
        }
        Ok(())
    }

    /// Simplifies the pending fixes and adds them. The last vertex stays pending, so that the next batch continues from it.
    fn flush(&mut self) -> Result<(), Error> {
        let drawn = simplify(&self.pending, self.simplify_m);
        let Some(last) = drawn.last().copied() else { return Ok(()) };
        match self.lines.last_mut().filter(|_| self.continues_line) {
            Some(line) => {
                self.vertices += drawn.len() - 1;
                line.extend(&drawn[1..]);
            }
            None => {
                self.vertices += drawn.len();
                self.lines.push(drawn);
            }
        }
        if self.vertices > MAX_VERTICES {
            return Err(too_many_vertices());
        }
        self.pending = vec![last];
        self.continues_line = true;
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<TrackLine>, Error> {
        if !self.continues_line || self.pending.len() > 1 {
            self.flush()?;
        }
        Ok(self.lines)
    }
}

fn too_many_vertices() -> Error {
    let text = format!(
        "the track has more than {MAX_VERTICES} vertices; request a shorter period or a greater simplify_m"
    );
    Error::bad_parameter("simplify_m", Invalid::new("too_many_vertices", text))
}

/// Returns the first whole millisecond at or after a time, because fixes have whole milliseconds.
fn ceil_to_ms(at: Timestamp) -> i64 {
    let micros = at.micros();
    micros.div_euclid(1_000) + i64::from(micros.rem_euclid(1_000) != 0)
}

/// Whether the line is interrupted between two fixes.
fn is_gap(one: &Fix, next: &Fix) -> bool {
    next.at_ms - one.at_ms > MAX_GAP_MS || one.lon_e6.abs_diff(next.lon_e6) > HALF_GLOBE_E6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fix(at_ms: i64, lat_e6: i32, lon_e6: i32) -> Fix {
        Fix { at_ms, lat_e6, lon_e6, speed_half_kmh: None, heading_5deg: None, accuracy_m: None }
    }

    fn draw(fixes: &[Fix], simplify_m: f64) -> Result<Vec<TrackLine>, Error> {
        let end = fixes.last().map_or(0, |fix| fix.at_ms + 1);
        draw_within(fixes, &[(fixes[0].at_ms, end)], simplify_m)
    }

    fn draw_within(fixes: &[Fix], times: &[(i64, i64)], simplify_m: f64) -> Result<Vec<TrackLine>, Error> {
        let at = |ms: i64| Timestamp::from_micros(ms * 1_000);
        let station = BaseStationId(1);
        let parts: Vec<TrackPart> =
            times.iter().map(|(from, to)| TrackPart { station, from: at(*from), to: at(*to) }).collect();
        let mut drawing = TrackBuilder::new(&parts, simplify_m);
        let chunks: Vec<GpsChunk> = tracks::by_quarter_hour(fixes)
            .map(|(quarter, fixes)| GpsChunk {
                base_station: station,
                quarter,
                fixes: fixes.len() as i64,
                first_at: Timestamp::from_seconds(0),
                last_at: Timestamp::from_seconds(0),
                bytes: tracks::encode(fixes).unwrap(),
            })
            .collect();
        let keys = chunks.iter().map(|chunk| (station, chunk.quarter));
        let wanted: Vec<_> =
            (0..parts.len()).flat_map(|part| keys.clone().map(move |key| (part, key))).collect();
        drawing.add(&wanted, chunks)?;
        drawing.finish()
    }

    /// A zigzag with ten fixes a second.
    fn zigzag(count: i64) -> Vec<Fix> {
        (0..count).map(|n| fix(n * 100, (n % 2 * 100) as i32, n as i32)).collect()
    }

    #[test]
    fn long_ways_are_drawn_in_parts_that_join() {
        let way = zigzag(99_999);
        assert_eq!(draw(&way, 0.0).unwrap().concat(), way);
        let way = zigzag(150_000);
        assert_eq!(draw(&way, 0.0).unwrap_err().code, "too_many_vertices");
        // The zigzag is eleven metres wide; all of it is omitted except where batches join.
        let lines = draw(&way, 20.0).unwrap();
        assert_eq!(lines.len(), 1);
        assert!(lines[0].len() < 10, "{} vertices", lines[0].len());
        assert_eq!((lines[0].first(), lines[0].last()), (way.first(), way.last()));
        assert!(lines[0].is_sorted_by(|one, next| one.at_ms < next.at_ms));
    }

    #[test]
    fn only_the_times_that_are_shown_are_drawn_and_nothing_between_them() {
        let way = zigzag(100);
        let times = [(0, 1_000), (2_000, 2_001), (5_000, 100_000)];
        let lines = draw_within(&way, &times, 0.0).unwrap();
        assert_eq!(lines, [way[..10].to_vec(), way[20..21].to_vec(), way[50..].to_vec()]);
        assert!(draw_within(&way, &[], 0.0).unwrap().is_empty());
    }

    #[test]
    fn lines_end_where_nobody_knows_the_way() {
        let minutes = |minutes: i64| minutes * 60_000;
        let way = [
            fix(0, 0, 179_999_000),
            fix(minutes(5), 0, 179_999_900),
            fix(minutes(10), 0, -179_999_900),
            fix(minutes(16), 0, -179_999_000),
            fix(minutes(20), 0, -179_998_000),
        ];
        for simplify_m in [0.0, 10.0] {
            let lines = draw(&way, simplify_m).unwrap();
            assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1, 2]);
            assert_eq!(lines.concat(), way);
        }
    }
}
