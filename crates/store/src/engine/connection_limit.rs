//! The most connections that a process opens to a server.

use crate::engine::pool::Store;

impl Store {
    /// Returns the most connections that this process opens to the server, including those that requests do not use; 0 on SQLite, which has
    /// no server.
    pub fn max_server_connections(&self) -> u32 {
        match self {
            Self::Sqlite { .. } => 0,
            Self::Postgres { pool, reserved, .. } => {
                pool.options().get_max_connections() + reserved.options().get_max_connections()
            }
        }
    }
}
