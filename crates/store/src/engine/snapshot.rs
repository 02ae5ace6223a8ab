//! A read transaction of which all statements see the same rows.

use std::ops::{Deref, DerefMut};

use crate::{Error, Tx};

/// Reads that belong together: what one statement sees, all do.
///
/// It should not last: SQLite's log grows while it is open. On SQLite its connection is used again only after
/// [`Snapshot::end`].
pub struct Snapshot(Tx);

impl Snapshot {
    pub(crate) fn new(tx: Tx) -> Self {
        Self(tx)
    }

    /// Ends it; what was read stays what it was.
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
