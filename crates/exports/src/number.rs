//! Formats numbers as the shortest text that parses to the same value.

/// Appends an integer.
pub(crate) fn push_integer(out: &mut Vec<u8>, number: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Appends a finite number; 5 is written as `5`, not `5.0`.
pub(crate) fn push_decimal(out: &mut Vec<u8>, number: f64) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(number);
    out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn decimals_read_back_the_same(bits: u64) {
            let number = f64::from_bits(bits);
            prop_assume!(number.is_finite());
            let mut out = Vec::new();
            push_decimal(&mut out, number);
            let text = String::from_utf8(out).unwrap();
            prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), number.to_bits());
        }

        #[test]
        fn integers_read_back_the_same(number: i64) {
            let mut out = Vec::new();
            push_integer(&mut out, number);
            prop_assert_eq!(String::from_utf8(out).unwrap().parse::<i64>().unwrap(), number);
        }
    }
}
