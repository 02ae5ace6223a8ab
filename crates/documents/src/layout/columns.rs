//! The widths of a table's columns.

use crate::fonts::Fonts;
use crate::model::{RowKind, Table, Weight};

/// Left and right of the text of a cell.
pub(super) const PADDING: f32 = 4.0;
/// One level of nesting.
pub(super) const INDENT: f32 = 10.0;
/// Rows that are measured; with more rows, every nth.
const MEASURED_ROWS: usize = 400;
/// No column claims more than this part of the width for one word, or for one line.
const MAX_WORD: f32 = 0.4;
const MAX_LINE: f32 = 0.6;

/// What a column needs.
struct Claim {
    /// So that no word is broken.
    word: f32,
    /// So that no text is broken.
    line: f32,
}

/// Returns the widths of the columns, which add up to `width`: by their shares, except that a column takes no more than its
/// longest text needs while others need more, and no less than its longest word needs while others can give.
pub(super) fn column_widths(table: &Table, width: f32, sizes: (f32, f32), fonts: &Fonts) -> Vec<f32> {
    let shares: Vec<f32> = table.columns.iter().map(|column| share(column.share)).collect();
    let total: f32 = shares.iter().sum();
    let claims: Vec<Claim> = (0..shares.len())
        .map(|column| {
            let claim = claim(table, column, sizes, fonts);
            let word = claim.word.min(width * MAX_WORD);
            Claim { word, line: claim.line.min(width * MAX_LINE).max(word) }
        })
        .collect();
    let by_share = shares.iter().map(|share| width * share / total);
    let mut widths: Vec<f32> =
        by_share.zip(&claims).map(|(width, claim)| width.clamp(claim.word, claim.line)).collect();
    let left = width - widths.iter().sum::<f32>();
    if left > 0.0 {
        let wanted = claims.iter().zip(&widths).map(|(claim, width)| claim.line - width).collect();
        let rest = share_out(left, wanted, |column, amount| widths[column] += amount);
        widths.iter_mut().zip(&shares).for_each(|(width, share)| *width += rest * share / total);
    } else {
        // A column whose texts are broken anyway gives before one whose texts would be broken then.
        let spare = |widths: &[f32], is_broken: bool| {
            let columns = claims.iter().zip(widths);
            let spare = |(claim, width): (&Claim, &f32)| {
                if is_broken && *width >= claim.line { 0.0 } else { width - claim.word }
            };
            columns.map(spare).collect::<Vec<f32>>()
        };
        let first = spare(&widths, true);
        let missing = share_out(-left, first, |column, amount| widths[column] -= amount);
        let second = spare(&widths, false);
        let missing = share_out(missing, second, |column, amount| widths[column] -= amount);
        let factor = width / (width + missing);
        widths.iter_mut().for_each(|width| *width *= factor);
    }
    widths
}

/// Shares an amount out equally, but to none more than its limit, so that small wishes are fulfilled first; returns what is
/// left.
fn share_out(mut amount: f32, mut limits: Vec<f32>, mut give: impl FnMut(usize, f32)) -> f32 {
    for _ in 0..limits.len() {
        let open = limits.iter().filter(|limit| **limit > 0.01).count();
        if open == 0 || amount < 0.01 {
            break;
        }
        let part = amount / open as f32;
        for (column, limit) in limits.iter_mut().enumerate().filter(|(_, limit)| **limit > 0.01) {
            let given = part.min(*limit);
            give(column, given);
            (*limit, amount) = (*limit - given, amount - given);
        }
    }
    amount.max(0.0)
}

fn share(share: f32) -> f32 {
    if share.is_finite() { share.clamp(0.01, 1000.0) } else { 1.0 }
}

