//! Text in a sheet: not evaluated as a formula, limited to the length of a cell, and valid in XML.

use std::borrow::Cow;

use crate::escape::is_formula;
use crate::format::SHEET_CELL_CHARACTERS;

const ELLIPSIS: char = '…';

/// Appends the text of a cell as an element.
pub(super) fn push_cell_text(out: &mut Vec<u8>, text: &str) {
    // Without this attribute, readers may drop spaces at both ends.
    if text.starts_with(|first: char| first.is_ascii_whitespace())
        || text.ends_with(|last: char| last.is_ascii_whitespace())
    {
        out.extend_from_slice(b"<t xml:space=\"preserve\">");
    } else {
        out.extend_from_slice(b"<t>");
    }
    push_safe_text(out, text);
    out.extend_from_slice(b"</t>");
}

/// Appends text as XML, escaped against evaluation and limited in length.
fn push_safe_text(out: &mut Vec<u8>, text: &str) {
    let lead = usize::from(is_formula(text));
    if lead == 1 {
        out.push(b'\'');
    }
    push_xml(out, &truncate(text, SHEET_CELL_CHARACTERS - lead));
}

/// Appends text as XML, for an element or an attribute.
///
/// Characters that XML does not allow, and carriage returns, which XML would change, are written as `_x000D_`. Text that already looks like
/// this gets its underscore escaped in the same way. The format defines this, and its readers undo it.
pub(super) fn push_xml(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let mut copied = 0;
    for (place, byte) in bytes.iter().enumerate() {
        if !SPECIAL[usize::from(*byte)] {
            continue;
        }
        let mut length = 1;
        let code = match byte {
            b'&' => "&amp;".into(),
            b'<' => "&lt;".into(),
            b'>' => "&gt;".into(),
            b'"' => "&quot;".into(),
            b'_' if is_escape_sequence(&bytes[place..]) => "_x005F_".into(),
            b'_' => continue,
            // U+FFFE and U+FFFF, the only other characters that XML does not allow.
            0xEF => match bytes.get(place + 1..place + 3) {
                Some([0xBF, last @ (0xBE | 0xBF)]) => {
                    length = 3;
                    Cow::Owned(format!("_xFFF{}_", if *last == 0xBE { 'E' } else { 'F' }))
                }
                _ => continue,
            },
            control => Cow::Owned(format!("_x{control:04X}_")),
        };
        out.extend_from_slice(&bytes[copied..place]);
        out.extend_from_slice(code.as_bytes());
        copied = place + length;
    }
    out.extend_from_slice(&bytes[copied..]);
}

/// Bytes that may need escaping. Tabs and line feeds do not.
static SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        special[byte] = byte != b'\t' as usize && byte != b'\n' as usize;
        byte += 1;
    }
    special[b'&' as usize] = true;
    special[b'<' as usize] = true;
    special[b'>' as usize] = true;
    special[b'"' as usize] = true;
    special[b'_' as usize] = true;
    special[0xEF] = true;
    special
};

fn is_escape_sequence(bytes: &[u8]) -> bool {
    matches!(bytes, [b'_', b'x', code @ .., ] if code.len() >= 5 && code[4] == b'_' && code[..4].iter().all(u8::is_ascii_hexdigit))
}

/// Truncates text that is longer than `max` UTF-16 units, with a mark.
fn truncate(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max || text.encode_utf16().count() <= max {
        return Cow::Borrowed(text);
    }
    let mut units = ELLIPSIS.len_utf16();
    let kept = text.chars().take_while(|character| {
        units += character.len_utf16();
        units <= max
    });
    Cow::Owned(kept.chain([ELLIPSIS]).collect())
}

/// Returns a valid name for a sheet: at most 31 characters, without those that Excel forbids.
pub(super) fn sheet_name(wanted: &str, taken: &str) -> String {
    let plain = |character: char| match character {
        '[' | ']' | ':' | '*' | '?' | '/' | '\\' => ' ',
        control if control.is_control() || ('\u{FFFE}'..='\u{FFFF}').contains(&control) => ' ',
        other => other,
    };
    let mut units = 0;
    let name: String = wanted
        .chars()
        .map(plain)
        .take_while(|character| {
            units += character.len_utf16();
            units <= 31
        })
        .collect();
    let name = name.trim_matches(|character: char| character == '\'' || character.is_whitespace());
    // Excel reserves the name "History".
    if name.is_empty() || name.eq_ignore_ascii_case("history") || name.eq_ignore_ascii_case(taken) {
        "Table".to_owned()
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn xml(text: &str) -> String {
        let mut out = Vec::new();
        push_xml(&mut out, text);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_xml_cannot_hold_is_spelt_as_a_code() {
        assert_eq!(xml("a\u{0}b\u{1f}\rc\td\n"), "a_x0000_b_x001F__x000D_c\td\n");
        assert_eq!(xml("\u{FFFE}\u{FFFF}\u{FFFD}ﬁ"), "_xFFFE__xFFFF_\u{FFFD}ﬁ");
        assert_eq!(xml("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
    }

    #[test]
    fn what_only_looks_like_a_code_stays_what_it_is() {
        assert_eq!(xml("_x000D_ _x00zz_ _ _x00"), "_x005F_x000D_ _x00zz_ _ _x00");
    }

    #[test]
    fn a_long_text_is_cut_with_a_mark() {
        let mut out = Vec::new();
        push_safe_text(&mut out, &"x".repeat(32_767));
        assert_eq!(out.len(), 32_767);
        out.clear();
        push_safe_text(&mut out, &"😀".repeat(20_000));
        let text = String::from_utf8(out).unwrap();
        assert!(text.ends_with("😀…"));
        assert_eq!(text.encode_utf16().count(), 32_767);
        let mut out = Vec::new();
        push_safe_text(&mut out, &"=".repeat(32_767));
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with("'=") && text.ends_with("=…"));
        assert_eq!(text.encode_utf16().count(), 32_767);
    }

    #[test]
    fn a_sheet_has_a_name_that_excel_takes() {
        assert_eq!(sheet_name("Incursions 1/3", "About"), "Incursions 1 3");
        assert_eq!(sheet_name("about", "About"), "Table");
        assert_eq!(sheet_name("'[]'", "About"), "Table");
        assert_eq!(sheet_name(&"long ".repeat(20), "About").len(), 31);
    }

    proptest! {
        #[test]
        fn any_text_is_valid_xml(text in any::<String>()) {
            let written = xml(&text);
            let valid = |character: char| matches!(character, '\t' | '\n' | ' '..='\u{FFFD}' | '\u{10000}'..);
            prop_assert!(written.chars().all(valid));
            prop_assert!(!written.contains(['<', '>', '"']));
        }
    }
}
