//! A read-only transaction whose statements all see the same rows.

use std::ops::{Deref, DerefMut};

use crate::{Error, Tx};

/// A read-only transaction whose statements all see the same committed rows.
///
/// It should be short, because SQLite's write-ahead log grows while it is open. On SQLite its connection is reused only after
/// [`Snapshot::end`].
pub struct Snapshot(Tx);

#[macros::boxed]
impl Snapshot {
    pub(crate) fn new(tx: Tx) -> Self {
        Self(tx)
    }

    /// Ends the transaction and returns its connection to the pool.
    pub async fn end(self) -> Result<(), Error> {
        self.0.commit().await
    }
}

impl Deref for Snapshot {
    type Target = Tx;

    fn deref(&self) -> &Tx {
        &self.0
    }
}

impl DerefMut for Snapshot {
    fn deref_mut(&mut self) -> &mut Tx {
        &mut self.0
    }
}
