//! The innermost loops over whole blocks, compiled twice: for the baseline, and for processors with AVX2, which process 32 bytes at a time
//! instead of 16. The version is chosen at run time.

use super::key_number::KeyNumber;
use crate::storage::Lengths;

/// Defines a function that runs the better of two compilations of its body.
macro_rules! multiversion {
    ($($(#[$meta:meta])* fn $name:ident $(<$generic:ident: $bound:ident>)? ($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? $body:block)*) => {$(
        $(#[$meta])*
        pub(super) fn $name $(<$generic: $bound>)? ($($arg: $type),*) $(-> $out)? {
            #[inline(always)]
            fn plain $(<$generic: $bound>)? ($($arg: $type),*) $(-> $out)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                fn wide $(<$generic: $bound>)? ($($arg: $type),*) $(-> $out)? {
                    plain($($arg),*)
                }
                if has_avx2() {
                    #[expect(unsafe_code, reason = "the features of the processor are known at run time only")]
                    // SAFETY: the processor was just found to support these features.
                    return unsafe { wide($($arg),*) };
                }
            }
            plain($($arg),*)
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// The number of rows whose small sums fit into a byte.
const MAX_ROWS_U8_SUM: usize = 128;
/// The number of rows whose small sums fit into two bytes.
const MAX_ROWS_U16_SUM: usize = 16_384;

multiversion! {
    /// Keeps the rows with a code.
    fn filter_equal(mask: &mut [u8], codes: &[u16], code: u16) {
        for (mask, own) in mask.iter_mut().zip(codes) {
            *mask &= u8::from(*own == code);
        }
    }

    /// Keeps the rows with a code in a range, both ends inclusive.
    fn filter_code_range(mask: &mut [u8], codes: &[u16], min: u16, max: u16) {
        for (mask, own) in mask.iter_mut().zip(codes) {
            *mask &= u8::from(*own >= min) & u8::from(*own <= max);
        }
    }

    /// Keeps the rows with a duration in a range, both ends inclusive.
    fn filter_length_range(mask: &mut [u8], lengths: &[u32], min: u32, max: u32) {
        for (mask, own) in mask.iter_mut().zip(lengths) {
            *mask &= u8::from(*own >= min) & u8::from(*own <= max);
        }
    }

    /// Keeps the rows whose flags have a value in some bits.
    fn filter_flags(mask: &mut [u8], flags: &[u8], bits: u8, value: u8) {
        for (mask, own) in mask.iter_mut().zip(flags) {
            *mask &= u8::from(own & bits == value);
        }
    }

    /// Keeps the rows whose code has a 1 in a table.
    fn filter_in_table(mask: &mut [u8], codes: &[u16], table: &[u8]) {
        for (mask, code) in mask.iter_mut().zip(codes) {
            *mask &= table.get(usize::from(*code)).copied().unwrap_or(0);
        }
    }

    /// Adds codes multiplied by a stride.
    fn add_strided_codes<N: KeyNumber>(numbers: &mut [N], codes: &[u16], stride: N) {
        for (number, code) in numbers.iter_mut().zip(codes) {
            *number = *number + N::from(u32::from(*code)) * stride;
        }
    }

    /// Adds the table entries for the hours of minutes.
    fn add_hour_terms<N: KeyNumber>(numbers: &mut [N], minutes: &[u16], table: &[N; 168]) {
        for (number, minute) in numbers.iter_mut().zip(minutes) {
            *number = *number + table[usize::from(minute / 60).min(167)];
        }
    }

    /// Adds the table entries for flags.
    fn add_flag_terms<N: KeyNumber>(numbers: &mut [N], flags: &[u8], table: &[N; 64]) {
        for (number, flags) in numbers.iter_mut().zip(flags) {
            *number = *number + table[usize::from(flags % 64)];
        }
    }

    /// Computes the positions of codes in rows of a table.
    fn bit_positions(places: &mut [u32], rows: &[u32], codes: &[u16], width: u32) {
        for ((place, row), code) in places.iter_mut().zip(rows).zip(codes) {
            *place = row.wrapping_mul(width).wrapping_add(u32::from(*code));
        }
    }

    /// Counts the rows with a flag.
    fn count_flag(flags: &[u8], flag: u8) -> u32 {
        let count = |flags: &[u8]| flags.iter().map(|own| u8::from(own & flag != 0)).sum::<u8>();
        flags.chunks(MAX_ROWS_U8_SUM).map(|flags| u32::from(count(flags))).sum()
    }

    /// Counts the rows with a code.
    fn count_equal(codes: &[u16], code: u16) -> u32 {
        let count = |codes: &[u16]| codes.iter().map(|own| u16::from(*own == code)).sum::<u16>();
        codes.chunks(MAX_ROWS_U16_SUM).map(|codes| u32::from(count(codes))).sum()
    }

    /// Counts the rows with a code and a flag.
    fn count_equal_with_flag(codes: &[u16], code: u16, flags: &[u8], flag: u8) -> u32 {
        let count = |(codes, flags): (&[u16], &[u8])| {
            codes.iter().zip(flags).map(|(own, flags)| u16::from(*own == code) & u16::from(flags & flag != 0)).sum::<u16>()
        };
        codes.chunks(MAX_ROWS_U16_SUM).zip(flags.chunks(MAX_ROWS_U16_SUM)).map(|both| u32::from(count(both))).sum()
    }

    /// Sums durations.
    fn sum_lengths(lengths: &[u32]) -> i64 {
        lengths.iter().map(|length| if *length == Lengths::NARROW_NONE { 0 } else { i64::from(*length) }).sum()
    }

    /// Sums the durations of the rows with a code.
    fn sum_lengths_where_equal(codes: &[u16], code: u16, lengths: &[u32]) -> i64 {
        let own = |(code_of, length): (&u16, &u32)| {
            if *code_of != code || *length == Lengths::NARROW_NONE { 0 } else { i64::from(*length) }
        };
        codes.iter().zip(lengths).map(own).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_over_blocks_do_what_plain_ones_do() {
        let codes: Vec<u16> = (0..5_003_u32).map(|at| u16::try_from(at * at % 7).unwrap()).collect();
        let flags: Vec<u8> = (0..5_003_u32).map(|at| u8::try_from(at * 5 % 64).unwrap()).collect();
        let lengths: Vec<u32> =
            (0..5_003).map(|at| if at % 11 == 0 { u32::MAX } else { at * 800_000 }).collect();
        let with =
            |code: u16| codes.iter().enumerate().filter(move |(_, own)| **own == code).map(|(at, _)| at);
        let length = |at: usize| if lengths[at] == u32::MAX { 0 } else { i64::from(lengths[at]) };
        for code in 0..8 {
            assert_eq!(count_equal(&codes, code) as usize, with(code).count());
            let both = with(code).filter(|at| flags[*at] & 16 != 0).count();
            assert_eq!(count_equal_with_flag(&codes, code, &flags, 16) as usize, both);
            assert_eq!(sum_lengths_where_equal(&codes, code, &lengths), with(code).map(length).sum::<i64>());
            let mut mask = vec![1; codes.len()];
            filter_equal(&mut mask, &codes, code);
            assert!(mask.iter().zip(&codes).all(|(mask, own)| (*mask == 1) == (*own == code)));
        }
        assert_eq!(sum_lengths(&lengths), (0..lengths.len()).map(length).sum::<i64>());
        assert_eq!(count_flag(&flags, 32) as usize, flags.iter().filter(|flags| **flags & 32 != 0).count());
        let mut mask = vec![1; codes.len()];
        filter_code_range(&mut mask, &codes, 2, 3);
        filter_flags(&mut mask, &flags, 0b1001, 1);
        filter_length_range(&mut mask, &lengths, 800_000, 1_800_000_000);
        filter_in_table(&mut mask, &codes, &[0, 0, 1]);
        for (at, mask) in mask.into_iter().enumerate() {
            let holds =
                codes[at] == 2 && flags[at] & 9 == 1 && (800_000..=1_800_000_000).contains(&lengths[at]);
            assert_eq!(mask == 1, holds, "{at}");
        }
    }
}