/// Measures a column with the sizes of its head and its cells.
fn claim(table: &Table, column: usize, (head, cell): (f32, f32), fonts: &Fonts) -> Claim {
    let is_break = |c: char| c.is_whitespace() && !matches!(c, '\u{A0}' | '\u{202F}' | '\u{2007}');
    let mut claim = Claim { word: 0.0, line: 0.0 };
    let mut measure = |text: &str, size: f32, weight: Weight, indent: f32, may_break: bool| {
        let face = fonts.face(weight);
        let words = text.split(is_break).flat_map(|word| word.split_inclusive('-'));
        let longest = words.map(|word| face.estimate_width(word, size)).fold(0.0, f32::max);
        claim.word = claim.word.max(longest + indent);
        let whole = if may_break { longest } else { face.estimate_width(text, size) };
        claim.line = claim.line.max(whole + indent);
    };
    // The words of a head may be below each other.
    let title = table.columns.get(column).map_or("", |column| &column.title);
    measure(title, head, Weight::Bold, 0.0, true);
    let step = table.rows.len().div_ceil(MEASURED_ROWS).max(1);
    for row in table.rows.iter().step_by(step) {
        let indent = if column == 0 { f32::from(row.indent.min(6)) * INDENT } else { 0.0 };
        if let Some(text) = row.cells.get(column) {
            let is_bold = row.kind != RowKind::Plain || text.0.iter().any(|span| span.weight == Weight::Bold);
            let weight = if is_bold { Weight::Bold } else { Weight::Regular };
            measure(&text.to_plain(), cell, weight, indent, false);
        }
    }
    // The estimate is a little uncertain, because it knows no kerning.
    let padded = |width: f32| width * 1.01 + 2.0 * PADDING + 0.5;
    Claim { word: padded(claim.word), line: padded(claim.line) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Align, Column, Row};

    const SIZES: (f32, f32) = (8.0, 8.5);

    fn table(cells: [&str; 2]) -> Table {
        let column = |title: &str| Column { title: title.into(), align: Align::Start, share: 1.0 };
        let row = Row { cells: cells.map(Into::into).to_vec(), kind: RowKind::Plain, indent: 0 };
        let columns = vec![column("A"), column("B")];
        Table { title: String::new(), summary: String::new(), columns, rows: vec![row], note: None }
    }

    #[test]
    fn shares_decide_if_everything_fits_or_nothing_does() {
        let long = "many words that need more than one line, ".repeat(3);
        for cells in [["one two"; 2], [long.as_str(); 2]] {
            let widths = column_widths(&table(cells), 200.0, SIZES, Fonts::load().unwrap());
            assert!(widths.iter().all(|width| (width - 100.0).abs() < 0.01), "{widths:?}");
        }
    }

    #[test]
    fn a_short_column_leaves_room_to_a_long_one() {
        let widths =
            column_widths(&table(["7", "many words that need room"]), 160.0, SIZES, Fonts::load().unwrap());
        assert!(widths[0] < 40.0 && widths[1] > 120.0, "{widths:?}");
    }

    #[test]
    fn a_long_word_takes_room_from_the_other_column() {
        let widths = column_widths(&table(["Donaudampfschiff", "7"]), 160.0, SIZES, Fonts::load().unwrap());
        assert!(widths[0] > 80.0 && widths[1] < 80.0, "{widths:?}");
        assert!((widths.iter().sum::<f32>() - 160.0).abs() < 0.01);
    }

    #[test]
    fn words_that_fit_nowhere_leave_the_width_as_it_is() {
        let long = "W".repeat(300);
        let widths = column_widths(&table([&long, &long]), 160.0, SIZES, Fonts::load().unwrap());
        assert!((widths.iter().sum::<f32>() - 160.0).abs() < 0.01, "{widths:?}");
    }

    #[test]
    fn shares_that_are_no_numbers_do_no_harm() {
        let mut table = table(["a", "b"]);
        (table.columns[0].share, table.columns[1].share) = (f32::NAN, -3.0);
        assert!(column_widths(&table, 160.0, SIZES, Fonts::load().unwrap()).iter().all(|width| *width > 0.0));
    }
}
