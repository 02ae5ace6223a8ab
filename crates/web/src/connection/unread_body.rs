//! What a handler leaves of a request body that it refuses early.
//!
//! The next request of a connection begins after the body of the one before. So a short rest is read and discarded before the response
//! is sent. If the rest is long or does not arrive, the response announces that the connection closes, and no client sends another
//! request into it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Body;
use bytes::Buf;
use http_body::Body as _;
use http_body_util::BodyExt;

/// The longest rest that is read, which is also the limit of ordinary bodies.
const MAX_DISCARDED_BYTES: u64 = 1024 * 1024;
/// The time in which the rest must arrive. Clients rarely wait between the headers and the body.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(2);

/// The rest of one request body, shared between the body and the layer that waits for the response.
#[derive(Clone, Default)]
pub(crate) struct UnreadBody(Arc<Mutex<BodyState>>);

#[derive(Default)]
enum BodyState {
    /// Somebody may still read it, or it has failed.
    #[default]
    Unavailable,
    /// It has been read completely.
    Ended,
    /// It was dropped before its end.
    Left { body: Body, was_polled: bool },
}

impl UnreadBody {
    pub fn set_ended(&self) {
        *self.lock() = BodyState::Ended;
    }

    pub fn has_ended(&self) -> bool {
        matches!(*self.lock(), BodyState::Ended)
    }

    /// Takes over a body that is dropped before its end. `was_polled` is whether the client has been asked for it.
    pub fn set_left(&self, body: Body, was_polled: bool) {
        *self.lock() = BodyState::Left { body, was_polled };
    }

    /// Reads and discards the rest. Returns whether the body has ended, so that the connection can be used again.
    ///
    /// A client that waits for `100 Continue` is not asked for a body that nobody wants.
    pub async fn discard(&self, awaits_continue: bool) -> bool {
        let state = std::mem::take(&mut *self.lock());
        match state {
            BodyState::Ended => true,
            BodyState::Left { body, was_polled } if was_polled || !awaits_continue => {
                tokio::time::timeout(DISCARD_TIMEOUT, read_to_end(body)).await.unwrap_or(false)
            }
            BodyState::Left { .. } | BodyState::Unavailable => false,
        }
    }

    fn lock(&self) -> MutexGuard<'_, BodyState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads a body up to the limit. Returns whether that was its end.
async fn read_to_end(mut body: Body) -> bool {
    if body.size_hint().lower() > MAX_DISCARDED_BYTES {
        return false;
    }
    let mut room = MAX_DISCARDED_BYTES;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return false };
        let length = frame.data_ref().map_or(0, Buf::remaining) as u64;
        let Some(rest) = room.checked_sub(length) else { return false };
        room = rest;
    }
    true
}
