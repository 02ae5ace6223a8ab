//! Writing an object.

use std::sync::Arc;

use object_store::ObjectStore;
use object_store::buffered::BufWriter;
use object_store::path::Path;
use tokio::io::AsyncWriteExt;

use crate::Error;

/// An object being written. It becomes visible once [`Writer::finish`] has succeeded.
pub struct Writer(BufWriter);

impl Writer {
    pub(crate) fn new(store: Arc<dyn ObjectStore>, path: Path, part_bytes: usize) -> Self {
        // One part is sent while the next is filled.
        Self(BufWriter::with_capacity(store, path, part_bytes).with_max_concurrency(1))
    }

    /// Adds bytes; waits while earlier parts are being sent.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        // Copied on purpose: keeping a small slice would keep the whole buffer it belongs to.
        Ok(self.0.write_all(bytes).await?)
    }

    /// Makes the object visible, complete and durable.
    pub async fn finish(mut self) -> Result<(), Error> {
        Ok(self.0.shutdown().await?)
    }

    /// Discards everything written.
    pub async fn abort(mut self) -> Result<(), Error> {
        Ok(self.0.abort().await?)
    }
}
