//! Reading a CSV file line by line into the same fields as a JSON body, so that the errors of all lines are reported together.

use app::{Error, ErrorKind, FieldError, ImportLine, line_field};
use csv::{ReaderBuilder, StringRecord};
use domain::Invalid;
use serde_json::{Map, Value};

use crate::request::fields::Fields;
use crate::request::from_fields::FromFields;

/// The maximum number of lines. All are added in one transaction, for which other writers wait.
pub const MAX_LINES: usize = 5_000;

/// The maximum number of errors that are reported together.
const MAX_FAULTS: usize = 1_000;

/// The type of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    Text,
    Integer,
    /// Several texts, separated by `|`.
    List,
}

/// A body that can also be read from a line of a file.
pub trait FromLine: FromFields {
    /// The columns that a file may have, in the order in which error messages list them.
    const COLUMNS: &[(&str, ColumnType)];
}

/// Reads a file with a header line, in UTF-8, separated by commas or semicolons. Empty cells count as left out, and empty lines are
/// skipped.
pub fn read_csv<T: FromLine>(bytes: &[u8]) -> Result<Vec<ImportLine<T>>, Error> {
    let (mut reader, bytes) = open(bytes);
    let head = reader.headers().map_err(|error| broken_csv_error(&error))?.clone();
    let columns = read_header::<T>(&head)?;
    let (mut lines, mut faults) = (Vec::new(), Vec::new());
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| broken_csv_error(&error))? {
        let number = line_number(bytes, record.position());
        if is_blank(&record) {
            continue;
        }
        if lines.len() + faults.len() >= MAX_LINES {
            let detail = format!("The file must have at most {MAX_LINES} lines. Split it.");
            return Err(Error::new(ErrorKind::TooLarge, "too_many_lines", detail));
        }
        match read_line(&columns, &record) {
            Ok(value) => lines.push(ImportLine { number, value }),
            Err(error) => {
                faults.extend(error.fields.into_iter().map(|fault| FieldError {
                    field: line_field(number, &fault.field),
                    invalid: fault.invalid,
                }));
            }
        }
        if faults.len() >= MAX_FAULTS {
            break;
        }
    }
    if !faults.is_empty() {
        return Err(Error::invalid(faults));
    }
    if lines.is_empty() {
        return Err(Error::invalid_field(
            "file",
            Invalid::new("required", "must have lines below its header"),
        ));
    }
    Ok(lines)
}

/// The cells of a file as they stand in it.
pub struct CsvCells {
    pub columns: Vec<String>,
    /// Without empty lines, and at most as many as can be imported.
    pub lines: Vec<ImportLine<Vec<String>>>,
}

/// Reads the cells of the file that [`read_csv`] reads, to show them beside their errors. Lines have the same numbers.
pub fn read_cells(bytes: &[u8]) -> Result<CsvCells, Error> {
    let (mut reader, bytes) = open(bytes);
    let texts = |record: &StringRecord| record.iter().map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let columns = texts(reader.headers().map_err(|error| broken_csv_error(&error))?);
    let mut lines = Vec::new();
    let mut record = StringRecord::new();
    while lines.len() < MAX_LINES
        && reader.read_record(&mut record).map_err(|error| broken_csv_error(&error))?
    {
        if !is_blank(&record) {
            let number = line_number(bytes, record.position());
            lines.push(ImportLine { number, value: texts(&record) });
        }
    }
    Ok(CsvCells { columns, lines })
}

/// Opens a file, of which the mark at its beginning is left out.
fn open(bytes: &[u8]) -> (csv::Reader<&[u8]>, &[u8]) {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let head_end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(bytes.len());
    // Spreadsheet programs of some locales write semicolons. No column name contains either character.
    let delimiter = if bytes[..head_end].contains(&b';') { b';' } else { b',' };
    (ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(bytes), bytes)
}

fn is_blank(record: &StringRecord) -> bool {
    record.iter().all(|cell| cell.trim().is_empty())
}

/// Returns the line of a record. The reader reports where it started to search, which is before the empty lines that it skipped.
fn line_number(bytes: &[u8], position: Option<&csv::Position>) -> u64 {
    let Some(position) = position else { return 0 };
    let begun = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    let ahead = bytes.get(begun..).unwrap_or_default().iter();
    let skipped =
        ahead.take_while(|byte| matches!(byte, b'\n' | b'\r')).filter(|byte| **byte == b'\n').count();
    position.line() + skipped as u64
}

