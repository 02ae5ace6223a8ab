//! Directions in steps of five degrees, and the few angles that are needed, without a mathematics library, whose results may differ between
//! machines in the last digit.

/// The number of steps in a full turn.
pub(crate) const STEPS: usize = 72;

/// Sines of 0, 5, … 90 degrees.
const SINES: [f64; 19] = [
    0.0,
    0.087_155_742_747_658_17,
    0.173_648_177_666_930_33,
    0.258_819_045_102_520_74,
    0.342_020_143_325_668_7,
    0.422_618_261_740_699_44,
    0.5,
    0.573_576_436_351_046,
    0.642_787_609_686_539_3,
    std::f64::consts::FRAC_1_SQRT_2,
    0.766_044_443_118_978,
    0.819_152_044_288_991_8,
    0.866_025_403_784_438_6,
    0.906_307_787_036_649_9,
    0.939_692_620_785_908_3,
    0.965_925_826_289_068_3,
    0.984_807_753_012_208,
    0.996_194_698_091_745_5,
    1.0,
];

/// Returns the east and north components of a heading, clockwise from north.
pub(crate) fn heading_vector(step: usize) -> (f64, f64) {
    (sine(step), sine(step + 18))
}

fn sine(step: usize) -> f64 {
    match step % STEPS {
        step @ 0..=18 => SINES[step],
        step @ 19..=36 => SINES[36 - step],
        step @ 37..=54 => -SINES[step - 36],
        step => -SINES[72 - step],
    }
}

/// Returns the heading that is closest to a direction.
pub(crate) fn nearest_heading(east: f64, north: f64) -> u8 {
    let along = |step: usize| {
        let (heading_east, heading_north) = heading_vector(step);
        east * heading_east + north * heading_north
    };
    let best = (1..STEPS).fold((0, along(0)), |best, step| {
        let along = along(step);
        if along > best.1 { (step, along) } else { best }
    });
    best.0 as u8
}

/// Returns the cosine of degrees from -90 to 90, to ten digits.
pub(crate) fn cosine(degrees: f64) -> f64 {
    let square = (degrees * std::f64::consts::PI / 180.0) * (degrees * std::f64::consts::PI / 180.0);
    let (mut sum, mut term) = (1.0, 1.0);
    for index in 1..12_u32 {
        term = -term * square / f64::from((2 * index - 1) * (2 * index));
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_heading_is_nearest_to_itself() {
        for step in 0..STEPS {
            let (east, north) = heading_vector(step);
            assert!((east * east + north * north - 1.0).abs() < 1e-12, "{step}");
            assert_eq!(usize::from(nearest_heading(east * 3.0, north * 3.0)), step);
        }
        assert_eq!(
            (nearest_heading(0.0, 1.0), nearest_heading(1.0, 0.0), nearest_heading(0.0, -1.0)),
            (0, 18, 36)
        );
    }

    #[test]
    fn cosines_are_those_of_the_table() {
        for step in 0..=18_usize {
            let found = cosine(step as f64 * 5.0);
            assert!((found - heading_vector(step).1).abs() < 1e-10, "{step}: {found}");
            assert!((cosine(step as f64 * -5.0) - found).abs() < 1e-15);
        }
    }
}
