use std::ops::Range;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;
use crate::merge;

/// Any fix with a time in this range.
pub(crate) fn any_fix(at_ms: Range<i64>) -> impl Strategy<Value = Fix> {
    let optional = (option::of(any::<u16>()), option::of(any::<u8>()), option::of(0_u16..4));
    (at_ms, any::<i32>(), any::<i32>(), optional).prop_map(
        |(at_ms, lat_e6, lon_e6, (speed, heading, accuracy_m))| Fix {
            at_ms,
            lat_e6,
            lon_e6,
            speed_half_kmh: speed,
            heading_5deg: heading,
            accuracy_m,
        },
    )
}

/// The fixes of a quarter hour: arbitrary values or a slow machine, with or without the optional columns.
fn quarter_of_fixes() -> impl Strategy<Value = Vec<Fix>> {
    let quarters =
        prop_oneof![Just(0), Just(-1), Just(1_972_000), quarter_hour(i64::MIN) + 1..quarter_hour(i64::MAX)];
    let fixes = vec(any_fix(0..QUARTER_HOUR_MS), 0..300);
    (quarters, fixes, any::<[bool; 4]>()).prop_map(|(number, mut fixes, [calm, speed, heading, accuracy])| {
        for (index, fix) in fixes.iter_mut().enumerate() {
            fix.at_ms = number * QUARTER_HOUR_MS + if calm { index as i64 * 1_000 } else { fix.at_ms };
            if calm {
                fix.lat_e6 = 52_000_000 + index as i32 * 9 + fix.lat_e6 % 14;
                fix.lon_e6 = 13_000_000 - index as i32 * 4 + fix.lon_e6 % 20;
            }
            fix.speed_half_kmh = fix.speed_half_kmh.filter(|_| speed);
            fix.heading_5deg = if heading { Some(fix.heading_5deg.unwrap_or(3)) } else { fix.heading_5deg };
            fix.accuracy_m = fix.accuracy_m.filter(|_| accuracy);
        }
        merge(&fixes, &[]).fixes
    })
}

/// Appends the correct checksum.
fn sealed(mut body: Vec<u8>) -> Vec<u8> {
    body.extend(crc32(&body).to_le_bytes());
    body
}

fn fix(at_ms: i64) -> Fix {
    Fix { at_ms, lat_e6: 1, lon_e6: 2, speed_half_kmh: None, heading_5deg: None, accuracy_m: None }
}

