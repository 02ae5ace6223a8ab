//! Text in charts: cleaned, escaped, measured and shortened, without a font file.
//!
//! Widths are those of DejaVu Sans, one of the widest fonts that a browser may choose, so that text that fits by this measure
//! fits with other fonts too.

/// A placeholder for the chart's id until it is known. Cleaned text has no control characters, so it cannot occur elsewhere.
pub(crate) const ID_PLACEHOLDER: char = '\u{1}';

/// Removes characters that XML forbids or that would reorder other text, and replaces line breaks.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\t' | '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => cleaned.push(' '),
            c if c.is_control() => {}
            // Bidirectional control characters would affect text beyond the name they are part of.
            '\u{200E}' | '\u{200F}' | '\u{061C}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {}
            '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{FFFE}' | '\u{FFFF}' | '\u{FDD0}'..='\u{FDEF}' => {}
            c => cleaned.push(c),
        }
    }
    let trimmed = cleaned.trim();
    if trimmed.len() == cleaned.len() { cleaned } else { trimmed.to_owned() }
}

/// Cleans and escapes text for an element or an attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in clean(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The font weight; bold is wider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

/// Estimates the width of text at a font size, rather too wide than too narrow.
pub(crate) fn width(text: &str, size: f64, weight: Weight) -> f64 {
    let widening = match weight {
        Weight::Regular => 1.0,
        Weight::Bold => 1.14,
    };
    text.chars().map(em_width).sum::<f64>() * size * widening
}

fn em_width(character: char) -> f64 {
    match character {
        '\u{300}'..='\u{36F}'
        | '\u{200B}'..='\u{200D}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{20D0}'..='\u{20FF}' => 0.0,
        '\u{591}'..='\u{5BD}'
        | '\u{64B}'..='\u{65F}'
        | '\u{E0100}'..='\u{E01EF}'
        | '\u{E0020}'..='\u{E007F}' => 0.0,
        '\u{2009}' | '\u{202F}' => 0.2,
        '\'' | 'i' | 'j' | 'l' | 'I' | 'J' => 0.29,
        ' ' | ',' | '.' | '·' | '\u{A0}' => 0.32,
        '/' | ':' | ';' | '\\' | '|' | 'f' | '-' => 0.36,
        '(' | ')' | '[' | ']' | 't' | '!' | 'r' | '²' | '³' => 0.41,
        '"' | '*' | '_' | '`' | '°' | '–' => 0.5,
        's' | 'z' | '?' | 'c' | 'L' | 'F' | 'k' => 0.57,
        'v' | 'x' | 'y' | 'P' | 'T' | 'Y' | 'a' | 'o' | 'e' => 0.62,
        'E' | 'S' | 'b' | 'd' | 'g' | 'h' | 'n' | 'p' | 'q' | 'u' | '$' | '0'..='9' | '{' | '}' => 0.64,
        'A' | 'B' | 'C' | 'K' | 'R' | 'V' | 'X' | 'Z' => 0.69,
        'D' | 'G' | 'H' | 'N' | 'O' | 'Q' | 'U' | '&' => 0.78,
        '#' | '+' | '<' | '=' | '>' | '^' | '~' | 'M' | 'w' | '−' | '×' | '≤' | '≥' | '±' => 0.86,
        '%' | '@' | 'W' | 'm' | '…' | '—' => 1.0,
        '\u{C0}'..='\u{24F}' => 0.75,
        '\u{370}'..='\u{3FF}' => 0.75,
        '\u{400}'..='\u{52F}' => 0.9,
        '\u{590}'..='\u{5FF}' => 0.68,
        '\u{600}'..='\u{8FF}' => 0.95,
        '\u{2010}'..='\u{206F}' => 0.7,
        '\u{1100}'..='\u{115F}'
        | '\u{2E80}'..='\u{A4CF}'
        | '\u{AC00}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FF00}'..='\u{FF60}' => 1.05,
        '\u{1F000}'..='\u{1FAFF}' | '\u{2600}'..='\u{27BF}' | '\u{2B00}'..='\u{2BFF}' => 1.4,
        c if c.is_ascii() => 0.7,
        _ => 1.1,
    }
}

/// Text shortened to fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fitted {
    pub(crate) text: String,
    /// The full text, if it was shortened.
    pub(crate) full_text: Option<String>,
}

/// Shortens text with an ellipsis until it is no wider than `available`; empty if not even that fits.
pub(crate) fn fit(text: &str, size: f64, weight: Weight, available: f64) -> Fitted {
    let whole = clean(text);
    if width(&whole, size, weight) <= available {
        return Fitted { text: whole, full_text: None };
    }
    let mut characters: Vec<char> = whole.chars().collect();
    while let Some(last) = characters.pop() {
        // Combining characters are removed with their base: half an emoji or a lone accent would be wrong.
        if is_combining(last) || characters.last() == Some(&'\u{200D}') {
            continue;
        }
        let kept: String = characters.iter().collect();
        let kept = kept.trim_end();
        if kept.is_empty() {
            break;
        }
        let shown = format!("{kept}…");
        if width(&shown, size, weight) <= available {
            return Fitted { text: shown, full_text: Some(whole) };
        }
    }
    let ellipsis = if width("…", size, weight) <= available { "…".to_owned() } else { String::new() };
    Fitted { text: ellipsis, full_text: Some(whole) }
}

