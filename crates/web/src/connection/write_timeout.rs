//! Closes connections whose client stops reading, so that nobody holds a connection by not reading the response.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use crate::connection::connections::ConnectionState;

/// The maximum time without any progress in writing.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// A stream with a timeout on writes. Reads have other timeouts: headers by hyper, bodies by `TimeoutBody`.
pub(crate) struct WriteTimeoutStream<T> {
    inner: T,
    /// The state of the connection, which is marked as busy when something was read.
    connection: Option<Arc<ConnectionState>>,
    timer: Pin<Box<Sleep>>,
    is_waiting: bool,
}

impl<T> WriteTimeoutStream<T> {
    pub fn new(inner: T, connection: Option<Arc<ConnectionState>>) -> Self {
        Self { inner, connection, timer: Box::pin(tokio::time::sleep(WRITE_TIMEOUT)), is_waiting: false }
    }

    /// Passes the outcome on, or fails if writing has made no progress for too long.
    fn check_timeout<O>(
        &mut self,
        outcome: Poll<io::Result<O>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<O>> {
        if outcome.is_ready() {
            self.is_waiting = false;
            return outcome;
        }
        if !self.is_waiting {
            self.is_waiting = true;
            self.timer.as_mut().reset(Instant::now() + WRITE_TIMEOUT);
        }
        match self.timer.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for WriteTimeoutStream<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut self.inner).poll_read(context, buffer);
        if let Some(connection) = &self.connection
            && buffer.filled().len() > before
        {
            connection.mark_busy();
        }
        outcome
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for WriteTimeoutStream<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.check_timeout(outcome, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write_vectored(context, slices);
        self.check_timeout(outcome, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.inner).poll_flush(context);
        self.check_timeout(outcome, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.inner).poll_shutdown(context);
        self.check_timeout(outcome, context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_reader_who_stops_is_cut_and_a_slow_one_is_not() {
        let (near, mut far) = tokio::io::duplex(16);
        let mut near = WriteTimeoutStream::new(near, None);
        let slow = tokio::spawn(async move {
            let mut taken = 0;
            while taken < 160 {
                tokio::time::sleep(Duration::from_secs(20)).await;
                taken += far.read(&mut [0; 16]).await.unwrap();
            }
            far
        });
        near.write_all(&[7; 160]).await.unwrap();
        let _far = slow.await.unwrap();
        let stuck = near.write_all(&[7; 160]).await.unwrap_err();
        assert_eq!(stuck.kind(), io::ErrorKind::TimedOut);
    }
}
