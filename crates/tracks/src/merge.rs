//! Quarter hours, and merging of fixes.

use std::cmp::Reverse;

use domain::Fix;

pub const QUARTER_HOUR_MS: i64 = 15 * 60 * 1_000;

/// Returns the number of the quarter hour that contains a time, counted from 1970.
pub const fn quarter_hour(at_ms: i64) -> i64 {
    at_ms.div_euclid(QUARTER_HOUR_MS)
}

/// Splits fixes, which must be ordered by time, into quarter hours with their numbers.
pub fn by_quarter_hour(fixes: &[Fix]) -> impl Iterator<Item = (i64, &[Fix])> {
    let together = fixes.chunk_by(|one, next| quarter_hour(one.at_ms) == quarter_hour(next.at_ms));
    together.filter_map(|fixes| Some((quarter_hour(fixes.first()?.at_ms), fixes)))
}

/// The result of [`merge`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// All fixes, ordered by time, one per time.
    pub fixes: Vec<Fix>,
    /// Whether they differ from the stored ones.
    pub changed: bool,
}

/// Merges fixes into one per time. Among several of the same time, the best accuracy wins, then the greater fix, so that one
/// with a speed beats one without. The operation is commutative, associative and idempotent.
pub fn merge(stored: &[Fix], incoming: &[Fix]) -> Merged {
    let mut fixes = [stored, incoming].concat();
    fixes.sort_unstable_by_key(|fix| (fix.at_ms, fix.accuracy_m.is_none(), fix.accuracy_m, Reverse(*fix)));
    fixes.dedup_by_key(|fix| fix.at_ms);
    let changed = fixes != stored;
    Merged { fixes, changed }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::chunk::tests::any_fix;

    fn merged(kept: &[Fix], more: &[Fix]) -> Vec<Fix> {
        merge(kept, more).fixes
    }

    /// Fixes with so few distinct times that duplicates are common.
    fn fixes() -> impl Strategy<Value = Vec<Fix>> {
        vec(any_fix(-5..5), 0..12)
    }

    proptest! {
        #[test]
        fn the_order_of_merging_does_not_matter(a in fixes(), b in fixes(), c in fixes()) {
            prop_assert_eq!(merged(&a, &b), merged(&b, &a));
            prop_assert_eq!(merged(&merged(&a, &b), &c), merged(&a, &merged(&b, &c)));
        }

        #[test]
        fn merging_again_changes_nothing(a in fixes(), b in fixes()) {
            let once = merged(&a, &b);
            for again in [&a, &b, &once] {
                prop_assert_eq!(merge(&once, again), Merged { fixes: once.clone(), changed: false });
            }
        }

        #[test]
        fn every_time_stays_once_with_one_of_its_fixes(a in fixes(), b in fixes()) {
            let fixes = merged(&a, &b);
            prop_assert!(fixes.is_sorted_by(|one, next| one.at_ms < next.at_ms));
            for given in a.iter().chain(&b) {
                prop_assert!(fixes.iter().any(|fix| fix.at_ms == given.at_ms));
            }
            prop_assert!(fixes.iter().all(|fix| a.contains(fix) || b.contains(fix)));
        }

        #[test]
        fn a_change_is_told(a in fixes(), b in fixes()) {
            let kept = merged(&a, &[]);
            let Merged { fixes, changed } = merge(&kept, &b);
            prop_assert_eq!(changed, fixes != kept);
        }
    }

    #[test]
    fn the_best_accuracy_stays_and_a_known_one_beats_an_unknown() {
        let fix = |accuracy_m| Fix {
            at_ms: 7,
            lat_e6: 1,
            lon_e6: 2,
            speed_half_kmh: None,
            heading_5deg: None,
            accuracy_m,
        };
        assert_eq!(merged(&[fix(Some(9))], &[fix(Some(2)), fix(None)]), [fix(Some(2))]);
        assert_eq!(merged(&[fix(Some(u16::MAX))], &[fix(None)]), [fix(Some(u16::MAX))]);
        let moving = Fix { speed_half_kmh: Some(4), ..fix(None) };
        assert_eq!(merge(&[fix(None)], &[moving]), Merged { fixes: vec![moving], changed: true });
    }

    #[test]
    fn quarters_begin_on_the_quarter_also_before_1970() {
        let numbers = [(0, 0), (899_999, 0), (900_000, 1), (-1, -1), (-900_000, -1), (-900_001, -2)];
        for (at_ms, number) in numbers {
            assert_eq!(quarter_hour(at_ms), number, "of {at_ms}");
        }
        assert!(quarter_hour(i64::MIN) < 0 && quarter_hour(i64::MAX) > 0);
    }

    #[test]
    fn fixes_are_cut_where_quarters_begin() {
        let times = [-1, 0, 899_999, 900_000, 2_700_000];
        let fixes = times.map(|at_ms| Fix {
            at_ms,
            lat_e6: 0,
            lon_e6: 0,
            speed_half_kmh: None,
            heading_5deg: None,
            accuracy_m: None,
        });
        let cut: Vec<_> = by_quarter_hour(&fixes).collect();
        assert_eq!(cut, [(-1, &fixes[..1]), (0, &fixes[1..3]), (1, &fixes[3..4]), (3, &fixes[4..])]);
        assert_eq!(by_quarter_hour(&[]).count(), 0);
    }
}
