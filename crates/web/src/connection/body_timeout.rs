//! Aborts request bodies that arrive too slowly, so that a slow client cannot hold resources for long.

use std::error::Error as StdError;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use bytes::{Buf, Bytes};
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Instant, Sleep};

use crate::connection::unread_body::UnreadBody;

/// The maximum wait for the next byte.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);
/// The length of waiting time over which the throughput is measured.
const THROUGHPUT_WINDOW: Duration = Duration::from_secs(15);
/// The minimum number of bytes per window: 1 kB per second.
const MIN_BYTES_PER_WINDOW: usize = 15_000;

/// The client sent its body too slowly.
#[derive(Debug)]
pub(crate) struct BodyTooSlow;

impl fmt::Display for BodyTooSlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the body arrived too slowly")
    }
}

impl StdError for BodyTooSlow {}

impl BodyTooSlow {
    /// Whether this error is the cause of another.
    pub fn is_cause_of(error: &(dyn StdError + 'static)) -> bool {
        let mut error = Some(error);
        while let Some(current) = error {
            if current.is::<Self>() {
                return true;
            }
            error = current.source();
        }
        false
    }
}

/// A body with a timeout and a minimum throughput. Only time spent waiting for the client counts, not the time that a handler takes.
pub(crate) struct TimeoutBody {
    inner: Body,
    waiting_since: Option<Instant>,
    timer: Pin<Box<Sleep>>,
    waited_in_window: Duration,
    bytes_in_window: usize,
    was_polled: bool,
    has_failed: bool,
    unread: UnreadBody,
}

impl TimeoutBody {
    /// `unread` gets what is left of the body when it is dropped before its end.
    pub fn new(inner: Body, unread: UnreadBody) -> Self {
        Self {
            inner,
            waiting_since: None,
            timer: Box::pin(tokio::time::sleep(Duration::ZERO)),
            waited_in_window: Duration::ZERO,
            bytes_in_window: 0,
            was_polled: false,
            has_failed: false,
            unread,
        }
    }

    fn poll_in_time(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let too_slow = || Poll::Ready(Some(Err(axum::Error::new(BodyTooSlow))));
        if let Poll::Ready(frame) = Pin::new(&mut self.inner).poll_frame(context) {
            if let Some(since) = self.waiting_since.take() {
                if let Some(Ok(frame)) = &frame {
                    self.bytes_in_window += frame.data_ref().map_or(0, Buf::remaining);
                }
                if !self.meets_min_throughput(since.elapsed()) {
                    return too_slow();
                }
            }
            return Poll::Ready(frame);
        }
        let now = Instant::now();
        let since = *self.waiting_since.get_or_insert(now);
        if since == now {
            self.reset_timer(now);
        }
        while self.timer.as_mut().poll(context).is_ready() {
            let waited = now - since;
            if waited >= IDLE_TIMEOUT || !self.meets_min_throughput(waited) {
                return too_slow();
            }
            self.waiting_since = Some(now);
            self.reset_timer(now);
        }
        Poll::Pending
    }

    /// Adds the time that was just spent waiting, and checks the throughput if the window is over.
    fn meets_min_throughput(&mut self, waited: Duration) -> bool {
        self.waited_in_window += waited;
        if self.waited_in_window < THROUGHPUT_WINDOW {
            return true;
        }
        let fast_enough = self.bytes_in_window >= MIN_BYTES_PER_WINDOW;
        (self.waited_in_window, self.bytes_in_window) = (Duration::ZERO, 0);
        fast_enough
    }

    fn reset_timer(&mut self, now: Instant) {
        let left_of_window = THROUGHPUT_WINDOW.saturating_sub(self.waited_in_window);
        self.timer.as_mut().reset(now + IDLE_TIMEOUT.min(left_of_window));
    }
}

impl HttpBody for TimeoutBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        this.was_polled = true;
        let frame = this.poll_in_time(context);
        match &frame {
            Poll::Ready(Some(Err(_))) => this.has_failed = true,
            Poll::Ready(None) => this.unread.set_ended(),
            Poll::Ready(Some(Ok(_))) if this.inner.is_end_stream() => this.unread.set_ended(),
            Poll::Ready(Some(Ok(_))) | Poll::Pending => {}
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for TimeoutBody {
    fn drop(&mut self) {
        if !self.has_failed && !self.unread.has_ended() {
            self.unread.set_left(std::mem::take(&mut self.inner), self.was_polled);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use http_body_util::BodyExt;

    use super::*;

    /// A body of `count` pieces of `size` bytes, one every `every`.
    fn body(count: usize, size: usize, every: Duration) -> TimeoutBody {
        let pieces = stream::unfold(0, move |sent| async move {
            if sent == count {
                return None;
            }
            tokio::time::sleep(every).await;
            Some((Ok::<_, std::convert::Infallible>(vec![b'x'; size]), sent + 1))
        });
        TimeoutBody::new(Body::from_stream(pieces), UnreadBody::default())
    }

    async fn outcome(body: TimeoutBody) -> Result<usize, bool> {
        match body.collect().await {
            Ok(collected) => Ok(collected.to_bytes().len()),
            Err(error) => Err(BodyTooSlow::is_cause_of(&error)),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_honest_upload_goes_through() {
        assert_eq!(outcome(body(100, 2_000, Duration::from_secs(1))).await, Ok(200_000));
        assert_eq!(outcome(body(3, 10, Duration::from_secs(4))).await, Ok(30));
    }

    #[tokio::test(start_paused = true)]
    async fn silence_and_dribbling_are_cut() {
        assert_eq!(outcome(body(2, 100_000, Duration::from_secs(11))).await, Err(true));
        let start = Instant::now();
        assert_eq!(outcome(body(1_000, 1, Duration::from_secs(1))).await, Err(true));
        assert!(start.elapsed() <= Duration::from_secs(16));
    }
}
