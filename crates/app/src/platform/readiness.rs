//! Whether the database can be used.

use store::{SchemaState, Store};

use crate::{Error, ErrorKind};

/// Checks that the database can be reached, has a schema that this program can work with and can be written to.
pub async fn check_readiness(store: &Store) -> Result<(), Error> {
    let unavailable = |code, detail| Error::new(ErrorKind::Unavailable, code, detail).retry_after(5);
    let checked = match store.schema().await {
        // A newer program has changed the schema in a way that lets this one go on.
        Ok(SchemaState::Current | SchemaState::Ahead(_)) => store.check_writable().await,
        Ok(SchemaState::Behind(_)) => {
            return Err(unavailable("migrations_missing", "The database has not been migrated yet."));
        }
        Err(error) => Err(error),
    };
    checked.map_err(|error| {
        tracing::warn!("not ready: {error}");
        match error {
            store::Error::Storage(store::StorageFault { is_full: true, .. }) => {
                unavailable("storage_full", "There is no room left on the disk of the database.")
            }
            _ => unavailable("store_unavailable", "The database cannot be used."),
        }
    })
}
