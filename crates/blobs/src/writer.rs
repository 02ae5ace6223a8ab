//! Writing an object.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use object_store::ObjectStore;
use object_store::buffered::BufWriter;
use object_store::path::Path;
use tokio::io::{AsyncWrite, AsyncWriteExt};

use crate::Error;

/// Time that a store may take to accept a part, to make an object visible, and to discard one. Requests to a silent server are repeated
/// for three minutes, which is too long for whoever waits for the result of an upload. Parts that are not discarded are left to the server's
/// own rules.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
const FINISH_TIMEOUT: Duration = Duration::from_secs(60);
const ABORT_TIMEOUT: Duration = Duration::from_secs(5);

/// An object being written. It becomes visible once [`Writer::finish`] has succeeded.
pub struct Writer(Box<dyn Parts>);

/// An upload in parts. Behind a vtable, because its drop is that of the tasks that send them.
trait Parts: AsyncWrite + Send + Unpin {
    fn discard(&mut self) -> BoxFuture<'_, Result<(), object_store::Error>>;
}

impl Parts for BufWriter {
    fn discard(&mut self) -> BoxFuture<'_, Result<(), object_store::Error>> {
        Box::pin(self.abort())
    }
}

#[macros::boxed]
impl Writer {
    pub(crate) fn new(store: Arc<dyn ObjectStore>, path: Path, part_bytes: usize) -> Self {
        // One part is sent while the next is filled.
        Self(Box::new(BufWriter::with_capacity(store, path, part_bytes).with_max_concurrency(1)))
    }

    /// Adds bytes; waits while earlier parts are being sent.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        // Copied on purpose: keeping a small slice would keep the whole buffer it belongs to.
        in_time(WRITE_TIMEOUT, self.0.write_all(bytes)).await
    }

    /// Makes the object visible, complete and durable.
    pub async fn finish(mut self) -> Result<(), Error> {
        in_time(FINISH_TIMEOUT, self.0.shutdown()).await
    }

    /// Discards everything written.
    pub async fn abort(mut self) -> Result<(), Error> {
        in_time(ABORT_TIMEOUT, self.0.discard()).await
    }
}

async fn in_time<E: Into<Error>>(
    limit: Duration,
    work: impl Future<Output = Result<(), E>>,
) -> Result<(), Error> {
    match tokio::time::timeout(limit, work).await {
        Ok(outcome) => outcome.map_err(Into::into),
        Err(_) => Err(Error::Failed(format!("the store did not answer within {} s", limit.as_secs()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_silent_store_is_not_waited_for() {
        let silent = std::future::pending::<Result<(), std::io::Error>>();
        let outcome = in_time(WRITE_TIMEOUT, silent).await;
        assert!(matches!(outcome, Err(Error::Failed(reason)) if reason.contains("30 s")));
    }
}
