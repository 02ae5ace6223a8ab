//! The time until which a file must be made.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use crate::{Error, ErrorKind};

/// Seconds after which a caller may ask again for a file that took too long.
const RETRY_AFTER_S: i64 = 60;

/// The time until which a file must be made. Every loop of the work asks for it, so that its thread ends soon afterwards.
#[derive(Clone, Debug)]
pub(crate) struct Deadline {
    at: Instant,
    /// Set when nobody waits for the file any more.
    is_abandoned: Arc<AtomicBool>,
}

impl Deadline {
    pub fn after(time: Duration) -> Self {
        Self { at: Instant::now() + time, is_abandoned: Arc::default() }
    }

    pub fn at(&self) -> Instant {
        self.at
    }

    pub fn abandon(&self) {
        self.is_abandoned.store(true, Ordering::Relaxed);
    }

    pub fn is_over(&self) -> bool {
        self.is_abandoned.load(Ordering::Relaxed) || Instant::now() >= self.at
    }

    /// Fails if it is over.
    pub fn check(&self) -> Result<(), Error> {
        if self.is_over() { Err(took_too_long()) } else { Ok(()) }
    }

    /// Returns why something failed: that it is over, if it is.
    pub fn or_late(&self, error: Error) -> Error {
        self.check().err().unwrap_or(error)
    }
}

/// A file in memory, which takes no more bytes once the deadline is over.
pub(crate) struct TimedBytes<'a> {
    bytes: Vec<u8>,
    deadline: &'a Deadline,
}

impl<'a> TimedBytes<'a> {
    pub fn new(deadline: &'a Deadline) -> Self {
        Self { bytes: Vec::new(), deadline }
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl Write for TimedBytes<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.deadline.is_over() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A busy service may be the reason, so the caller can try again.
pub(super) fn took_too_long() -> Error {
    let detail = "Making the file took too long. Try again later; if that does not help, choose another format or \
        narrow the filters.";
    Error::new(ErrorKind::Unavailable, "took_too_long", detail).retry_after(RETRY_AFTER_S)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_only_in_time() {
        let long = Deadline::after(Duration::from_secs(3_600));
        let mut file = TimedBytes::new(&long);
        file.write_all(b"ab").unwrap();
        assert!(long.check().is_ok());
        assert_eq!(long.or_late(Error::internal("a fault")).code, "internal_error");
        let waiting = long.clone();
        waiting.abandon();
        assert_eq!(file.write_all(b"cd").unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(file.into_bytes(), b"ab");
        assert_eq!(long.or_late(Error::internal("a fault")).code, "took_too_long");
        assert!(Deadline::after(Duration::ZERO).is_over());
    }
}
