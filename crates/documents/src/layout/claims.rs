//! What the columns of a table need, measured as their texts are set.

use std::collections::HashSet;

use crate::fonts::Fonts;
use crate::limits::{Error, Limits};
use crate::model::{RowKind, Table, Text, Weight};
use crate::style::TextStyle;
use crate::text::Shaper;

/// One level of nesting.
pub(super) const INDENT: f32 = 10.0;
/// At most this many different texts of a column are set to find its widest part.
const MAX_SET: usize = 200;
/// Estimates know no kerning, and are rather too large.
const KERNING: f32 = 0.98;
/// A word of up to this many letters beside numbers is a unit, such as "min" or "of".
const UNIT_LETTERS: usize = 3;
/// The words of a head may be below each other, in up to this many lines if there is room.
const HEAD_LINES: f32 = 3.0;

/// What a column needs, with the space beside the text. Where a line may end inside a text is up to Unicode's rules, so an id or a date
/// is mostly one word.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Claim {
    /// So that no number, date or id is broken.
    pub(super) code: f32,
    /// So that numbers stand beside their units, and times beside their dates.
    pub(super) code_line: f32,
    /// So that no word of a cell is broken, except for long ones.
    pub(super) word: f32,
    /// The same for the head.
    pub(super) head_word: f32,
    /// So that no long word is broken, in the head neither, except for those that are too long to be kept together.
    pub(super) long_word: f32,
    /// So that no text of a cell is broken, and the head has few lines.
    pub(super) line: f32,
}

/// A text of a column, with estimates of its widest parts.
struct CellText<'a> {
    text: &'a Text,
    style: TextStyle,
    indent: f32,
    code: f32,
    word: f32,
}

/// The widest words that count. A wider one than all is broken anyway.
#[derive(Clone, Copy)]
pub(super) struct Longest {
    /// Of codes and words.
    pub(super) word: f32,
    pub(super) long_word: f32,
}

/// How the texts of a table are set.
#[derive(Clone, Copy)]
pub(super) struct CellStyles {
    pub(super) head: TextStyle,
    pub(super) cell: TextStyle,
    /// Left and right of the text of a cell.
    pub(super) padding: f32,
    /// Whether there are so many columns that not all words have room. Then those of cells are kept together before those of heads.
    pub(super) is_crowded: bool,
}

/// Measures all columns of a table.
pub(super) fn claims(
    table: &Table,
    styles: &CellStyles,
    longest: Longest,
    shaper: &mut Shaper,
    limits: &Limits<'_>,
) -> Result<Vec<Claim>, Error> {
    let (head, cell) = (&styles.head, &styles.cell);
    let mut claims = Vec::with_capacity(table.columns.len());
    for (index, column) in table.columns.iter().enumerate() {
        let mut claim = Claim::default();
        claim.add_words(&Text::plain(&column.title), head, 0.0, longest, shaper);
        claim.head_word = std::mem::take(&mut claim.word);
        let title = shaper.fonts.face(head.weight).estimate_width(&column.title, head.size);
        claim.line = claim.long_word.max(title / HEAD_LINES);
        let mut texts = claim.add_lines(table, index, cell, shaper.fonts);
        let parts: [(Estimate, Claimed); 2] =
            [(|text| text.code, |claim| claim.code), (|text| text.word, |claim| claim.word)];
        for (estimated, claimed) in parts {
            texts.sort_by(|one, other| estimated(other).total_cmp(&estimated(one)));
            for text in texts.iter().take(MAX_SET) {
                limits.check()?;
                if estimated(text) * KERNING <= claimed(&claim) {
                    break;
                }
                claim.add_words(text.text, &text.style, text.indent, longest, shaper);
            }
        }
        claims.push(claim.padded(styles.padding));
    }
    Ok(claims)
}

/// The estimated width of a part of a text.
type Estimate = fn(&CellText<'_>) -> f32;
/// The width that a column claims for such parts.
type Claimed = fn(&Claim) -> f32;

impl Claim {
    /// Takes the parts of a text that are not broken into account.
    fn add_words(
        &mut self,
        text: &Text,
        style: &TextStyle,
        indent: f32,
        longest: Longest,
        shaper: &mut Shaper,
    ) {
        for segment in shaper.segments(text, style) {
            let width = segment.width + indent;
            let claims = [
                (&mut self.code, segment.has_digits && width <= longest.word),
                (&mut self.word, width <= longest.word),
                (&mut self.long_word, width <= longest.long_word),
            ];
            for (claim, _) in claims.into_iter().filter(|(_, counts)| *counts) {
                *claim = claim.max(width);
            }
        }
    }

    /// Takes the lengths of all cells into account, and returns their different texts.
    fn add_lines<'a>(
        &mut self,
        table: &'a Table,
        column: usize,
        style: &TextStyle,
        fonts: &Fonts,
    ) -> Vec<CellText<'a>> {
        let mut seen = HashSet::new();
        let mut texts = Vec::new();
        for row in &table.rows {
            let Some(text) = row.cells.get(column) else { continue };
            let plain = text.to_plain();
            let indent = if column == 0 { f32::from(row.indent.min(6)) * INDENT } else { 0.0 };
            let style = if row.kind == RowKind::Plain { *style } else { style.bold() };
            let has_bold = text.0.iter().any(|span| span.weight == Weight::Bold);
            let is_bold = has_bold || style.weight == Weight::Bold;
            let face = fonts.face(if is_bold { Weight::Bold } else { Weight::Regular });
            if !seen.insert((plain.clone(), is_bold, row.indent)) {
                continue;
            }
            let width = |text: &str| face.estimate_width(text, style.size) + indent;
            let words = || plain.split(is_blank).filter(|word| !word.is_empty());
            let widest = |is_counted: fn(&str) -> bool| {
                words().filter(|word| is_counted(word)).map(width).fold(0.0, f32::max)
            };
            let line = width(&plain);
            let is_code = words().all(|word| has_digits(word) || word.chars().count() <= UNIT_LETTERS);
            if is_code && has_digits(&plain) {
                self.code_line = self.code_line.max(line);
            }
            self.line = self.line.max(line);
            texts.push(CellText { text, style, indent, code: widest(has_digits), word: widest(|_| true) });
        }
        texts
    }

    fn padded(self, padding: f32) -> Self {
        let padded = |width: f32| width * 1.01 + 2.0 * padding + 0.5;
        Self {
            code: padded(self.code),
            code_line: padded(self.code_line),
            word: padded(self.word),
            head_word: padded(self.head_word),
            long_word: padded(self.long_word),
            line: padded(self.line),
        }
    }
}

/// Whether a line may end at a character without showing it.
fn is_blank(character: char) -> bool {
    character.is_whitespace() && !matches!(character, '\u{A0}' | '\u{202F}' | '\u{2007}')
}

fn has_digits(text: &str) -> bool {
    text.chars().any(char::is_numeric)
}
