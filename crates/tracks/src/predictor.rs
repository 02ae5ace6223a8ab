//! Predicts the next fix from the ones before it, so that only residuals are stored.
//!
//! Positions are noise around a path. The reported speed and heading give the direction of the path; a moving average of the
//! last fixes gives the position on it, better than the last fix alone. All arithmetic is in integers, so that every machine
//! computes the same prediction.

use domain::Fix;

use crate::Error;

/// Fixed-point fractions of a millionth of a degree.
const FIXED_POINT_SCALE: i64 = 256;

/// Gains are fractions with this denominator.
const UNIT_GAIN: u8 = 16;

/// Sines of 0 to 90 degrees in steps of 5, scaled by 16,384.
const SINES: [i64; 19] = [
    0, 1428, 2845, 4240, 5604, 6924, 8192, 9397, 10531, 11585, 12551, 13421, 14189, 14849, 15396, 15826,
    16135, 16322, 16384,
];

/// Fixed-point units that one step of speed moves north per millisecond, scaled by 16,384.
const PARTS_PER_SPEED_STEP: i64 = 5_233;

/// The parameters of a chunk's predictor, stored in its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PredictorParameters {
    /// Weight of a new fix against the earlier ones, in 16ths: 16 uses only the last fix.
    pub gain: u8,
    /// Ratio of a degree of latitude to a degree of longitude on the ground, in 256ths; 0 ignores speeds.
    pub longitude_scale: u16,
    /// Latitude and longitude of the first fix.
    pub start: (i32, i32),
}

impl PredictorParameters {
    /// Validates the parameters read from a header.
    pub fn validated(gain: u8, stretch: u64, start: (i32, i32)) -> Result<Self, Error> {
        match u16::try_from(stretch) {
            Ok(stretch) if (1..=UNIT_GAIN).contains(&gain) => {
                Ok(Self { gain, longitude_scale: stretch, start })
            }
            _ => Err(Error::Corrupt("its predictor parameters are invalid")),
        }
    }

    /// Chooses the parameters with the smallest residuals.
    pub fn fit(fixes: &[Fix]) -> Self {
        let start = fixes.first().map_or((0, 0), |fix| (fix.lat_e6, fix.lon_e6));
        let narrowing = (f64::from(start.0) / 1e6).to_radians().cos();
        // Close to a pole any value will do.
        let stretch = (FIXED_POINT_SCALE as f64 / narrowing.max(0.004)).round() as u16;
        let moves = fixes.iter().any(|fix| fix.speed_half_kmh.is_some() && fix.heading_5deg.is_some());
        let stretches = if moves { &[0, stretch][..] } else { &[0] };
        let plans = stretches.iter().flat_map(|stretch| {
            [1, 2, 4, 8, UNIT_GAIN].map(|gain| Self { gain, longitude_scale: *stretch, start })
        });
        let cost = |plan: &Self| -> u64 {
            // Twice the number of bits of each residual, which is precise enough to compare parameters.
            let bits = |off: i32| u64::from((u64::from(off.unsigned_abs()) + 1).pow(2).ilog2());
            plan.residuals(fixes).map(|(lat, lon)| bits(lat) + bits(lon)).sum()
        };
        plans.min_by_key(cost).unwrap_or(Self { gain: UNIT_GAIN, longitude_scale: 0, start })
    }

    /// Returns the residual of each fix in latitude and longitude.
    pub fn residuals(self, fixes: &[Fix]) -> impl Iterator<Item = (i32, i32)> {
        let mut follower = Predictor::new(self);
        fixes.iter().map(move |fix| {
            let (lat, lon) = follower.predict(fix.at_ms, fix.speed_half_kmh, fix.heading_5deg);
            follower.update(fix.lat_e6, fix.lon_e6);
            (fix.lat_e6.wrapping_sub(lat), fix.lon_e6.wrapping_sub(lon))
        })
    }
}

/// Follows a track fix by fix.
pub(crate) struct Predictor {
    parameters: PredictorParameters,
    /// In fixed-point units.
    lat: i64,
    lon: i64,
    at_ms: Option<i64>,
    update_count: i64,
}

impl Predictor {
    pub fn new(plan: PredictorParameters) -> Self {
        let (lat, lon) = plan.start;
        Self {
            parameters: plan,
            lat: i64::from(lat) * FIXED_POINT_SCALE,
            lon: i64::from(lon) * FIXED_POINT_SCALE,
            at_ms: None,
            update_count: 0,
        }
    }

