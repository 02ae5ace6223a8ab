//! Which characters can be drawn.
//!
//! PDF/A refuses a document for one glyph that is missing or that has no character. A character that the font lacks is therefore
//! replaced by a box, whose `ActualText` is the character: it can still be searched, copied and read aloud.

use std::ops::Range;

use crate::fonts::{BOX, Fonts};
use crate::model::{Text, Weight};

/// PDF limits the length of strings; a longer address is not linked.
const MAX_ADDRESS: usize = 4000;
/// Around a text whose direction is its own; never drawn.
const ISOLATE: char = '\u{2068}';
const END_OF_ISOLATE: char = '\u{2069}';

/// A text that the fonts can draw.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drawable {
    pub(crate) text: String,
    pub(crate) pieces: Vec<Piece>,
    /// Positions of boxes in the text, ascending, with what they stand for.
    boxes: Vec<(usize, String)>,
}

/// A part of the text with one weight and one link.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) range: Range<usize>,
    pub(crate) weight: Weight,
    pub(crate) link: Option<String>,
}

impl Drawable {
    pub(crate) fn new(text: &Text, weight: Weight, fonts: &Fonts) -> Self {
        let mut drawable = Self::default();
        for span in &text.0 {
            let weight = if span.weight == Weight::Bold { Weight::Bold } else { weight };
            let start = drawable.text.len();
            // A name from right to left must not change the order of what follows, such as a number.
            let is_isolated = text.0.len() > 1 && span.text.chars().any(is_right_to_left);
            drawable.text.extend(is_isolated.then_some(ISOLATE));
            drawable.add(&span.text, |character| fonts.face(weight).has(character));
            let shows = !drawable.text[start..].trim().is_empty();
            drawable.text.extend(is_isolated.then_some(END_OF_ISOLATE));
            let range = start..drawable.text.len();
            let is_address = |address: &String| address.len() <= MAX_ADDRESS && !clean(address).is_empty();
            let link = span.link.clone().filter(|address| shows && is_address(address));
            if !range.is_empty() {
                drawable.pieces.push(Piece { range, weight, link });
            }
        }
        drawable
    }

    /// Returns what the box at a position stands for.
    pub(crate) fn boxed_at(&self, position: usize) -> Option<&str> {
        let found = self.boxes.binary_search_by_key(&position, |(at, _)| *at).ok()?;
        Some(&self.boxes[found].1)
    }

    /// Whether a part of the text is only there for the order of others.
    pub(crate) fn is_hidden(&self, range: &Range<usize>) -> bool {
        self.text[range.clone()].chars().all(|c| matches!(c, ISOLATE | END_OF_ISOLATE))
    }

    /// Cuts the text off at a position and adds an ellipsis.
    pub(crate) fn shortened(&self, mut end: usize) -> Self {
        end = end.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let kept = self.text[..end].trim_end();
        let mut shortened = Self {
            text: format!("{kept}…"),
            pieces: self.pieces.iter().filter(|piece| piece.range.start < kept.len()).cloned().collect(),
            boxes: self.boxes.iter().filter(|(at, _)| *at < kept.len()).cloned().collect(),
        };
        let length = shortened.text.len();
        match shortened.pieces.last_mut() {
            Some(last) => last.range.end = length,
            None => shortened.pieces.push(Piece { range: 0..length, weight: Weight::Regular, link: None }),
        }
        shortened
    }

    fn add(&mut self, text: &str, has: impl Fn(char) -> bool) {
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                c if is_blank(c) && self.text.ends_with(' ') => {}
                c if is_blank(c) => self.text.push(' '),
                c if reorders_text(c) => {}
                c if is_ignorable(c) || (has(c) && !is_forbidden(c)) => self.text.push(c),
                c => {
                    let mut actual = String::from(c);
                    while let Some(next) = characters.next_if(|&next| continues(&actual, next)) {
                        actual.push(next);
                    }
                    self.boxes.push((self.text.len(), actual));
                    self.text.push(BOX);
                }
            }
        }
    }
}

/// Whether a character continues the sequence that began with one without a glyph, so that both are one box.
fn continues(sequence: &str, next: char) -> bool {
    let joined = sequence.ends_with('\u{200D}') && !is_blank(next);
    let flag = |c: char| ('\u{1F1E6}'..='\u{1F1FF}').contains(&c);
    let second_of_flag = flag(next) && sequence.chars().filter(|&c| flag(c)).count() == 1;
    joined || second_of_flag || is_attached(next)
}

fn is_attached(character: char) -> bool {
    matches!(character,
        '\u{300}'..='\u{36F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{200C}' | '\u{200D}'
        | '\u{20D0}'..='\u{20FF}' | '\u{FE00}'..='\u{FE0F}' | '\u{FE20}'..='\u{FE2F}' | '\u{1F3FB}'..='\u{1F3FF}'
        | '\u{E0020}'..='\u{E007F}' | '\u{E0100}'..='\u{E01EF}')
}

