//! Writes pages of rows to an object in constant memory: a thread encodes the pages, and its bytes are uploaded. Both steps are
//! connected by channels that hold only a few items.

use std::io;

use ::exports::{Format, Table, WriteSummary, Writer};
use blobs::{Blobs, Key};
use bytes::Bytes;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use crate::Error;

/// Pages of rows and chunks of the file that are in flight at most.
const MAX_PAGES_IN_FLIGHT: usize = 2;
const MAX_CHUNKS_IN_FLIGHT: usize = 4;
/// Approximate size of a chunk.
const CHUNK_BYTES: usize = 256 * 1024;

/// The reason why a file was not written.
#[derive(Debug)]
pub(super) enum Abort {
    /// The writer stopped; its own error says why.
    WriterStopped,
    /// The export is no longer wanted.
    Cancelled,
    Failed(Error),
}

impl From<Error> for Abort {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<store::Error> for Abort {
    fn from(error: store::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<blobs::Error> for Abort {
    fn from(error: blobs::Error) -> Self {
        Self::Failed(error.into())
    }
}

#[derive(Debug)]
pub(super) struct WrittenFile {
    pub rows: u64,
    pub size_bytes: u64,
    pub sha256: [u8; 32],
}

/// A message to the writer thread. Only an explicit end completes a file: a feed that fails just closes the channel.
enum FeedMessage<P> {
    Page(P),
    End,
}

/// Sends the pages of a table to the writer thread.
pub(super) struct PageSender<P>(mpsc::Sender<FeedMessage<P>>);

impl<P> PageSender<P> {
    /// Sends a page; waits while earlier pages are being written.
    pub async fn send(&self, page: P) -> Result<(), Abort> {
        self.0.send(FeedMessage::Page(page)).await.map_err(|_| Abort::WriterStopped)
    }
}

/// Collects the bytes of a file and sends them on in chunks.
struct ChunkSink {
    chunks: mpsc::Sender<Bytes>,
    buffer: Vec<u8>,
}

impl ChunkSink {
    fn send_buffer(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let piece = Bytes::from(std::mem::take(&mut self.buffer));
        self.chunks.blocking_send(piece).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
    }
}

impl io::Write for ChunkSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= CHUNK_BYTES {
            self.send_buffer()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send_buffer()
    }
}

/// Writes an object from the pages that `feed` sends, each encoded by `write`. If it fails, no object is left.
pub(super) async fn write_object<P: Send + 'static>(
    blobs: &Blobs,
    key: &Key,
    (format, table): (Format, Table),
    mut write: impl FnMut(&mut Writer<'_>, P) -> Result<(), ::exports::Error> + Send + 'static,
    feed: impl AsyncFnOnce(&PageSender<P>) -> Result<(), Abort>,
) -> Result<WrittenFile, Abort> {
    let (pages, mut page_receiver) = mpsc::channel(MAX_PAGES_IN_FLIGHT);
    let (pieces, mut chunk_receiver) = mpsc::channel(MAX_CHUNKS_IN_FLIGHT);
    let work = spawn_blocking(move || -> Result<WriteSummary, ::exports::Error> {
        let mut sink = ChunkSink { chunks: pieces, buffer: Vec::new() };
        let mut writer = Writer::new(format, table, &mut sink)?;
        loop {
            match page_receiver.blocking_recv() {
                Some(FeedMessage::Page(page)) => write(&mut writer, page)?,
                Some(FeedMessage::End) => return writer.finish(),
                None => return Err(::exports::Error::Aborted),
            }
        }
    });
    let mut object = blobs.writer(key);
    let reading = async move {
        let feeding = PageSender(pages);
        feed(&feeding).await?;
        feeding.0.send(FeedMessage::End).await.map_err(|_| Abort::WriterStopped)
    };
    let uploading = async {
        let (mut size_bytes, mut hash) = (0, Sha256::new());
        while let Some(piece) = chunk_receiver.recv().await {
            size_bytes += piece.len() as u64;
            hash.update(&piece);
            object.write(&piece).await?;
        }
        Ok::<_, Abort>((size_bytes, <[u8; 32]>::from(hash.finalize())))
    };
    let passed = tokio::try_join!(reading, uploading);
    // Both receivers are closed, so that a writer thread that is still running stops.
    drop(chunk_receiver);
    let written = match work.await {
        Ok(written) => written,
        Err(error) => Err(::exports::Error::Sink(io::Error::other(error))),
    };
    match check_complete(passed, written) {
        Ok(made) => match object.finish().await {
            Ok(()) => Ok(made),
            Err(error) => Err(error.into()),
        },
        Err(halt) => {
            if let Err(error) = object.abort().await {
                tracing::warn!("the object {key} could not be aborted: {error}");
            }
            Err(halt)
        }
    }
}

/// Returns the written file, if all of it was uploaded.
fn check_complete(
    passed: Result<((), (u64, [u8; 32])), Abort>,
    written: Result<WriteSummary, ::exports::Error>,
) -> Result<WrittenFile, Abort> {
    match (passed, written) {
        (Ok(((), (size_bytes, sha256))), Ok(written)) if written.bytes == size_bytes => {
            Ok(WrittenFile { rows: written.rows, size_bytes, sha256 })
        }
        (Ok(_), Ok(_)) => Err(Error::internal("a file was not uploaded completely").into()),
        (Ok(_) | Err(Abort::WriterStopped), Err(error)) => Err(super::table_error(error).into()),
        (Err(Abort::WriterStopped), Ok(_)) => {
            Err(Error::internal("a file ended before all rows were written").into())
        }
        (Err(halt), _) => Err(halt),
    }
}

#[cfg(test)]
mod tests {
    use ::exports::{Cell, Column};
    use domain::{BrandId, ExportId, Random, Timestamp};
    use futures_util::TryStreamExt;

