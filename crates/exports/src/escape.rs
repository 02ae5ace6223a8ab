//! Text that a spreadsheet program would take for a formula.

/// Whether a cell with this text would be evaluated when a spreadsheet program reads it.
///
/// Such text gets an apostrophe before it, which makes it text to every such program. A sheet's cells are typed and would not be
/// evaluated, but a workbook is soon saved as CSV, where they would.
pub(crate) fn is_formula(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9') | None => false,
        // Programs pass over blanks before a formula.
        _ => text
            .trim_start_matches(' ')
            .starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_programs_evaluate_is_known_by_its_beginning() {
        for text in ["=1+1", "+1", "-1", "@sum(a1)", "\t=1", "\r=1", "\n=1", "  =1", "＝1", "－", "-"] {
            assert!(is_formula(text), "{text:?}");
        }
        for text in ["", " ", "a=1", "1-2", "'=1", "é", "日本", "x\t"] {
            assert!(!is_formula(text), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn an_apostrophe_is_enough(text in ".*") {
            let escaped = format!("'{text}");
            prop_assert!(!is_formula(&escaped));
        }

        #[test]
        fn whatever_follows_a_sign_is_escaped(sign in "[=+@\t\r\n-]", text in ".*") {
            let formula = format!("{sign}{text}");
            prop_assert!(is_formula(&formula));
        }
    }
}