fn is_combining(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36F}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}' | '\u{20D0}'..='\u{20FF}' | '\u{1F3FB}'..='\u{1F3FF}' | '\u{E0020}'..='\u{E007F}')
}

/// Wraps text at spaces into at most `max_lines` lines of width `available`, and shortens the last one if text is left.
pub(crate) fn wrap(text: &str, size: f64, weight: Weight, available: f64, max_lines: usize) -> Vec<Fitted> {
    let whole = clean(text);
    let mut lines: Vec<String> = Vec::new();
    for word in whole.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), size, weight) <= available => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    if lines.len() > max_lines {
        let rest = lines.split_off(max_lines.saturating_sub(1)).join(" ");
        lines.push(rest);
    }
    lines.iter().map(|line| fit(line, size, weight, available)).collect()
}

/// Wraps text of parts between separators like [`wrap`], but at separators only, if the lines suffice.
pub(crate) fn wrap_parts(
    text: &str,
    separator: &str,
    size: f64,
    available: f64,
    max_lines: usize,
) -> Vec<Fitted> {
    let whole = clean(text);
    let fits = |line: &str| width(line, size, Weight::Regular) <= available;
    let mut lines: Vec<String> = Vec::new();
    for part in whole.split(separator) {
        match lines.last_mut() {
            Some(line) if fits(&format!("{line}{separator}{part}")) => {
                line.push_str(separator);
                line.push_str(part);
            }
            _ => lines.push(part.to_owned()),
        }
    }
    if lines.len() > max_lines || !lines.iter().all(|line| fits(line)) {
        return wrap(&whole, size, Weight::Regular, available, max_lines);
    }
    lines.into_iter().map(|text| Fitted { text, full_text: None }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn markup_and_control_characters_become_harmless() {
        assert_eq!(
            escape("<script>&\"'\u{0}\u{1}\u{8}\n\u{202E}x\u{FFFE}"),
            "&lt;script&gt;&amp;&quot;&#39; x"
        );
    }

    #[test]
    fn what_fits_stays_whole() {
        assert_eq!(
            fit("Excavator", 12.0, Weight::Regular, 100.0),
            Fitted { text: "Excavator".into(), full_text: None }
        );
    }

    #[test]
    fn what_is_too_long_ends_in_an_ellipsis_and_keeps_its_whole_text() {
        let fitted = fit("Excavator of the northern pit", 12.0, Weight::Regular, 80.0);
        assert!(fitted.text.ends_with('…') && fitted.text.starts_with("Exc"), "{fitted:?}");
        assert_eq!(fitted.full_text.as_deref(), Some("Excavator of the northern pit"));
    }

    #[test]
    fn an_emoji_is_shortened_whole() {
        let family = "👩\u{200D}👩\u{200D}👧 crew of the night shift";
        for available in 0..300 {
            let shown = fit(family, 12.0, Weight::Regular, f64::from(available)).text;
            assert!(!shown.contains("\u{200D}…"), "{shown:?}");
            assert!(
                shown.is_empty() || shown == "…" || shown.starts_with("👩\u{200D}👩\u{200D}👧"),
                "{shown:?}"
            );
        }
    }

    #[test]
    fn lines_are_broken_at_spaces() {
        let lines = wrap("one two three four five six seven", 12.0, Weight::Regular, 70.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines[1].text.ends_with('…'));
    }

    #[test]
    fn parts_stay_together_if_there_are_enough_lines() {
        let lines = |available: f64, max_lines: usize| -> Vec<String> {
            let lines = wrap_parts("March 2026 · UTC · only North bridge", " · ", 12.0, available, max_lines);
            lines.into_iter().map(|line| line.text).collect()
        };
        assert_eq!(lines(400.0, 3), ["March 2026 · UTC · only North bridge"]);
        assert_eq!(lines(140.0, 3), ["March 2026 · UTC", "only North bridge"]);
        // A part that is too long is broken at its spaces.
        assert_eq!(lines(90.0, 5).join(" "), "March 2026 · UTC · only North bridge");
        assert!(lines(140.0, 1)[0].ends_with('…'));
    }

    proptest! {
        #[test]
        fn fitted_text_is_never_wider_than_its_room(text in "\\PC{0,40}", available in 0.0..300.0f64) {
            let fitted = fit(&text, 12.0, Weight::Regular, available);
            prop_assert!(width(&fitted.text, 12.0, Weight::Regular) <= available);
        }

        #[test]
        fn escaped_text_holds_nothing_that_xml_forbids(text in any::<String>()) {
            let escaped = escape(&text);
            prop_assert!(!escaped.contains(['<', '>', '"', ID_PLACEHOLDER]));
            prop_assert!(!escaped.chars().any(char::is_control));
        }
    }
}
