//! An object on its way.

use std::sync::Arc;

use object_store::ObjectStore;
use object_store::buffered::BufWriter;
use object_store::path::Path;
use tokio::io::AsyncWriteExt;

use crate::Error;

/// An object that is being written. It is there once [`Writer::finish`] has said so, and not before.
pub struct Writer(BufWriter);

impl Writer {
    pub(crate) fn new(store: Arc<dyn ObjectStore>, path: Path, part_bytes: usize) -> Self {
        // One part is on its way while the next is filled.
        Self(BufWriter::with_capacity(store, path, part_bytes).with_max_concurrency(1))
    }

    /// Adds bytes; waits while those before them are on their way.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        // Copied on purpose: a crumb would keep the whole buffer that it came in.
        Ok(self.0.write_all(bytes).await?)
    }

    /// Makes the object appear, whole and durable.
    pub async fn finish(mut self) -> Result<(), Error> {
        Ok(self.0.shutdown().await?)
    }

    /// Leaves nothing of it.
    pub async fn abort(mut self) -> Result<(), Error> {
        Ok(self.0.abort().await?)
    }
}