/// A quarter hour at 1 Hz.
fn every_second(shape: impl Fn(i64) -> Fix) -> Vec<Fix> {
    (0..900).map(|second| Fix { at_ms: second * 1_000, ..shape(second) }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn what_was_encoded_is_decoded(fixes in quarter_of_fixes()) {
        let chunk = encode(&fixes).unwrap();
        prop_assert_eq!(chunk[0], VERSION);
        prop_assert_eq!(decode(&chunk).unwrap(), fixes);
    }

    #[test]
    fn a_chunk_cut_off_is_refused(fixes in quarter_of_fixes(), at in any::<prop::sample::Index>()) {
        let chunk = encode(&fixes).unwrap();
        let cut = &chunk[..at.index(chunk.len())];
        prop_assert!(matches!(decode(cut), Err(Error::Corrupt(_))));
    }

    #[test]
    fn a_changed_byte_is_noticed(
        fixes in quarter_of_fixes(), at in any::<prop::sample::Index>(), flip in 1_u8..,
    ) {
        let mut chunk = encode(&fixes).unwrap();
        let at = at.index(chunk.len());
        chunk[at] ^= flip;
        prop_assert!(decode(&chunk).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_decoded_or_refused(mut bytes in vec(any::<u8>(), 0..400)) {
        prop_assert!(decode(&bytes).is_err());
        // The same bytes behind a header and with a checksum that let them through to the columns.
        let mut body = vec![VERSION, 0b01_01_01, 100, 0, 4, 0, 0, 0, 4, 1];
        body.append(&mut bytes);
        let _ = decode(&sealed(body));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn a_chunk_changed_on_purpose_is_decoded_or_refused(
        fixes in quarter_of_fixes(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in option::weighted(0.2, any::<prop::sample::Index>()),
        early in any::<bool>(),
    ) {
        let mut body = encode(&fixes).unwrap();
        body.truncate(body.len() - CHECKSUM_BYTES);
        for (at, byte) in changes {
            // The header and the start of the first column are changed more often than the rest.
            let reach = if early { body.len().min(40) } else { body.len() };
            body[at.index(reach)] = byte;
        }
        body[0] = VERSION;
        if let Some(cut) = cut {
            body.truncate(1 + cut.index(body.len()));
        }
        if let Ok(fixes) = decode(&sealed(body)) {
            prop_assert!(fixes.len() as u64 <= MAX_FIXES);
            prop_assert_eq!(decode(&encode(&fixes).unwrap()).unwrap(), fixes);
        }
    }
}

#[test]
fn no_fixes_are_a_chunk_too() {
    assert_eq!(decode(&encode(&[]).unwrap()), Ok(vec![]));
}

#[test]
fn the_first_and_the_last_moment_there_are_can_be_kept() {
    for at_ms in [i64::MIN, -1, 0, i64::MAX] {
        assert_eq!(decode(&encode(&[fix(at_ms)]).unwrap()), Ok(vec![fix(at_ms)]));
    }
}

#[test]
fn fixes_out_of_order_or_of_two_quarters_are_refused() {
    assert_eq!(encode(&[fix(5), fix(4)]), Err(Error::Unordered));
    assert_eq!(encode(&[fix(5), fix(5)]), Err(Error::Unordered));
    assert_eq!(encode(&[fix(-1), fix(0)]), Err(Error::SeveralQuarterHours));
}

#[test]
fn another_version_is_named() {
    let mut chunk = encode(&[fix(5)]).unwrap();
    chunk[0] = 9;
    assert_eq!(decode(&chunk), Err(Error::Version(9)));
}

#[test]
fn a_count_beyond_a_quarter_hour_is_refused_before_it_is_allocated() {
    for count in [MAX_FIXES + 1, u64::MAX] {
        let mut body = vec![VERSION, 0];
        write_varint(&mut body, count);
        body.extend([0, 4, 0, 0, 0, 4, 1, 0]);
        assert_eq!(
            decode(&sealed(body)),
            Err(Error::Corrupt("it claims more fixes than fit a quarter hour"))
        );
    }
    let endless = [&[VERSION, 0][..], &[0xff; 30]].concat();
    assert_eq!(decode(&sealed(endless)), Err(Error::Corrupt("a number in its header is too large")));
}

#[test]
fn ways_of_packing_that_are_not_used_are_refused() {
    // A dictionary, and deltas with lookback.
    for first in [0x04, 0x20] {
        let body = [&[VERSION, 0, 1, 0, 4, 0, 0, 0, 4, 1, first][..], &[0xff; 40]].concat();
        let refused = Err(Error::Corrupt("a column uses an unsupported encoding"));
        assert_eq!(decode(&sealed(body)), refused);
    }
}

#[test]
fn what_comes_after_the_end_is_refused() {
    let mut body = encode(&[fix(5)]).unwrap();
    body.truncate(body.len() - CHECKSUM_BYTES);
    body.push(0);
    assert_eq!(decode(&sealed(body)), Err(Error::Corrupt("it has data after its end")));
}

#[test]
fn absent_columns_cost_nothing_and_a_few_absent_values_little() {
    let noise = |second: i64| (second * 7_919 % 31) as i32;
    let bare = every_second(|second| Fix { lat_e6: noise(second), lon_e6: noise(second + 9), ..fix(0) });
    let size = |fixes: &[Fix]| encode(fixes).unwrap().len();
    let with = |present: fn(i64) -> bool| {
        let fixes = bare.iter().enumerate();
        let speed = |second| present(second).then_some(7);
        fixes.map(|(index, fix)| Fix { speed_half_kmh: speed(index as i64), ..*fix }).collect::<Vec<_>>()
    };
    assert_eq!(size(&with(|_| false)), size(&bare));
    // A column of one value, preceded by a column of ones and zeros.
    assert!(size(&with(|_| true)) <= size(&bare) + 12);
    assert!(size(&with(|second| second % 100 != 0)) <= size(&bare) + 60);
}

#[test]
fn a_whole_quarter_of_milliseconds_can_be_kept() {
    let fixes: Vec<Fix> = (0..QUARTER_HOUR_MS).map(fix).collect();
    let chunk = encode(&fixes).unwrap();
    assert!(decode(&chunk).unwrap() == fixes);
}