    use super::*;

    fn table() -> (Format, Table) {
        let column = Column::new("n", "N", ::exports::ColumnKind::Integer);
        (Format::Csv, Table::new("Numbers", vec![column]).unwrap())
    }

    fn key() -> Key {
        let upload = blobs::Upload::begin(Timestamp::from_seconds(0), &Random::System);
        Key::Export(BrandId(1), ExportId(1), upload)
    }

    fn numbers(writer: &mut Writer<'_>, page: Vec<i64>) -> Result<(), ::exports::Error> {
        page.into_iter().try_for_each(|number| writer.write(&[Cell::Integer(number)]))
    }

    #[tokio::test]
    async fn pages_become_one_object() {
        let (blobs, key) = (Blobs::memory(), key());
        let made = write_object(&blobs, &key, table(), numbers, async |feed| {
            for page in 0..100 {
                feed.send((page * 1_000..(page + 1) * 1_000).collect()).await?;
            }
            Ok(())
        });
        let made = made.await.unwrap();
        assert_eq!(made.rows, 100_000);
        let bytes: Vec<Bytes> = blobs.read(&key, 0..u64::MAX).await.unwrap().try_collect().await.unwrap();
        let bytes = bytes.concat();
        assert_eq!(
            (bytes.len() as u64, <[u8; 32]>::from(Sha256::digest(&bytes))),
            (made.size_bytes, made.sha256)
        );
        assert!(bytes.ends_with(b"\r\n99998\r\n99999\r\n"));
    }

    #[tokio::test]
    async fn what_is_cancelled_leaves_nothing() {
        let (blobs, key) = (Blobs::memory(), key());
        let made = write_object(&blobs, &key, table(), numbers, async |feed| {
            feed.send(vec![1, 2, 3]).await?;
            Err(Abort::Cancelled)
        });
        assert!(matches!(made.await, Err(Abort::Cancelled)));
        assert_eq!(blobs.head(&key).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_writer_that_fails_says_why_and_leaves_nothing() {
        let (blobs, key) = (Blobs::memory(), key());
        let most = 3;
        let refuse = move |_: &mut Writer<'_>, page: Vec<i64>| match page.len() {
            0..=2 => Ok(()),
            wanted => Err(::exports::Error::TooLarge {
                limit: ::exports::Limit::Rows,
                max: most,
                wanted: wanted as u64,
            }),
        };
        let made = write_object(&blobs, &key, table(), refuse, async |feed| {
            for length in 0..1_000 {
                feed.send(vec![7; length]).await?;
            }
            Ok(())
        });
        let Err(Abort::Failed(error)) = made.await else { panic!("it was made") };
        assert_eq!(error.fields[0].invalid.code, "too_many_rows");
        assert_eq!(blobs.head(&key).await.unwrap(), None);
    }
}
