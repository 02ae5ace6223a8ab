//! A sink that counts bytes.

use std::io::{self, Write};

/// Counts the bytes that are written.
pub(crate) struct CountingWriter<'a> {
    inner: &'a mut (dyn Write + Send),
    pub bytes: u64,
}

impl<'a> CountingWriter<'a> {
    pub fn new(inner: &'a mut (dyn Write + Send)) -> Self {
        Self { inner, bytes: 0 }
    }
}

impl Write for CountingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.inner.write(bytes)?;
        self.bytes += taken as u64;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