fn is_blank(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
}

fn is_right_to_left(character: char) -> bool {
    matches!(character,
        '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' | '\u{10800}'..='\u{10FFF}'
        | '\u{1E800}'..='\u{1EFFF}')
}

/// Bidirectional control characters, which would affect text beyond the name that they are part of.
fn reorders_text(character: char) -> bool {
    matches!(character, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Characters that are not drawn: the shaper hides them, with or without a glyph in the font.
fn is_ignorable(character: char) -> bool {
    matches!(character,
        '\u{AD}' | '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200D}' | '\u{2060}'..='\u{2065}' | '\u{206A}'..='\u{206F}' | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FFA0}' | '\u{E0100}'..='\u{E01EF}')
}

/// Characters that PDF/A refuses as the meaning of a glyph: private use, the byte order mark, and what is no character.
fn is_forbidden(character: char) -> bool {
    let code = u32::from(character);
    matches!(code, 0xE000..=0xF8FF | 0xF0000.. | 0xFEFF | 0xFDD0..=0xFDEF) || code & 0xFFFE == 0xFFFE
}

/// Cleans a text that is not drawn: a title, a description, an address. It may become part of XML.
pub(crate) fn clean(text: &str) -> String {
    const MAX_LENGTH: usize = 4000;
    let characters = text.chars().filter(|&c| !reorders_text(c) && u32::from(c) & 0xFFFE != 0xFFFE);
    let cleaned: String = characters.map(|c| if is_blank(c) { ' ' } else { c }).take(MAX_LENGTH).collect();
    cleaned.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawable(text: &str) -> Drawable {
        Drawable::new(&Text::plain(text), Weight::Regular, Fonts::load().unwrap())
    }

    fn boxes(text: &str) -> Vec<String> {
        drawable(text).boxes.into_iter().map(|(_, actual)| actual).collect()
    }

    #[test]
    fn characters_of_the_font_stay() {
        for text in
            ["Grüße an Łukasz & Ωmega", "שלום", "مشروع", "e\u{301} ☺\u{FE0F}", "1\u{202F}234\u{A0}%", "□"]
        {
            let drawable = drawable(text);
            assert_eq!((drawable.text.as_str(), drawable.boxes.len()), (text, 0));
        }
    }

    #[test]
    fn others_become_one_box_for_each_character_that_a_reader_sees() {
        assert_eq!(boxes("a\u{378}b"), ["\u{378}"]);
        assert_eq!(boxes("\u{E000}\u{FEFF}\u{FFFE}"), ["\u{E000}", "\u{FEFF}", "\u{FFFE}"]);
        assert_eq!(boxes("中文"), ["中", "文"]);
        let family = "👩\u{200D}👩\u{200D}👧";
        assert_eq!(boxes(family), [family]);
        assert_eq!(boxes("👷🏽\u{200D}♀\u{FE0F} 🇩🇪🇫🇷"), ["👷🏽\u{200D}♀\u{FE0F}", "🇩🇪", "🇫🇷"]);
        assert_eq!(drawable("x\u{F0000}y").text, "x□y");
        assert_eq!(drawable("x\u{F0000}y").boxed_at(1), Some("\u{F0000}"));
    }

    #[test]
    fn control_characters_become_blanks_and_overrides_vanish() {
        assert_eq!(drawable("a\tb\r\nc \u{0}d\u{202E}e\u{2066}f").text, "a b c def");
    }

    #[test]
    fn a_span_from_right_to_left_is_isolated_from_its_neighbours() {
        let fonts = Fonts::load().unwrap();
        let drawable_of_one = drawable("שלום");
        let drawable = Drawable::new(&Text::plain("a ").and_bold("שלום").and(" 12"), Weight::Regular, fonts);
        assert_eq!(drawable.text, "a \u{2068}שלום\u{2069} 12");
        assert!(drawable.is_hidden(&(2..5)) && !drawable.is_hidden(&(5..7)));
        assert_eq!(drawable_of_one.text, "שלום");
    }

    #[test]
    fn a_shortened_text_keeps_the_boxes_that_are_left() {
        let short = drawable("ab\u{378}cd\u{379}ef").shortened(6);
        assert_eq!(short.text, "ab□c…");
        assert_eq!(short.boxed_at(2), Some("\u{378}"));
        assert_eq!(short.pieces.len(), 1);
        assert_eq!(short.pieces[0].range, 0..short.text.len());
    }

    #[test]
    fn cleaned_text_has_nothing_that_xml_forbids() {
        assert_eq!(clean(" a\u{1}b\u{FFFF}\u{202E}c\n"), "a bc");
    }
}