fn read_header<T: FromLine>(head: &StringRecord) -> Result<Vec<(String, ColumnType)>, Error> {
    let (mut columns, mut faults) = (Vec::<(String, ColumnType)>::new(), Vec::new());
    for name in head {
        let name = name.trim().to_lowercase();
        let shown: String = name.chars().take(64).collect();
        let mut fault = |code, text: String| {
            faults.push(FieldError { field: format!("column {shown}"), invalid: Invalid::new(code, text) });
        };
        match T::COLUMNS.iter().find(|(known, _)| *known == name) {
            None => {
                let known: Vec<&str> = T::COLUMNS.iter().map(|(name, _)| *name).collect();
                fault("unknown_field", format!("must be one of {}", known.join(", ")));
            }
            Some(_) if columns.iter().any(|(before, _)| *before == name) => {
                fault("repeated_column", "must not be repeated".to_owned());
            }
            Some((_, cell)) => columns.push((name, *cell)),
        }
        if faults.len() >= 20 {
            break;
        }
    }
    if faults.is_empty() { Ok(columns) } else { Err(Error::invalid(faults)) }
}

fn read_line<T: FromLine>(columns: &[(String, ColumnType)], record: &StringRecord) -> Result<T, Error> {
    if record.len() != columns.len() {
        let text = format!("has {} cells instead of {}", record.len(), columns.len());
        return Err(Error::invalid_field("cells", Invalid::new("wrong_length", text)));
    }
    let mut object = Map::new();
    for ((name, cell), text) in columns.iter().zip(record) {
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        let value = match cell {
            ColumnType::Text => Value::from(text),
            // A text that is not a number stays text, and the field's own reader refuses it.
            ColumnType::Integer => text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from),
            ColumnType::List => text.split('|').map(|part| Value::from(part.trim())).collect(),
        };
        object.insert(name.clone(), value);
    }
    let mut fields = Fields::new(object);
    let value = T::read(&mut fields);
    fields.finish(value)
}

fn broken_csv_error(error: &csv::Error) -> Error {
    let place = error.position().map_or_else(String::new, |at| format!(" at line {}", at.line()));
    Error::new(ErrorKind::BadRequest, "broken_csv", format!("The file is not CSV in UTF-8{place}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::fields::{integer_within, text};

    #[derive(Debug)]
    struct Row(String, Option<i64>);

    impl FromFields for Row {
        fn read(fields: &mut Fields) -> Option<Self> {
            let name = fields.required("name", text(|text| Ok(text.to_owned())));
            let year = fields.optional("year", integer_within(1900..=2100));
            Some(Self(name?, year?))
        }
    }

    impl FromLine for Row {
        const COLUMNS: &[(&str, ColumnType)] = &[("name", ColumnType::Text), ("year", ColumnType::Integer)];
    }

    type Read = Result<Vec<(u64, String, Option<i64>)>, Vec<String>>;

    fn read(text: &str) -> Read {
        read_csv::<Row>(text.as_bytes())
            .map(|lines| lines.into_iter().map(|line| (line.number, line.value.0, line.value.1)).collect())
            .map_err(|error| match error.fields.is_empty() {
                true => vec![error.code.to_owned()],
                false => error.fields.iter().map(|f| format!("{}: {}", f.field, f.invalid.code)).collect(),
            })
    }

    #[test]
    fn lines_are_read_whatever_wrote_them() {
        let expected =
            Ok(vec![(2, "Ada".to_owned(), Some(1999)), (4, "Bob, the \"first\"".to_owned(), None)]);
        assert_eq!(read("name,year\nAda,1999\n\n\"Bob, the \"\"first\"\"\",\n"), expected);
        assert_eq!(read("\u{feff}Name;Year\r\nAda; 1999 \r\n;\r\n\"Bob, the \"\"first\"\"\";\r\n"), expected);
    }

    #[test]
    fn cells_have_the_numbers_of_their_lines() {
        let cells = read_cells("\u{feff}Name;Year\r\nAda; 1999 \r\n\r\n;\r\nBob\r\n".as_bytes()).unwrap();
        assert_eq!(cells.columns, ["Name", "Year"]);
        let lines: Vec<_> = cells.lines.iter().map(|line| (line.number, line.value.join("|"))).collect();
        assert_eq!(lines, [(2, "Ada|1999".to_owned()), (5, "Bob".to_owned())]);
        assert_eq!(read_cells(b"name\n\xff\n").err().map(|error| error.code), Some("broken_csv"));
        assert!(read_cells(b"").unwrap().lines.is_empty());
    }

    #[test]
    fn every_bad_line_is_named() {
        let faults = read("name,year\n,1999\nAda,soon\nBob\nEve,1\n").unwrap_err();
        let expected = [
            "line 2, name: required",
            "line 3, year: wrong_type",
            "line 4, cells: wrong_length",
            "line 5, year: out_of_range",
        ];
        assert_eq!(faults, expected);
        assert_eq!(
            read("name,colour,name\nx,y,z\n").unwrap_err(),
            ["column colour: unknown_field", "column name: repeated_column"]
        );
        assert_eq!(read("").unwrap_err(), ["file: required"]);
        assert_eq!(read("name\n").unwrap_err(), ["file: required"]);
        assert_eq!(read_csv::<Row>(b"name\n\xff\n").err().map(|error| error.code), Some("broken_csv"));
        let long = format!("name\n{}", "x\n".repeat(MAX_LINES + 1));
        assert_eq!(read(&long).unwrap_err(), ["too_many_lines"]);
    }
}
