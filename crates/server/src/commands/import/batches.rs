//! The events of a file, in batches.

use domain::{Event, Invalid, TimeWindow};
use ingest::CsvHeader;
use tokio::sync::mpsc;

use super::lines::{FileFormat, Line, LineReader};
use crate::commands::Failure;

/// Some lines of a file.
#[derive(Default)]
pub struct Batch {
    /// Those that were read, each with its line.
    pub events: Vec<(u64, Event)>,
    /// Those that were not, and why.
    pub refused: Vec<(u64, Invalid)>,
    /// The last line of it.
    pub last_line: u64,
}

/// What of a file is read.
#[derive(Clone, Copy)]
pub struct ReadOptions {
    /// The times that may be spoken of.
    pub window: TimeWindow,
    /// The first line.
    pub from_line: u64,
    /// How many events make a batch.
    pub batch_size: usize,
}

/// Reads a file to its end, or until nobody listens any more.
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
        // Whoever has gone away does not want to know.
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
        return Err(Failure("the file must begin with the names of its columns".to_owned()));
    };
    // Spreadsheets of some countries write semicolons; no column's name holds either sign.
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

/// The cells of one record.
fn cells(record: &[u8], delimiter: u8) -> Result<csv::StringRecord, Invalid> {
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(record);
    let mut cells = csv::StringRecord::new();
    match reader.read_record(&mut cells) {
        Ok(_) => Ok(cells),
        Err(_) => Err(Invalid::new("broken_csv", "is not CSV in UTF-8")),
    }
}

/// Adds what was read of a line, and sends the batch on when it is full; tells whether someone listens.
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
    Invalid::new("too_long", "is longer than any event")
}
