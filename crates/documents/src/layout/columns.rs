//! The widths of a table's columns.

use super::claims::{CellStyles, Claim, Longest, claims};
use crate::limits::{Error, Limits};
use crate::model::Table;
use crate::text::Shaper;

/// A column of text has at least this width before numbers, dates and ids are broken.
const LEAST_WIDTH: f32 = 36.0;
/// Words of up to this part of the width, and of up to this many times the width of a column if all were equal, are kept together.
const MAX_WORD: f32 = 0.25;
const MAX_COLUMNS: f32 = 2.0;
/// The same for longer words and for lines, if others have room.
const MAX_LONG_WORD: f32 = 0.4;
const MAX_LINE: f32 = 0.6;

/// The widths of the columns of a table.
pub(super) struct ColumnWidths {
    pub(super) widths: Vec<f32>,
    /// Whether a word of a head is broken that could be kept together with more room.
    pub(super) breaks_heads: bool,
}

/// Returns the widths of the columns, which add up to `width`: by their shares, except that a column takes no more than its
/// longest text needs while others need more, and no less than its words need while others can give. A word that is too long to be kept
/// together, such as a name of a hundred letters, takes nothing from others.
pub(super) fn column_widths(
    table: &Table,
    width: f32,
    styles: &CellStyles,
    shaper: &mut Shaper,
    limits: &Limits<'_>,
) -> Result<ColumnWidths, Error> {
    let word = width * MAX_WORD.min(MAX_COLUMNS / table.columns.len() as f32);
    let longest = Longest { word, long_word: width * MAX_LONG_WORD };
    let claims = claims(table, styles, longest, shaper, limits)?;
    let shares: Vec<f32> = table.columns.iter().map(|column| share(column.share)).collect();
    let widths = divide(width, &claims, (longest, styles.is_crowded), &shares);
    let breaks_heads = widths.iter().zip(&claims).any(|(width, claim)| *width < claim.head_word - 0.5);
    Ok(ColumnWidths { widths, breaks_heads })
}

fn divide(width: f32, claims: &[Claim], (longest, is_crowded): (Longest, bool), shares: &[f32]) -> Vec<f32> {
    let any_word = |claim: &Claim| claim.word.max(claim.head_word);
    // In the order in which they are fulfilled.
    let wishes: [&dyn Fn(&Claim) -> f32; 5] = [
        &|claim| claim.code.max(any_word(claim).min(LEAST_WIDTH)),
        &|claim| if is_crowded { claim.word } else { any_word(claim) },
        &any_word,
        &|claim| claim.code_line.min(longest.word),
        &|claim| claim.long_word,
    ];
    let mut least = vec![0.0; claims.len()];
    for wish in wishes {
        raise(&mut least, width, |column| wish(&claims[column]));
    }
    let lines: Vec<f32> = claims.iter().map(|claim| claim.line.min(width * MAX_LINE)).collect();
    let total: f32 = shares.iter().sum();
    let mut widths: Vec<f32> = (0..claims.len())
        .map(|column| (width * shares[column] / total).min(lines[column]).max(least[column]))
        .collect();
    let left = width - widths.iter().sum::<f32>();
    if left > 0.0 {
        let wanted = lines.iter().zip(&widths).map(|(line, width)| line - width).collect();
        let rest = share_out(left, wanted, |column, amount| widths[column] += amount);
        widths.iter_mut().zip(shares).for_each(|(width, share)| *width += rest * share / total);
    } else {
        // A column whose texts are broken anyway gives before one whose texts would be broken then.
        let first = (0..claims.len()).map(|column| match widths[column] < lines[column] {
            true => widths[column] - least[column],
            false => 0.0,
        });
        let missing = share_out(-left, first.collect(), |column, amount| widths[column] -= amount);
        let second = widths.iter().zip(&least).map(|(width, least)| width - least).collect();
        share_out(missing, second, |column, amount| widths[column] -= amount);
    }
    widths
}

