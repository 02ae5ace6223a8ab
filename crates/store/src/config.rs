//! The store's section of the configuration.

use std::path::{Path, PathBuf};

use domain::Invalid;
use serde::Deserialize;

/// `[database]` of the configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where the rows are; empty means a SQLite file in the data folder.
    pub url: String,
    /// How many connections read at once (SQLite), or are open at all (PostgreSQL).
    pub max_connections: u32,
    /// How long a caller waits for a connection.
    pub acquire_timeout_s: u32,
}

/// A database address that has been understood.
#[derive(Clone, Debug)]
pub enum Address {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL address.
    Postgres(String),
}

impl Config {
    /// Understands the address; an empty one is the SQLite file in `data`.
    pub fn address(&self, data: &Path) -> Result<Address, Invalid> {
        let url = self.url.trim();
        if url.is_empty() {
            return Ok(Address::Sqlite(data.join("keepclear.db")));
        }
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Address::Postgres(url.to_owned()));
        }
        if let Some(path) = url.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            if !path.is_empty() {
                return Ok(Address::Sqlite(PathBuf::from(path)));
            }
        }
        Err(Invalid::new("invalid_url", "must begin with postgres:// or be sqlite:PATH"))
    }
}
