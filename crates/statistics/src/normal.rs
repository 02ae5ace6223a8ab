//! Quantiles of the standard normal distribution.

/// No probability that a double can represent lies farther out than this.
const MAX_DEVIATIONS: f64 = 38.5;

/// Returns the quantile of the standard normal distribution (algorithm AS 241, accurate to about 16 digits).
pub(crate) fn quantile(share: f64) -> f64 {
    let centred = share - 0.5;
    if centred.abs() <= 0.425 {
        let square = 0.180_625 - centred * centred;
        return centred * ratio(square, &CENTRE);
    }
    let tail = if centred < 0.0 { share } else { 1.0 - share };
    if tail.is_nan() || tail <= 0.0 {
        return MAX_DEVIATIONS.copysign(centred);
    }
    let root = (-tail.ln()).sqrt();
    let distance = if root <= 5.0 { ratio(root - 1.6, &NEAR_TAIL) } else { ratio(root - 5.0, &FAR_TAIL) };
    distance.min(MAX_DEVIATIONS).copysign(centred)
}

/// Numerator and denominator of a rational function, lowest power first.
type Coefficients = ([f64; 8], [f64; 8]);

fn ratio(x: f64, (numerator, denominator): &Coefficients) -> f64 {
    let value = |coefficients: &[f64; 8]| coefficients.iter().rev().fold(0.0, |sum, next| sum * x + next);
    value(numerator) / value(denominator)
}

const CENTRE: Coefficients = (
    [
        3.387_132_872_796_366_5,
        133.141_667_891_784_38,
        1_971.590_950_306_551_3,
        13_731.693_765_509_46,
        45_921.953_931_549_87,
        67_265.770_927_008_7,
        33_430.575_583_588_13,
        2_509.080_928_730_122_7,
    ],
    [
        1.0,
        42.313_330_701_600_91,
        687.187_007_492_057_9,
        5_394.196_021_424_751,
        21_213.794_301_586_597,
        39_307.895_800_092_71,
        28_729.085_735_721_943,
        5_226.495_278_852_854,
    ],
);

const NEAR_TAIL: Coefficients = (
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        0.241_780_725_177_450_6,
        0.022_723_844_989_269_184,
        7.745_450_142_783_414e-4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        0.689_767_334_985_1,
        0.148_103_976_427_480_08,
        0.015_198_666_563_616_457,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
);

const FAR_TAIL: Coefficients = (
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        0.296_560_571_828_504_87,
        0.026_532_189_526_576_124,
        0.001_242_660_947_388_078_4,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        0.599_832_206_555_888,
        0.136_929_880_922_735_8,
        0.014_875_361_290_850_615,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_7e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_what_they_are_elsewhere() {
        for (share, expected) in QUANTILES {
            assert!((quantile(share) - expected).abs() < 1e-9, "{share}: {} {expected}", quantile(share));
        }
    }

    #[test]
    fn what_is_no_probability_has_a_distance_too() {
        assert_eq!(quantile(0.0), -MAX_DEVIATIONS);
        assert_eq!(quantile(1.0), MAX_DEVIATIONS);
        assert_eq!(quantile(-1.0), -MAX_DEVIATIONS);
        assert!(quantile(f64::NAN).is_finite());
    }

    /// From scipy.stats.norm.ppf.
    const QUANTILES: [(f64, f64); 7] = [
        (1e-300, -37.0470962993612),
        (1e-20, -9.262340089798409),
        (1e-06, -4.753424308822899),
        (0.025, -1.9599639845400545),
        (0.3, -0.5244005127080409),
        (0.5, 0.0),
        (0.975, 1.959963984540054),
    ];
}