/// Widens columns to what they wish. If there is too little room, small wishes are fulfilled, and all others end at one width.
fn raise(widths: &mut [f32], room: f32, wish: impl Fn(usize) -> f32) {
    let wished: Vec<f32> = widths.iter().enumerate().map(|(column, width)| width.max(wish(column))).collect();
    let up_to = |level: f32| {
        let columns = widths.iter().zip(&wished);
        columns.map(|(width, wished)| wished.min(level).max(*width)).collect::<Vec<f32>>()
    };
    let (mut low, mut high) = (0.0, wished.iter().copied().fold(0.0, f32::max));
    if wished.iter().sum::<f32>() > room {
        for _ in 0..32 {
            let middle = (low + high) / 2.0;
            if up_to(middle).iter().sum::<f32>() > room { high = middle } else { low = middle }
        }
        high = low;
    }
    let raised = up_to(high);
    widths.copy_from_slice(&raised);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fonts::Fonts;
    use crate::model::{Align, Column, Row, RowKind};
    use crate::style::TextStyle;

    fn table(cells: [&str; 2]) -> Table {
        let column = |title: &str| Column { title: title.into(), align: Align::Start, share: 1.0 };
        let row = Row { cells: cells.map(Into::into).to_vec(), kind: RowKind::Plain, indent: 0 };
        let columns = vec![column("A"), column("B")];
        Table { title: String::new(), summary: String::new(), columns, rows: vec![row], note: None }
    }

    fn widths_of(table: &Table, width: f32) -> Vec<f32> {
        let mut shaper = Shaper::new(Fonts::load().unwrap());
        let limits = Limits { max_pages: 1, is_cancelled: &|| false };
        let styles =
            CellStyles { head: TextStyle::HEAD, cell: TextStyle::CELL, padding: 4.0, is_crowded: false };
        column_widths(table, width, &styles, &mut shaper, &limits).unwrap().widths
    }

    #[test]
    fn shares_decide_if_everything_fits_or_nothing_does() {
        let long = "many words that need more than one line, ".repeat(3);
        for cells in [["one two"; 2], [long.as_str(); 2]] {
            let widths = widths_of(&table(cells), 200.0);
            assert!(widths.iter().all(|width| (width - 100.0).abs() < 0.01), "{widths:?}");
        }
    }

    #[test]
    fn a_short_column_leaves_room_to_a_long_one() {
        let widths = widths_of(&table(["7", "many words that need room"]), 160.0);
        assert!(widths[0] < 40.0 && widths[1] > 120.0, "{widths:?}");
    }

    #[test]
    fn a_long_word_takes_room_from_the_other_column() {
        let widths = widths_of(&table(["Donaudampfschiff", "7"]), 160.0);
        assert!(widths[0] > 80.0 && widths[1] < 80.0, "{widths:?}");
        assert!((widths.iter().sum::<f32>() - 160.0).abs() < 0.01);
    }

    #[test]
    fn in_a_crowd_words_of_cells_are_kept_together_before_those_of_heads() {
        let [fair, crowded] = [false, true].map(|is_crowded| {
            let claim = |word, head_word| Claim { word, head_word, ..Claim::default() };
            let claims = [claim(70.0, 20.0), claim(10.0, 70.0)];
            let longest = Longest { word: 75.0, long_word: 75.0 };
            divide(100.0, &claims, (longest, is_crowded), &[1.0, 1.0])
        });
        // The other column keeps its least width.
        let least = 100.0 - LEAST_WIDTH;
        assert!((fair[0] - 50.0).abs() < 0.1 && (crowded[0] - least).abs() < 0.1, "{fair:?} {crowded:?}");
    }

    #[test]
    fn words_that_fit_nowhere_leave_the_width_as_it_is() {
        let long = "W".repeat(300);
        let widths = widths_of(&table([&long, &long]), 160.0);
        assert!((widths.iter().sum::<f32>() - 160.0).abs() < 0.01, "{widths:?}");
    }

    #[test]
    fn shares_that_are_no_numbers_do_no_harm() {
        let mut table = table(["a", "b"]);
        (table.columns[0].share, table.columns[1].share) = (f32::NAN, -3.0);
        assert!(widths_of(&table, 160.0).iter().all(|width| *width > 0.0));
    }
}
