//! What the check of a file found, line by line.

use std::collections::BTreeMap;

use app::FieldError;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use texts::console::settings::imports as t;
use web::CsvCells;

use crate::form::fault_sentence;
use crate::frame::Frame;
use crate::parts::{Badge, Cell, Column, Empty, Row, Table, Tone};

/// The maximum number of lines that are shown.
const SHOWN_LINES: usize = 200;
/// The maximum number of columns that are shown; no file that can be imported has more.
const SHOWN_COLUMNS: usize = 12;
/// The maximum number of characters of a cell that are shown.
const SHOWN_CHARACTERS: usize = 100;

/// What the check of a file found.
pub struct Outcome {
    /// How many lines can be added, or have faults.
    pub summary: String,
    pub table: Table,
    /// That not all lines are shown.
    pub more: Option<String>,
    /// The form that adds all lines; none if there are faults.
    pub confirmation: Option<Confirmation>,
}

/// The form that adds all lines of a checked file.
pub struct Confirmation {
    pub text: String,
    /// The file, which the form sends again.
    pub content: String,
    pub once: String,
}

impl Outcome {
    /// Lists the lines that have faults, or all lines if there are none. Returns none for what is not CSV.
    pub fn new(frame: &Frame, bytes: &[u8], faults: &[FieldError]) -> Option<Self> {
        let cells = web::read_cells(bytes).ok()?;
        let by_line = faults_by_line(frame, faults);
        let listed: Vec<(u64, &[String])> = match by_line.is_empty() {
            true => cells.lines.iter().map(|line| (line.number, line.value.as_slice())).collect(),
            false => by_line.keys().map(|number| (*number, cells_of(&cells, *number))).collect(),
        };
        let number = i64::try_from(listed.len()).unwrap_or(i64::MAX);
        let rows = listed.iter().take(SHOWN_LINES).map(|(number, texts)| {
            row(frame, *number, texts, cells.columns.len(), by_line.get(number).map(Vec::as_slice))
        });
        let confirmation = by_line.is_empty().then(|| Confirmation {
            text: frame.count(t::ADD_ALL, number),
            content: BASE64_STANDARD.encode(bytes),
            once: frame.once(),
        });
        let summary = frame.count(if by_line.is_empty() { t::CAN_BE_ADDED } else { t::FAULTY_LINES }, number);
        let shown = SHOWN_LINES.to_string();
        let more = (listed.len() > SHOWN_LINES).then(|| frame.fill(t::ONLY_FIRST, &[("n", &shown)]));
        let table = table(frame, &cells, rows.collect());
        Some(Self { summary, table, more, confirmation })
    }
}

/// Returns what is wrong with each line. The columns are named in the first one.
fn faults_by_line(frame: &Frame, faults: &[FieldError]) -> BTreeMap<u64, Vec<String>> {
    let mut by_line = BTreeMap::<u64, Vec<String>>::new();
    for fault in faults {
        let (number, field) = place(&fault.field).unwrap_or((1, fault.field.as_str()));
        let text = format!("{field}: {}", fault_sentence(frame.language, fault));
        by_line.entry(number).or_default().push(text);
    }
    by_line
}

/// Returns the line and the column of a fault, such as `line 3, name`.
fn place(field: &str) -> Option<(u64, &str)> {
    let (number, field) = field.strip_prefix("line ")?.split_once(", ")?;
    Some((number.parse().ok()?, field))
}

fn cells_of(cells: &CsvCells, number: u64) -> &[String] {
    match number {
        1 => &cells.columns,
        _ => {
            let found = cells.lines.binary_search_by_key(&number, |line| line.number);
            found.map(|index| cells.lines[index].value.as_slice()).unwrap_or_default()
        }
    }
}

fn row(frame: &Frame, number: u64, texts: &[String], columns: usize, faults: Option<&[String]>) -> Row {
    let outcome = match faults {
        None => badge(frame.text(t::WILL_BE_ADDED), "✓", Tone::Good),
        Some(faults) => badge(frame.text(t::HAS_FAULTS), "✗", Tone::Bad).note(faults.join(" ")),
    };
    let shown = |text: &String| Cell::text(clean(text));
    let mut cells = vec![Cell::text(number.to_string())];
    cells.extend(texts.iter().take(columns.min(SHOWN_COLUMNS)).map(shown));
    cells.resize_with(columns.min(SHOWN_COLUMNS) + 1, Cell::default);
    cells.push(outcome);
    Row::new(cells)
}

fn badge(word: &str, sign: &'static str, tone: Tone) -> Cell {
    Cell::badge(Badge { word: word.to_owned(), sign, tone })
}

fn table(frame: &Frame, cells: &CsvCells, rows: Vec<Row>) -> Table {
    let names = cells.columns.iter().take(SHOWN_COLUMNS).map(|name| Column::text(clean(name)));
    let columns = std::iter::once(Column::number(frame.text(t::LINE)))
        .chain(names)
        .chain(std::iter::once(Column::text(frame.text(t::OUTCOME))))
        .collect();
    let empty = Empty { title: frame.text(t::NO_LINES).to_owned(), reason: String::new(), action: None };
    Table::new(frame.text(t::CHECKED), columns, rows, empty)
}

/// Returns a text of a file as a page can show it: not too long, and without control characters.
fn clean(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let mut shown: String = text.chars().take(SHOWN_CHARACTERS).map(plain).collect();
    if text.chars().nth(SHOWN_CHARACTERS).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use askama::Template;
    use domain::Invalid;
    use texts::Language;

    use super::*;
    use crate::frame::sample;

    fn fault(field: &str) -> FieldError {
        FieldError { field: field.to_owned(), invalid: Invalid::new("required", "must be given") }
    }

    #[test]
    fn faults_are_shown_with_their_lines_only() {
        let frame = sample(Language::English, "/settings/tags/import");
        let file = b"serial,role\nT-1,operator\n,operator\n<b>,x\n";
        let faults = [fault("line 3, serial"), fault("line 4, role"), fault("line 4, serial")];
        let outcome = Outcome::new(&frame, file, &faults).unwrap();
        assert_eq!(outcome.summary, "2 lines have faults. Nothing has been added.");
        assert!(outcome.confirmation.is_none());
        let html = outcome.table.render().unwrap();
        assert!(
            !html.contains("T-1") && !html.contains("<b>") && html.contains("role: Please fill this in.")
        );
        let header = Outcome::new(&frame, file, &[fault("column colour")]).unwrap();
        assert!(header.table.render().unwrap().contains("column colour: Please"));
    }

    #[test]
    fn a_sound_file_is_shown_whole_and_sent_again() {
        let frame = sample(Language::English, "/settings/tags/import");
        let lines: String = (0..250).map(|number| format!("T-{number}\n")).collect();
        let file = format!("serial\n{lines}");
        let outcome = Outcome::new(&frame, file.as_bytes(), &[]).unwrap();
        assert_eq!(outcome.table.rows.len(), SHOWN_LINES);
        assert_eq!(outcome.more.as_deref(), Some("Only the first 200 of these lines are shown."));
        let confirmation = outcome.confirmation.unwrap();
        assert_eq!(confirmation.text, "Add 250 lines");
        assert_eq!(BASE64_STANDARD.decode(confirmation.content).unwrap(), file.as_bytes());
        assert!(Outcome::new(&frame, b"serial\n\xff\n", &[]).is_none());
    }

    #[test]
    fn texts_of_a_file_are_cut_and_cleaned() {
        assert_eq!(clean("a\u{1}b\nc"), "a b c");
        assert_eq!(clean(&"x".repeat(300)).chars().count(), SHOWN_CHARACTERS + 1);
    }
}
