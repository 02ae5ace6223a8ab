//! Splits a body into its events while it is decompressed. Nothing is decompressed before it is needed.

use std::io::Read;

use app::{Error, ErrorKind};

use crate::content_coding::{MAX_EXPANDED_BYTES, broken_encoding};

/// The amount that is decompressed at a time.
const CHUNK_BYTES: usize = 64 * 1024;

/// The maximum size of one event. The largest valid event, an hour of fixes, has a tenth of it.
pub const MAX_EVENT_BYTES: usize = 4 * 1024 * 1024;

/// The maximum nesting depth of values, which is also the limit of `serde_json`.
const MAX_DEPTH: u32 = 128;

/// Splits a source of bytes into events.
pub struct EventSplitter<R> {
    source: R,
    /// Decompressed bytes. Those before `position` have been consumed.
    buffer: Vec<u8>,
    position: usize,
    expanded_bytes: usize,
}

impl<R: Read> EventSplitter<R> {
    pub fn new(source: R) -> Self {
        Self { source, buffer: Vec::new(), position: 0, expanded_bytes: 0 }
    }

    /// Skips white space and returns the next byte without consuming it.
    pub fn peek(&mut self) -> Result<Option<u8>, Error> {
        loop {
            let rest = self.rest();
            match rest.iter().position(|byte| !byte.is_ascii_whitespace()) {
                Some(blanks) => {
                    self.position += blanks;
                    return Ok(self.buffer.get(self.position).copied());
                }
                None => self.position = self.buffer.len(),
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Skips the byte that was peeked.
    pub fn skip(&mut self) {
        self.position = self.buffer.len().min(self.position + 1);
    }

    /// Takes an element of an array, up to the comma or bracket that ends it. Returns `None` if it is longer than any event, and skips it.
    pub fn next_element(&mut self) -> Result<Option<&[u8]>, Error> {
        let mut scan = ElementScanner::default();
        self.take_until(|bytes| scan.find_end(bytes), || Err(broken_json("it ends inside the array")))
    }

    /// Takes a line without its line break. Returns `None` if it is longer than any event, and skips it.
    pub fn next_line(&mut self) -> Result<Option<&[u8]>, Error> {
        self.take_until(|bytes| Ok(bytes.iter().position(|byte| *byte == b'\n')), || Ok(()))
    }

    /// Takes the bytes before the position that `find` returns, which sees every byte once. `at_end` decides whether the body may end
    /// there.
    fn take_until(
        &mut self,
        mut find: impl FnMut(&[u8]) -> Result<Option<usize>, Error>,
        at_end: impl FnOnce() -> Result<(), Error>,
    ) -> Result<Option<&[u8]>, Error> {
        let (mut scanned, mut is_too_long) = (0, false);
        loop {
            let unscanned = self.rest().get(scanned..).unwrap_or_default();
            if let Some(end) = find(unscanned)? {
                scanned += end;
                break;
            }
            scanned += unscanned.len();
            if scanned > MAX_EVENT_BYTES {
                (self.position, scanned, is_too_long) = (self.buffer.len(), 0, true);
            }
            if !self.fill()? {
                at_end()?;
                break;
            }
        }
        let from = self.position;
        self.position += scanned;
        let is_too_long = is_too_long || scanned > MAX_EVENT_BYTES;
        Ok(if is_too_long { None } else { self.buffer.get(from..self.position) })
    }

    fn rest(&self) -> &[u8] {
        self.buffer.get(self.position..).unwrap_or_default()
    }

    /// Decompresses one more chunk. Returns `false` at the end.
    fn fill(&mut self) -> Result<bool, Error> {
        self.buffer.drain(..self.position);
        self.position = 0;
        let before = self.buffer.len();
        self.buffer.resize(before + CHUNK_BYTES, 0);
        let room = self.buffer.get_mut(before..).unwrap_or_default();
        let read = loop {
            match self.source.read(room) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                outcome => break outcome,
            }
        };
        let read = read.map_err(|_| broken_encoding())?;
        self.buffer.truncate(before + read);
        self.expanded_bytes += read;
        if self.expanded_bytes > MAX_EXPANDED_BYTES {
            let detail =
                format!("The body must have at most {MAX_EXPANDED_BYTES} bytes when it is decompressed.");
            return Err(Error::new(ErrorKind::TooLarge, "body_too_large", detail));
        }
        Ok(read > 0)
    }
}

/// Finds the end of an element. Whether the element is valid JSON is checked by its reader.
#[derive(Default)]
struct ElementScanner {
    depth: u32,
    in_text: bool,
    is_escaped: bool,
}

impl ElementScanner {
    fn find_end(&mut self, bytes: &[u8]) -> Result<Option<usize>, Error> {
        for (at, byte) in bytes.iter().enumerate() {
            if self.in_text {
                match byte {
                    _ if self.is_escaped => self.is_escaped = false,
                    b'\\' => self.is_escaped = true,
                    b'"' => self.in_text = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_text = true,
                b'[' | b'{' => {
                    self.depth += 1;
                    if self.depth > MAX_DEPTH {
                        return Err(broken_json("it is nested too deeply"));
                    }
                }
                b']' | b'}' if self.depth > 0 => self.depth -= 1,
                b',' | b']' | b'}' if self.depth == 0 => return Ok(Some(at)),
                _ => {}
            }
        }
        Ok(None)
    }
}

pub fn broken_json(reason: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::BadRequest, "broken_json", format!("The body is not JSON: {reason}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns one byte at a time, so that every position is the end of a chunk once.
    struct Dribble<'a>(&'a [u8]);

    impl Read for Dribble<'_> {
        fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
            self.0.read(room.get_mut(..1).unwrap())
        }
    }

    #[test]
    fn elements_end_where_they_end_however_the_bytes_come() {
        let text = br#" {"a": "]},\"", "b": [1, {}]} , 7,"x\\" ]"#;
        let mut pieces = EventSplitter::new(Dribble(text));
        for expected in [r#"{"a": "]},\"", "b": [1, {}]} "#, "7", r#""x\\" "#] {
            pieces.peek().unwrap();
            assert_eq!(pieces.next_element().unwrap().unwrap(), expected.as_bytes());
            pieces.skip();
        }
        assert_eq!(pieces.peek().unwrap(), None);
    }

    #[test]
    fn what_is_longer_than_any_event_is_passed_over() {
        let long = "x".repeat(MAX_EVENT_BYTES + 1);
        let text = format!("\"{long}\",1\n{long}\n2");
        let mut pieces = EventSplitter::new(text.as_bytes());
        assert!(pieces.next_element().unwrap().is_none());
        assert!(pieces.buffer.capacity() < 2 * MAX_EVENT_BYTES + 4 * CHUNK_BYTES);
        pieces.skip();
        assert_eq!(pieces.next_line().unwrap(), Some(&b"1"[..]));
        pieces.skip();
        assert!(pieces.next_line().unwrap().is_none());
        pieces.skip();
        assert_eq!(pieces.next_line().unwrap(), Some(&b"2"[..]));
    }
}
