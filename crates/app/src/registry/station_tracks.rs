//! Tracks of base stations: their chunks of positions assembled into lines.

use domain::access::ReadInsights;
use domain::{BaseStationId, Fix, Invalid, Timestamp};
use store::{GpsChunk, Scope, VisibleStation};
use tracks::{decode, quarter_hour, simplify};

use crate::facts::timeline::resolve_window;
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
/// Number of chunks that are read at a time: two days.
const CHUNKS_PER_READ: i64 = 192;
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
    pub from: Option<Timestamp>,
    /// End of the period, exclusive; by default there is none.
    pub to: Option<Timestamp>,
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
        let time = resolve_window(request.from, request.to, self.clock.now(), (DEFAULT_DAYS, MAX_DAYS))?;
        let found = self.store.read().await?.visible_station(scope, station).await?;
        let station = found.ok_or_else(base_stations::station_not_found)?;
        self.read_track_lines(scope, &station, time, request.simplify_m).await
    }

    /// Reads the track lines of a station in the periods that the scope shows. No connection is held while they are computed.
    pub(crate) async fn read_track_lines(
        &self,
        scope: &Scope,
        station: &VisibleStation,
        (from, to): (Timestamp, Timestamp),
        simplify_m: f64,
    ) -> Result<Vec<TrackLine>, Error> {
        let times = station.visible_parts(from, to);
        let (Some((begin, _)), Some((_, end))) = (times.first(), times.last()) else { return Ok(Vec::new()) };
        let (mut next, last) =
            (quarter_hour(begin.micros().div_euclid(1_000)), quarter_hour(ceil_to_ms(*end)));
        let mut builder = TrackBuilder::new(&times, simplify_m);
        let mut fixes = 0;
        loop {
            let mut tx = self.store.read().await?;
            let chunks = tx.gps_chunks(scope).in_range(station.id, next, last, CHUNKS_PER_READ).await?;
            drop(tx);
            let Some(end) = chunks.last() else { break };
            next = end.quarter + 1;
            let is_last_read = chunks.len() < CHUNKS_PER_READ as usize;
            fixes += chunks.iter().map(|chunk| chunk.fixes).sum::<i64>();
            if fixes > MAX_FIXES {
                let text = format!("the period has more than {MAX_FIXES} positions; request a shorter one");
                return Err(Error::bad_parameter("from", Invalid::new("too_many_positions", text)));
            }
            builder = self.compute(move || builder.add(&chunks).map(|()| builder)).await??;
            if is_last_read {
                break;
            }
        }
        self.compute(move || builder.finish()).await?
    }
}

/// Builds lines from chunks, batch by batch.
struct TrackBuilder {
    /// The periods to include, in milliseconds and in order; the ends are exclusive.
    times: Vec<(i64, i64)>,
    simplify_m: f64,
    lines: Vec<TrackLine>,
    /// Fixes of the last line that are not simplified yet. Starts with the last vertex of that line, if there is one.
    pending: Vec<Fix>,
    /// Whether `pending` continues the last of the lines.
    continues_line: bool,
    vertices: usize,
}

impl TrackBuilder {
    fn new(times: &[(Timestamp, Timestamp)], simplify_m: f64) -> Self {
        Self {
            times: times.iter().map(|(from, to)| (ceil_to_ms(*from), ceil_to_ms(*to))).collect(),
            simplify_m,
            lines: Vec::new(),
            pending: Vec::new(),
            continues_line: false,
            vertices: 0,
        }
    }

    fn add(&mut self, chunks: &[GpsChunk]) -> Result<(), Error> {
        for chunk in chunks {
            for fix in decode(&chunk.bytes).map_err(Error::internal)? {
                let Some(time) = self.range_of(&fix) else { continue };
                if self
                    .pending
                    .last()
                    .is_some_and(|last| is_gap(last, &fix) || self.range_of(last) != Some(time))
                {
                    self.flush()?;
                    self.pending.clear();
                    self.continues_line = false;
                } else if self.pending.len() >= FIXES_PER_BATCH {
                    self.flush()?;
                }
                self.pending.push(fix);
            }
        }
        Ok(())
    }

    /// Returns the index of the period that contains a fix. Lines do not connect two periods.
    fn range_of(&self, fix: &Fix) -> Option<usize> {
        let begun = self.times.partition_point(|(from, _)| *from <= fix.at_ms);
        begun.checked_sub(1).filter(|index| fix.at_ms < self.times[*index].1)
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
            let text = format!(
                "the track has more than {MAX_VERTICES} vertices; request a shorter period or a greater simplify_m"
            );
            return Err(Error::bad_parameter("simplify_m", Invalid::new("too_many_vertices", text)));
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
        let times: Vec<_> = times.iter().map(|(from, to)| (at(*from), at(*to))).collect();
        let mut drawing = TrackBuilder::new(&times, simplify_m);
        let chunks: Vec<GpsChunk> = tracks::by_quarter_hour(fixes)
            .map(|(quarter, fixes)| GpsChunk {
                base_station: BaseStationId(1),
                quarter,
                fixes: fixes.len() as i64,
                first_at: Timestamp::from_seconds(0),
                last_at: Timestamp::from_seconds(0),
                bytes: tracks::encode(fixes).unwrap(),
            })
            .collect();
        drawing.add(&chunks)?;
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
