//! Reads a batch of events.
//!
//! A fault in one event rejects that event only. A structural fault rejects the whole batch, because it is unclear where events begin and
//! end: a body that is not an array, JSON that is broken, nested too deeply or followed by more data, or a broken content coding. Reading
//! stops at such a fault, and also at the first event above the limit.

use std::io::Read;

use app::{Error, ErrorKind, MAX_BATCH_EVENTS};
use domain::{Event, Invalid, TimeWindow};

use crate::event_reader::{self, EventRejection};
use crate::event_splitter::{EventSplitter, MAX_EVENT_BYTES, broken_json};
use crate::json::Json;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchFormat {
    Array,
    Lines,
}

/// The outcome of reading each event, in the order of the batch.
pub type Batch = Vec<Result<Event, EventRejection>>;

/// Reads a body, and stops at the first structural fault.
pub fn read_batch(source: impl Read, format: BatchFormat, window: TimeWindow) -> Result<Batch, Error> {
    let pieces = EventSplitter::new(source);
    match format {
        BatchFormat::Array => read_array(pieces, window),
        BatchFormat::Lines => read_lines(pieces, window),
    }
}

fn read_array(mut pieces: EventSplitter<impl Read>, window: TimeWindow) -> Result<Batch, Error> {
    match pieces.peek()? {
        Some(b'[') => pieces.skip(),
        Some(b'{' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
            return Err(Error::new(
                ErrorKind::Invalid,
                "wrong_type",
                "The body must be a JSON array of events.",
            ));
        }
        Some(_) => return Err(broken_json("it does not begin with an array")),
        None => return Err(broken_json("it is empty")),
    }
    let mut batch = Vec::with_capacity(1_000);
    let mut is_done = pieces.peek()? == Some(b']');
    while !is_done {
        if batch.len() == MAX_BATCH_EVENTS {
            return Err(too_many_events());
        }
        pieces.peek()?;
        batch.push(match pieces.next_element()? {
            None => Err(event_too_long()),
            Some(element) => match serde_json::from_slice::<Json<'_>>(element) {
                Ok(value) => event_reader::read_event(value, window),
                Err(error) => return Err(broken_json(format!("{error} of event {}", batch.len()))),
            },
        });
        is_done = match pieces.peek()? {
            Some(b',') => false,
            Some(b']') => true,
            _ => {
                return Err(broken_json(format!(
                    "a comma or bracket is missing after event {}",
                    batch.len() - 1
                )));
            }
        };
        if !is_done {
            pieces.skip();
        }
    }
    pieces.skip();
    // Reads to the end in any case: a truncated content coding only shows there.
    match pieces.peek()? {
        None => Ok(batch),
        Some(_) => Err(broken_json("more data follows the array")),
    }
}

fn read_lines(mut pieces: EventSplitter<impl Read>, window: TimeWindow) -> Result<Batch, Error> {
    let mut batch = Vec::new();
    while pieces.peek()?.is_some() {
        if batch.len() == MAX_BATCH_EVENTS {
            return Err(too_many_events());
        }
        batch.push(match pieces.next_line()? {
            None => Err(event_too_long()),
            Some(line) => read_line(line.trim_ascii(), window),
        });
    }
    Ok(batch)
}

/// Reads one line. A broken line, such as the last one of a truncated stream, does not affect the others.
pub fn read_line(line: &[u8], window: TimeWindow) -> Result<Event, EventRejection> {
    match serde_json::from_slice::<Json<'_>>(line) {
        Ok(value) => event_reader::read_event(value, window),
        Err(error) => {
            let invalid = Invalid::new("broken_json", format!("is not JSON: {error}"));
            Err(EventRejection { uid: None, invalid })
        }
    }
}

fn too_many_events() -> Error {
    let detail = format!("A batch must have at most {MAX_BATCH_EVENTS} events.");
    Error::new(ErrorKind::TooLarge, "too_many_events", detail)
}

fn event_too_long() -> EventRejection {
    let invalid = Invalid::new("too_long", format!("has more than {MAX_EVENT_BYTES} bytes"));
    EventRejection { uid: None, invalid }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use domain::Timestamp;

    use super::*;
    use crate::content_coding::ContentCoding;

    /// Counts the decompressed bytes.
    struct Counted<R>(R, usize);

    impl<R: Read> Read for Counted<R> {
        fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
            let read = self.0.read(room)?;
            self.1 += read;
            Ok(read)
        }
    }

    /// Compresses `begin`, followed by `repeated` as often as given.
    fn gzip(begin: &[u8], repeated: &[u8], times: usize) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(begin).unwrap();
        let many = repeated.repeat(10_000);
        (0..times / 10_000).for_each(|_| encoder.write_all(&many).unwrap());
        encoder.finish().unwrap()
    }

    fn read_gzip(body: &[u8], format: BatchFormat) -> (Result<Batch, &'static str>, usize) {
        let window = TimeWindow::for_devices(Timestamp::from_seconds(1_772_366_430));
        let mut source = Counted(ContentCoding::Gzip.decoder(body).unwrap(), 0);
        (read_batch(&mut source, format, window).map_err(|error| error.code), source.1)
    }

    #[test]
    fn reading_stops_at_the_first_event_too_many() {
        // 31 million numbers.
        for (begin, repeated, format) in
            [(&b"["[..], &b"1,"[..], BatchFormat::Array), (b"", b"1\n", BatchFormat::Lines)]
        {
            let (outcome, expanded) = read_gzip(&gzip(begin, repeated, 31_000_000), format);
            assert_eq!(outcome.unwrap_err(), "too_many_events");
            assert!(expanded <= 128 * 1024, "{expanded}");
        }
    }

    #[test]
    fn reading_stops_at_the_first_structural_fault() {
        for (begin, repeated, code) in [
            (&b"{\"a\":["[..], &b"1,"[..], "wrong_type"),
            (b"hello", b"1,", "broken_json"),
            (b"[1 1,", b"1,", "broken_json"),
            (b"[{]},", b"1,", "broken_json"),
            (b"[1}", b"1,", "broken_json"),
            (b"[] 1", b"1,", "broken_json"),
            (b"", b"[", "broken_json"),
        ] {
            let (outcome, expanded) = read_gzip(&gzip(begin, repeated, 1_000_000), BatchFormat::Array);
            assert_eq!(outcome.unwrap_err(), code);
            assert!(expanded <= 128 * 1024, "{expanded}");
        }
    }

    #[test]
    fn a_bad_event_does_not_sink_the_others() {
        let codes = |body: &[u8], format| {
            let batch =
                read_batch(body, format, TimeWindow::for_devices(Timestamp::from_seconds(1_772_366_430)));
            batch.unwrap().into_iter().map(|read| read.unwrap_err().invalid.code).collect::<Vec<_>>()
        };
        let many = format!("[[{}1], 7, {{\"kind\": 1}}]", "1,".repeat(100_000));
        assert_eq!(codes(many.as_bytes(), BatchFormat::Array), ["too_many", "wrong_type", "required"]);
        let long = "x".repeat(MAX_EVENT_BYTES);
        assert_eq!(
            codes(format!("[\"{long}\", 7]").as_bytes(), BatchFormat::Array),
            ["too_long", "wrong_type"]
        );
        let lines = format!("\"{long}\"\n\n7\n{{\"a");
        assert_eq!(codes(lines.as_bytes(), BatchFormat::Lines), ["too_long", "wrong_type", "broken_json"]);
        assert_eq!(codes(b" [ ] ", BatchFormat::Array), [""; 0]);
    }
}
