//! Reads the lines of a file of any size.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::commands::Failure;

/// The maximum size of a line: a few times the size of the longest event.
const MAX_LINE_BYTES: usize = 1024 * 1024;

pub enum Line<'a> {
    /// A line without its line break.
    Complete(&'a [u8]),
    /// The line is longer than any event.
    TooLong,
}

/// Reads lines, and counts the bytes of the file that were read.
pub struct LineReader {
    reader: Box<dyn BufRead + Send>,
    line: Vec<u8>,
    /// The number of the last line that was read, starting at 1.
    pub number: u64,
}

/// The number of bytes of a file that were read.
#[derive(Clone, Default)]
pub struct BytesRead(Arc<AtomicU64>);

impl BytesRead {
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

struct CountingReader(File, BytesRead);

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.0.read(buffer)?;
        self.1.0.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    Ndjson,
    Csv,
}

/// Opens a file. Its extension decides how it is read.
pub fn open(path: &Path, bytes: BytesRead) -> Result<(FileFormat, LineReader), Failure> {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let (plain, coding) = match name.rsplit_once('.') {
        Some((plain, coding @ ("gz" | "zst"))) => (plain, coding),
        _ => (name.as_str(), ""),
    };
    let format = match plain.rsplit_once('.') {
        Some((_, "ndjson" | "jsonl")) => FileFormat::Ndjson,
        Some((_, "csv")) => FileFormat::Csv,
        _ => {
            let text = "must end in .ndjson or .csv, and then in .gz or .zst if it is compressed";
            return Err(Failure(format!("{}: its name {text}", path.display())));
        }
    };
    let unreadable = |error| Failure(format!("{} cannot be read: {error}", path.display()));
    let file = CountingReader(File::open(path).map_err(unreadable)?, bytes);
    let reader: Box<dyn BufRead + Send> = match coding {
        "gz" => Box::new(BufReader::new(flate2::read::MultiGzDecoder::new(file))),
        "zst" => Box::new(BufReader::new(zstd::Decoder::new(file).map_err(unreadable)?)),
        _ => Box::new(BufReader::with_capacity(1 << 16, file)),
    };
    Ok((format, LineReader::new(reader)))
}

impl LineReader {
    pub fn new(reader: Box<dyn BufRead + Send>) -> Self {
        Self { reader, line: Vec::new(), number: 0 }
    }

    /// Returns the next line, or `None` at the end.
    pub fn next(&mut self) -> std::io::Result<Option<Line<'_>>> {
        self.line.clear();
        if !self.add_line()? {
            return Ok(None);
        }
        if self.line.len() > MAX_LINE_BYTES {
            return Ok(Some(Line::TooLong));
        }
        if self.number == 1 && self.line.starts_with(b"\xEF\xBB\xBF") {
            self.line.drain(..3);
        }
        Ok(Some(Line::Complete(self.line.trim_ascii())))
    }

    /// Returns the next record of a CSV file and the number of its first line. A record spans lines until every quote is closed.
    pub fn next_record(&mut self) -> std::io::Result<Option<(u64, Line<'_>)>> {
        self.line.clear();
        let number = self.number + 1;
        let mut begun = 0;
        let mut is_open = false;
        loop {
            if !self.add_line()? {
                if begun == 0 {
                    return Ok(None);
                }
                break;
            }
            let added = &self.line[begun.min(self.line.len())..];
            is_open ^= added.iter().filter(|byte| **byte == b'"').count() % 2 == 1;
            begun = self.line.len();
            if !is_open || self.line.len() > MAX_LINE_BYTES {
                break;
            }
        }
        if self.line.len() > MAX_LINE_BYTES {
            return Ok(Some((number, Line::TooLong)));
        }
        if number == 1 && self.line.starts_with(b"\xEF\xBB\xBF") {
            self.line.drain(..3);
        }
        Ok(Some((number, Line::Complete(self.line.trim_ascii()))))
    }

    /// Appends a line to the buffer; of a line that is too long, only enough to recognise that. Returns whether there was one.
    fn add_line(&mut self) -> std::io::Result<bool> {
        let mut any = false;
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                break;
            }
            any = true;
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let part = end.map_or(buffer, |end| &buffer[..=end]);
            let room = (MAX_LINE_BYTES + 1).saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            let count = part.len();
            self.reader.consume(count);
            if end.is_some() {
                break;
            }
        }
        self.number += u64::from(any);
        Ok(any)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn lines(text: impl Into<Vec<u8>>) -> LineReader {
        LineReader::new(Box::new(Cursor::new(text.into())))
    }

    fn shown(line: &Line<'_>) -> String {
        match line {
            Line::Complete(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Line::TooLong => "too long".to_owned(),
        }
    }

    #[test]
    fn lines_are_counted_whatever_ends_them() {
        let mut lines = lines("\u{feff}a\r\n\n b \nlast");
        let mut found = Vec::new();
        while let Some(text) = lines.next().unwrap().map(|line| shown(&line)) {
            found.push((lines.number, text));
        }
        let expected = [(1, "a"), (2, ""), (3, "b"), (4, "last")];
        assert_eq!(found, expected.map(|(number, text)| (number, text.to_owned())));
    }

    #[test]
    fn a_line_without_end_does_not_fill_the_memory() {
        let long = [vec![b'x'; 3 * MAX_LINE_BYTES], b"\nnext\n".to_vec()].concat();
        let mut lines = lines(long);
        assert_eq!(lines.next().unwrap().map(|line| shown(&line)).as_deref(), Some("too long"));
        assert!(lines.line.len() < 2 * MAX_LINE_BYTES);
        assert_eq!(lines.next().unwrap().map(|line| shown(&line)).as_deref(), Some("next"));
        assert!(lines.next().unwrap().is_none());
    }

    #[test]
    fn a_quoted_cell_may_have_lines_of_its_own() {
        let mut lines = lines("a,b\n1,\"two\nlines\"\n\n3,\"never closed");
        let mut found = Vec::new();
        while let Some((number, line)) = lines.next_record().unwrap() {
            found.push((number, shown(&line)));
        }
        let expected = [(1, "a,b"), (2, "1,\"two\nlines\""), (4, ""), (5, "3,\"never closed")];
        assert_eq!(found, expected.map(|(number, text)| (number, text.to_owned())));
    }
}
