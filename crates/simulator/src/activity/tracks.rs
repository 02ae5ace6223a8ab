//! The track of a machine while it runs: it drives straight from stop to stop, and stays for a while at each.
//!
//! A track is expressed in running time, milliseconds with the ignition on since the day began, because a machine does not move while it is
//! off. Stops lie in the inner part of a worksite, which is convex, so the paths between them do too.

use crate::entities::site_geometry::Spot;
use crate::primitives::chance::Chance;
use crate::primitives::compass;

/// A machine drives from one spot to another, or stays if they are the same.
#[derive(Clone, Copy, Debug)]
struct Leg {
    from_ms: i64,
    to_ms: i64,
    start: Spot,
    end: Spot,
    /// None while it stays.
    heading: Option<u8>,
    speed_kmh: f64,
}

impl Leg {
    fn stay(from_ms: i64, to_ms: i64, spot: Spot) -> Self {
        Self { from_ms, to_ms, start: spot, end: spot, heading: None, speed_kmh: 0.0 }
    }

    fn drive(from_ms: i64, to_ms: i64, start: Spot, end: Spot) -> Self {
        let heading = compass::nearest_heading(end.east_m - start.east_m, end.north_m - start.north_m);
        let speed_kmh = start.distance(end) * 3_600.0 / (to_ms - from_ms) as f64;
        Self { from_ms, to_ms, start, end, heading: Some(heading), speed_kmh }
    }

    fn spot(&self, running_ms: i64) -> Spot {
        if self.heading.is_none() {
            return self.start;
        }
        let share = (running_ms - self.from_ms) as f64 / (self.to_ms - self.from_ms) as f64;
        self.start.interpolate(self.end, share.clamp(0.0, 1.0))
    }
}

/// The track of a machine on a day.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    legs: Vec<Leg>,
    ignition_periods: Vec<(i64, i64)>,
}

/// The movement of a machine at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Motion {
    pub spot: Spot,
    pub speed_kmh: f64,
    /// In steps of five degrees; none if it does not move.
    pub heading: Option<u8>,
}

impl Track {
    pub fn new(
        on: Vec<(i64, i64)>,
        stops: &[Spot],
        speed_m_s: f64,
        stay_s: (f64, f64),
        chance: &mut Chance,
    ) -> Self {
        let running: i64 = on.iter().map(|(from, to)| to - from).sum();
        let mut legs = Vec::new();
        let (mut at, mut clock) = (*chance.pick(stops), 0);
        while clock < running {
            let stayed = clock + (chance.between(stay_s.0, stay_s.1) * 1_000.0) as i64;
            legs.push(Leg::stay(clock, stayed, at));
            let next = *chance.pick(stops);
            let drive = at.distance(next) / (speed_m_s * chance.between(0.8, 1.1));
            // A stop may follow itself.
            let there = stayed + (drive * 1_000.0) as i64;
            if there > stayed {
                legs.push(Leg::drive(stayed, there, at, next));
            }
            (at, clock) = (next, there);
        }
        Self { legs, ignition_periods: on }
    }

    pub fn ignition_periods(&self) -> &[(i64, i64)] {
        &self.ignition_periods
    }

    /// Returns how long the ignition was on.
    pub fn running_ms(&self) -> i64 {
        self.ignition_periods.iter().map(|(from, to)| to - from).sum()
    }

    /// Returns the time of a running time, and the period of ignition that contains it.
    pub fn instant_of(&self, running_ms: i64) -> (i64, i64, i64) {
        let mut left = running_ms;
        for (from, to) in &self.ignition_periods {
            if left < to - from {
                return (from + left, *from, *to);
            }
            left -= to - from;
        }
        self.ignition_periods.last().map_or((0, 0, 0), |(from, to)| (*to, *from, *to))
    }

    /// Returns the running time at a time.
    pub fn running_time_at(&self, at_ms: i64) -> i64 {
        self.ignition_periods.iter().map(|(from, to)| (at_ms.min(*to) - from).max(0)).sum()
    }

    /// Returns the spot at a running time.
    pub fn spot(&self, running_ms: i64) -> Spot {
        self.leg(running_ms).spot(running_ms)
    }

    /// Returns the movement at a running time.
    pub fn motion(&self, running_ms: i64) -> Motion {
        let leg = self.leg(running_ms);
        Motion { spot: leg.spot(running_ms), speed_kmh: leg.speed_kmh, heading: leg.heading }
    }

    fn leg(&self, running_ms: i64) -> &Leg {
        let next = self.legs.partition_point(|leg| leg.to_ms <= running_ms);
        &self.legs[next.min(self.legs.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::chance::{Purpose, Source};

    #[test]
    fn a_machine_never_jumps() {
        let stops = [(0.0, 0.0), (40.0, 10.0), (-30.0, 55.0)]
            .map(|(east, north)| Spot { east_m: east, north_m: north });
        let mut chance = Source::new(5).stream(Purpose::Work, 0, 0);
        let on = vec![(1_000_000, 8_000_000), (9_000_000, 20_000_000)];
        let track = Track::new(on, &stops, 2.0, (30.0, 300.0), &mut chance);
        assert_eq!(track.running_ms(), 18_000_000);
        let spots: Vec<Spot> = (0..18_000).map(|second| track.spot(second * 1_000)).collect();
        assert!(spots.windows(2).all(|pair| pair[0].distance(pair[1]) <= 2.3));
        assert!(spots.windows(2).any(|pair| pair[0] != pair[1]));
        // The machine does not move while the ignition is off, and the running time continues where it was.
        assert_eq!(track.instant_of(6_999_999).0, 7_999_999);
        assert_eq!(track.instant_of(7_000_000), (9_000_000, 9_000_000, 20_000_000));
        assert_eq!(track.running_time_at(8_500_000), 7_000_000);
        assert_eq!(track.running_time_at(9_000_001), 7_000_001);
    }
}