    /// Predicts latitude and longitude at a time of the same quarter hour, later than the last fix.
    pub fn predict(&mut self, at_ms: i64, speed: Option<u16>, heading: Option<u8>) -> (i32, i32) {
        let passed_ms = self.at_ms.map_or(0, |before| at_ms - before);
        self.at_ms = Some(at_ms);
        if let (Some(speed), Some(heading), true) = (speed, heading, self.parameters.longitude_scale > 0) {
            // Below 2^63 even for the greatest speed over a whole quarter hour.
            let way = i64::from(speed) * passed_ms * PARTS_PER_SPEED_STEP;
            let heading = usize::from(heading);
            self.lat += (way * sine(heading + 18)) >> 28;
            self.lon += (((way * sine(heading)) >> 28) * i64::from(self.parameters.longitude_scale)) >> 8;
        }
        // A prediction off the globe wraps in the cast, identically when encoding and decoding.
        let nearest = |parts: i64| ((parts + FIXED_POINT_SCALE / 2) >> 8) as i32;
        (nearest(self.lat), nearest(self.lon))
    }

    /// Updates the predictor with the actual fix.
    pub fn update(&mut self, lat: i32, lon: i32) {
        self.update_count += 1;
        let gain = i64::from(self.parameters.gain);
        let whole = i64::from(UNIT_GAIN);
        // At first, the mean of all fixes so far.
        let (gain, whole) =
            if self.update_count * gain < whole { (1, self.update_count) } else { (gain, whole) };
        self.lat += (i64::from(lat) * FIXED_POINT_SCALE - self.lat) * gain / whole;
        self.lon += (i64::from(lon) * FIXED_POINT_SCALE - self.lon) * gain / whole;
    }
}

/// Returns the sine of a heading in steps of 5 degrees.
fn sine(heading: usize) -> i64 {
    let (quadrant, step) = (heading / 18 % 4, heading % 18);
    match quadrant {
        0 => SINES[step],
        1 => SINES[18 - step],
        2 => -SINES[step],
        _ => -SINES[18 - step],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_are_those_of_the_headings() {
        for heading in 0..90 {
            let exact = (heading as f64 * 5.0).to_radians().sin() * 16_384.0;
            assert!((sine(heading) as f64 - exact).abs() <= 0.5, "at {heading}");
        }
    }

    #[test]
    fn a_steady_drive_is_expected_to_the_metre() {
        // 36 km/h to the south-east at 60 degrees north, where a degree of longitude is half as long.
        let second = |second: i32| Fix {
            at_ms: i64::from(second) * 1_000,
            lat_e6: 60_000_000 - (f64::from(second) * 7.071 / 0.11132).round() as i32,
            lon_e6: 24_000_000 + (f64::from(second) * 7.071 / 0.05566).round() as i32,
            speed_half_kmh: Some(72),
            heading_5deg: Some(27),
            accuracy_m: None,
        };
        let fixes: Vec<Fix> = (0..600).map(second).collect();
        let plan = PredictorParameters::fit(&fixes);
        assert!(plan.longitude_scale.abs_diff(512) <= 1, "{plan:?}");
        assert!(plan.residuals(&fixes).all(|(lat, lon)| lat.abs() < 9 && lon.abs() < 18));
    }

    #[test]
    fn speeds_that_tell_nothing_are_left_alone() {
        let standing = |second: i32| Fix {
            at_ms: i64::from(second) * 1_000,
            lat_e6: second * 7_919 % 31,
            lon_e6: second * 104_729 % 37,
            speed_half_kmh: Some(90),
            heading_5deg: Some(9),
            accuracy_m: None,
        };
        let plan = PredictorParameters::fit(&(0..600).map(standing).collect::<Vec<_>>());
        assert_eq!((plan.gain, plan.longitude_scale), (1, 0));
    }

    #[test]
    fn the_fastest_through_a_whole_quarter_hour_does_not_overflow() {
        for heading in [0, 18, 36, 54, u8::MAX] {
            let plan =
                PredictorParameters { gain: 1, longitude_scale: u16::MAX, start: (i32::MAX, i32::MIN) };
            let mut follower = Predictor::new(plan);
            for at_ms in [0, 1, crate::QUARTER_HOUR_MS] {
                follower.predict(at_ms, Some(u16::MAX), Some(heading));
                follower.update(i32::MIN, i32::MAX);
            }
        }
    }
}
