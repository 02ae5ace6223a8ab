//! The slopes between all pairs of points, with selection by rank.

/// The slopes between points of different x.
pub(super) enum Slopes<'points> {
    /// All slopes.
    Listed(Vec<f64>),
    /// The points, with the number of their slopes.
    Counted {
        /// Sorted by x, then y.
        points: &'points [(f64, f64)],
        /// Number of pairs with different x.
        count: usize,
    },
}

impl<'points> Slopes<'points> {
    /// Lists all slopes. The points must be sorted by x.
    pub(super) fn listed(points: &[(f64, f64)]) -> Self {
        let mut slopes = Vec::with_capacity(points.len() * points.len().saturating_sub(1) / 2);
        for (index, (x, y)) in points.iter().enumerate() {
            let later = points[index + 1..].iter().filter(|later| later.0 > *x);
            slopes.extend(later.map(|(later_x, later_y)| (later_y - y) / (later_x - x)));
        }
        Self::Listed(slopes)
    }

    /// Counts the slopes. The points must be sorted by x, then y.
    pub(super) fn counted(points: &'points [(f64, f64)]) -> Self {
        let all = points.len() * points.len().saturating_sub(1) / 2;
        let same = points.chunk_by(|left, right| left.0 == right.0);
        let count = all - same.map(|run| run.len() * (run.len() - 1) / 2).sum::<usize>();
        Self::Counted { points, count }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Listed(slopes) => slopes.len(),
            Self::Counted { count, .. } => *count,
        }
    }

    /// Returns the slope with this rank, which must be below [`Slopes::len`].
    pub(super) fn nth(&mut self, rank: usize) -> f64 {
        match self {
            Self::Listed(slopes) => *slopes.select_nth_unstable_by(rank, f64::total_cmp).1,
            Self::Counted { points, .. } => nth_by_counting(points, rank),
        }
    }
}

/// Bisects the doubles between the flattest and the steepest slope: at most 64 rounds, each a sort.
fn nth_by_counting(points: &[(f64, f64)], rank: usize) -> f64 {
    let (least, greatest) = slope_bounds(points);
    let (mut low, mut high) = (float_ordinal(least), float_ordinal(greatest));
    let mut residuals = vec![0.0; points.len()];
    let mut scratch = vec![0.0; points.len()];
    while low < high {
        let middle = low + (high - low) / 2;
        let slope = float_from_ordinal(middle);
        for (left, (x, y)) in residuals.iter_mut().zip(points) {
            *left = y - slope * x;
        }
        if count_slopes_at_most(points, &mut residuals, &mut scratch) > rank {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    float_from_ordinal(low)
}

/// Counts the pairs with at most the slope that produced these residuals: those whose later residual is not above the earlier
/// one.
fn count_slopes_at_most(points: &[(f64, f64)], residuals: &mut [f64], scratch: &mut [f64]) -> usize {
    let mut same_x = 0;
    let mut start = 0;
    for run in points.chunk_by(|left, right| left.0 == right.0) {
        // Points of one x make no slope. Their y rises, so only pairs of equal residuals were counted, and are subtracted.
        for equal in residuals[start..start + run.len()].chunk_by(|left, right| left == right) {
            same_x += equal.len() * (equal.len() - 1) / 2;
        }
        start += run.len();
    }
    count_inversions(residuals, scratch) - same_x
}

/// Sorts, and counts the pairs whose later value is not larger than the earlier one.
fn count_inversions(values: &mut [f64], scratch: &mut [f64]) -> usize {
    if values.len() < 2 {
        return 0;
    }
    let middle = values.len() / 2;
    let (earlier, later) = values.split_at_mut(middle);
    let mut pairs = count_inversions(earlier, scratch) + count_inversions(later, scratch);
    let (mut left, mut right) = (0, 0);
    for slot in scratch.iter_mut().take(earlier.len() + later.len()) {
        // Of equal values the later goes first, and counts against all earlier ones still to come.
        if right < later.len() && (left == earlier.len() || later[right] <= earlier[left]) {
            pairs += earlier.len() - left;
            *slot = later[right];
            right += 1;
        } else {
            *slot = earlier[left];
            left += 1;
        }
    }
    let length = values.len();
    values.copy_from_slice(&scratch[..length]);
    pairs
}

/// Returns the flattest and the steepest slope. They are between neighbours, since any other slope is a mean of those in
/// between.
fn slope_bounds(points: &[(f64, f64)]) -> (f64, f64) {
    let (mut least, mut greatest) = (f64::MAX, f64::MIN);
    let mut earlier: Option<&[(f64, f64)]> = None;
    for run in points.chunk_by(|left, right| left.0 == right.0) {
        if let (Some([first, last]), [lowest, highest]) = (earlier.map(ends), ends(run)) {
            let width = lowest.0 - first.0;
            least = least.min((lowest.1 - last.1) / width);
            greatest = greatest.max((highest.1 - first.1) / width);
        }
        earlier = Some(run);
    }
    // Widened a little, because counting rounds differently.
    let room = |slope: f64| slope.abs() * 1e-12 + f64::MIN_POSITIVE;
    ((least - room(least)).max(f64::MIN), (greatest + room(greatest)).min(f64::MAX))
}

fn ends(run: &[(f64, f64)]) -> [(f64, f64); 2] {
    [run.first().copied().unwrap_or_default(), run.last().copied().unwrap_or_default()]
}

/// Returns the position of a double in the order of all doubles.
fn float_ordinal(value: f64) -> i128 {
    let bits = i128::from(value.to_bits() & !SIGN_BIT);
    if value.is_sign_negative() { -bits - 1 } else { bits }
}

fn float_from_ordinal(place: i128) -> f64 {
    let bits = |place: i128| u64::try_from(place).unwrap_or(0);
    if place < 0 { f64::from_bits(bits(-place - 1) | SIGN_BIT) } else { f64::from_bits(bits(place)) }
}

const SIGN_BIT: u64 = 1 << 63;
