//! The store's section of the configuration.

use std::fmt;
use std::path::{Path, PathBuf};

use domain::Invalid;
use serde::{Deserialize, Serialize};

/// `[database]` of the configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where the rows are; empty means a SQLite file in the data folder.
    pub url: String,
    /// How many connections read at once (SQLite), or are open at all (PostgreSQL).
    pub max_connections: u32,
    /// How many of them one brand has at once; 0 for three quarters.
    pub max_connections_per_brand: u32,
    /// How many of them one user, token or address has at once; 0 for one fewer than a brand.
    pub max_connections_per_caller: u32,
    /// How long a caller waits for a connection.
    pub acquire_timeout_s: u32,
    /// The folder of `pg_dump` and `pg_restore`; empty means that they are looked for.
    pub pg_bin_dir: PathBuf,
}

/// Which of the two engines, as a backup names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// A file.
    Sqlite,
    /// A server.
    Postgresql,
}

impl Engine {
    /// What a copy of a database is called in a backup.
    pub fn copy_name(self) -> &'static str {
        match self {
            Self::Sqlite => "database.sqlite",
            Self::Postgresql => "database.dump",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sqlite => "SQLite",
            Self::Postgresql => "PostgreSQL",
        })
    }
}

/// A database address that has been understood.
#[derive(Clone, Debug)]
pub enum Address {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL address.
    Postgres(String),
}

impl Address {
    /// Which engine is there.
    pub fn engine(&self) -> Engine {
        match self {
            Self::Sqlite(_) => Engine::Sqlite,
            Self::Postgres(_) => Engine::Postgresql,
        }
    }
}

impl Config {
    /// How many connections one brand has at once: a quarter is left to others, and at least one if there are two.
    pub fn per_brand(&self) -> u32 {
        let default_max =
            self.max_connections - (self.max_connections / 4).max(1).min(self.max_connections - 1);
        if self.max_connections_per_brand == 0 { default_max } else { self.max_connections_per_brand }
    }

    /// How many connections one user, token or address has at once.
    pub fn per_caller(&self) -> u32 {
        if self.max_connections_per_caller == 0 {
            return (self.per_brand() - 1).max(1);
        }
        self.max_connections_per_caller
    }

    /// How many connections may write at once on PostgreSQL: with every one waiting for a lock, nobody could read.
    pub(crate) fn max_writers(&self) -> usize {
        (self.max_connections / 2).max(1) as usize
    }

    /// Says what is wrong with the numbers, by key.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if self.max_connections == 0 {
            return Err(("database.max_connections", "must be at least 1".to_owned()));
        }
        let below = (self.max_connections - 1).max(1);
        if self.max_connections_per_brand > below {
            let reason =
                format!("must be at most {below}, so that max_connections leaves some to other brands");
            return Err(("database.max_connections_per_brand", reason));
        }
        if self.max_connections_per_caller > self.per_brand() {
            let reason = format!("must be at most {}, which is what one brand has", self.per_brand());
            return Err(("database.max_connections_per_caller", reason));
        }
        Ok(())
    }

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
