//! A batch: its events as they were read, and the refusals of those that were not.

use app::{Error, Kind, MOST_EVENTS};
use domain::{Event, Invalid, TimeWindow};

use crate::json::{self, Json};
use crate::read::{self, Refused};

/// How a body holds its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON array.
    Array,
    /// One JSON object a line.
    Lines,
}

/// A batch that was read: for each event what it is, or why it was refused.
pub type Batch = Vec<Result<Event, Refused>>;

/// Reads a body.
pub fn read(bytes: &[u8], format: Format, window: TimeWindow) -> Result<Batch, Error> {
    match format {
        Format::Array => read_array(bytes, window),
        Format::Lines => read_lines(bytes, window),
    }
}

fn read_array(bytes: &[u8], window: TimeWindow) -> Result<Batch, Error> {
    match json::elements(bytes, MOST_EVENTS, |value| read::event(value, window)) {
        Ok(Some(batch)) => Ok(batch),
        Ok(None) => Err(too_many()),
        Err(error) if error.is_data() => {
            Err(Error::new(Kind::Invalid, "wrong_type", "The body must be a JSON array of events."))
        }
        Err(error) => {
            Err(Error::new(Kind::BadRequest, "broken_json", format!("The body is not JSON: {error}.")))
        }
    }
}

fn read_lines(bytes: &[u8], window: TimeWindow) -> Result<Batch, Error> {
    let mut batch = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        if batch.len() == MOST_EVENTS {
            return Err(too_many());
        }
        batch.push(read_line(line, window));
    }
    Ok(batch)
}

/// Reads one line; one that is broken, such as the last of a stream that was cut off, does not sink the others.
pub fn read_line(line: &[u8], window: TimeWindow) -> Result<Event, Refused> {
    match serde_json::from_slice::<Json<'_>>(line) {
        Ok(value) => read::event(value, window),
        Err(error) => {
            let invalid = Invalid::new("broken_json", format!("is not JSON: {error}"));
            Err(Refused { uid: None, invalid })
        }
    }
}

fn too_many() -> Error {
    let detail = format!("A batch must have at most {MOST_EVENTS} events.");
    Error::new(Kind::TooLarge, "too_many_events", detail)
}
