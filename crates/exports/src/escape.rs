//! Escapes text that a spreadsheet program would evaluate as a formula, and finds characters at which one would split a line of CSV.

use std::borrow::Cow;

/// Characters that begin a formula, including the full-width forms of Japanese and Chinese keyboards.
const FORMULA_PREFIXES: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Returns whether a program may be set to split lines of CSV at this character: list separators of locales, and the choices of import
/// dialogs. The comma is not included, because programs that split at commas understand the quotes of this file.
fn is_other_separator(c: char) -> bool {
    matches!(c, ';' | '\t' | '|' | '^' | '~' | '\u{1c}'..='\u{1f}' | '،' | '؛' | '、' | '，' | '；' | '｜')
}

/// Returns whether a CSV cell must be quoted, for any separator of the reader's locale.
pub(crate) fn needs_quotes(text: &str) -> bool {
    text.contains(|c| matches!(c, ',' | '"' | '\r' | '\n') || is_other_separator(c))
}

/// Returns the text of a CSV cell, with an apostrophe before every formula.
///
/// A program that splits lines at a character other than the comma does not understand our quotes, because they are not at the beginning of
/// what it considers a cell. For such a program, the text after each separator and line break is a cell.
pub(crate) fn escape_formulas(text: &str) -> Cow<'_, str> {
    let begins_cell = |c: char| matches!(c, '\r' | '\n') || is_other_separator(c);
    if !text.contains(begins_cell) {
        return if is_formula(text) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) };
    }
    let mut out = String::with_capacity(text.len() + 2);
    if is_formula(text) {
        out.push('\'');
    }
    for (at, c) in text.char_indices() {
        out.push(c);
        if begins_cell(c) {
            let rest = text.get(at + c.len_utf8()..).unwrap_or_default();
            if rest.trim_start_matches([' ', '"']).starts_with(FORMULA_PREFIXES) {
                out.push('\'');
            }
        }
    }
    Cow::Owned(out)
}

/// Returns whether a spreadsheet program would evaluate a cell with this text.
///
/// An apostrophe before such text makes every program treat it as text. The cells of a sheet are typed and would not be evaluated, but a
/// workbook may later be saved as CSV, where they would.
pub(crate) fn is_formula(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9') | None => false,
        // Programs skip spaces before a formula.
        _ => {
            let text = text.trim_start_matches(' ');
            text.starts_with(FORMULA_PREFIXES) || text.starts_with(['\t', '\r', '\n'])
        }
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
