//! Reads the events of a file in batches.

use domain::{Event, Invalid, TimeWindow};
use ingest::CsvHeader;
use tokio::sync::mpsc;

use super::lines::{FileFormat, Line, LineReader};
use crate::commands::Failure;

/// The outcome of reading some lines of a file.
#[derive(Default)]
pub struct Batch {
    /// The events that were read, each with its line number.
    pub events: Vec<(u64, Event)>,
    /// The lines that were refused, and why.
    pub refused: Vec<(u64, Invalid)>,
    pub last_line: u64,
}

#[derive(Clone, Copy)]
pub struct ReadOptions {
    /// The range of times that events may carry.
    pub window: TimeWindow,
    pub from_line: u64,
    /// The number of events in a batch.
    pub batch_size: usize,
}

/// Reads a file to its end, or until the receiver is dropped.
pub fn read(
    (format, mut lines): (FileFormat, LineReader),
    part: ReadOptions,
    batches: &mpsc::Sender<Result<Batch, Failure>>,
) {
    let done = match format {
        FileFormat::Ndjson => read_ndjson(&mut lines, part, batches),
        FileFormat::Csv => read_csv(&mut lines, part, batches),
    };
    if let Err(failure) = done {
        // The receiver may be gone.
        let _ = batches.blocking_send(Err(failure));
    }
}

type ReadResult = Result<(), Failure>;

fn read_ndjson(
    lines: &mut LineReader,
    part: ReadOptions,
    batches: &mpsc::Sender<Result<Batch, Failure>>,
) -> ReadResult {
    let mut batch = Batch::default();
    while let Some(line) = lines.next()? {
        let read = match line {
            Line::Complete([]) => None,
            Line::Complete(line) => {
                Some(ingest::read_line(line, part.window).map_err(|refused| refused.invalid))
            }
            Line::TooLong => Some(Err(too_long())),
        };
        if !push_line(&mut batch, lines.number, lines.number, read, part, batches) {
            return Ok(());
        }
    }
    let _ = batches.blocking_send(Ok(batch));
    Ok(())
}

fn read_csv(
    lines: &mut LineReader,
    part: ReadOptions,
    batches: &mpsc::Sender<Result<Batch, Failure>>,
) -> ReadResult {
    let Some((_, Line::Complete(head))) = lines.next_record()? else {
        return Err(Failure("the file must begin with a header line".to_owned()));
    };
    // Spreadsheets write semicolons in some countries. The names of columns contain neither character.
    let delimiter = if head.contains(&b';') { b';' } else { b',' };
    let head = cells(head, delimiter)
        .and_then(|cells| CsvHeader::read(cells.iter()))
        .map_err(|invalid| Failure(format!("line 1: {invalid}")))?;
    let mut batch = Batch::default();
    while let Some((number, line)) = lines.next_record()? {
        let read = match line {
            Line::Complete([]) => None,
            Line::Complete(line) => match cells(line, delimiter) {
                Ok(cells) if cells.iter().all(|cell| cell.trim().is_empty()) => None,
                Ok(cells) => {
                    let event = head.read_event(&cells.iter().collect::<Vec<_>>(), part.window);
                    Some(event.map_err(|refused| refused.invalid))
                }
                Err(invalid) => Some(Err(invalid)),
            },
            Line::TooLong => Some(Err(too_long())),
        };
        let last = lines.number;
        if !push_line(&mut batch, number, last, read, part, batches) {
            return Ok(());
        }
    }
    let _ = batches.blocking_send(Ok(batch));
    Ok(())
}

/// Parses the cells of one record.
fn cells(record: &[u8], delimiter: u8) -> Result<csv::StringRecord, Invalid> {
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(record);
    let mut cells = csv::StringRecord::new();
    match reader.read_record(&mut cells) {
        Ok(_) => Ok(cells),
        Err(_) => Err(Invalid::new("broken_csv", "is not CSV in UTF-8")),
    }
}

/// Adds the outcome of a line, and sends the batch when it is full. Returns whether the receiver is still there.
fn push_line(
    batch: &mut Batch,
    number: u64,
    last: u64,
    read: Option<Result<Event, Invalid>>,
    part: ReadOptions,
    batches: &mpsc::Sender<Result<Batch, Failure>>,
) -> bool {
    batch.last_line = last;
    if number < part.from_line {
        return true;
    }
    match read {
        None => return true,
        Some(Ok(event)) => batch.events.push((number, event)),
        Some(Err(invalid)) => batch.refused.push((number, invalid)),
    }
    if batch.events.len() + batch.refused.len() < part.batch_size {
        return true;
    }
    batches.blocking_send(Ok(std::mem::take(batch))).is_ok()
}

fn too_long() -> Invalid {
    Invalid::new("too_long", "is too long for an event")
}
