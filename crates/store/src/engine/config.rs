//! The store's section of the configuration.

use std::fmt;
use std::path::{Path, PathBuf};

use domain::Invalid;
use serde::{Deserialize, Serialize};

/// The `[database]` section of the configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Address of the database. An empty one means a SQLite file in the data folder.
    pub url: String,
    /// Number of connections for reading (SQLite), or of all connections (PostgreSQL).
    pub max_connections: u32,
    /// Number of them that one brand may use concurrently; 0 means three quarters.
    pub max_connections_per_brand: u32,
    /// Number of them that one user, token or address may use concurrently; 0 means one fewer than a brand.
    pub max_connections_per_caller: u32,
    /// Time that a caller waits for a connection, in seconds. Connecting to PostgreSQL is a part of it.
    pub acquire_timeout_s: u32,
    /// PostgreSQL: time that a statement may take, in seconds. The server cancels it then; if the server does not answer either, the
    /// connection is closed.
    pub statement_timeout_s: u32,
    /// Folder with `pg_dump` and `pg_restore`. If it is empty, the PATH and the folders of Debian are searched.
    pub pg_bin_dir: PathBuf,
}

/// The database engine, as the manifest of a backup names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    Sqlite,
    Postgresql,
}

impl Engine {
    /// Returns the file name of the database copy in a backup.
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

/// A parsed database address.
#[derive(Clone, Debug)]
pub enum Address {
    Sqlite(PathBuf),
    /// A connection URL.
    Postgres(String),
}

impl Address {
    pub fn engine(&self) -> Engine {
        match self {
            Self::Sqlite(_) => Engine::Sqlite,
            Self::Postgres(_) => Engine::Postgresql,
        }
    }
}

impl Config {
    /// Connections that one brand may use concurrently. The default leaves a quarter to others, and at least one if there are two.
    pub fn per_brand(&self) -> u32 {
        let default_max =
            self.max_connections - (self.max_connections / 4).max(1).min(self.max_connections - 1);
        if self.max_connections_per_brand == 0 { default_max } else { self.max_connections_per_brand }
    }

    /// Connections that one user, token or address may use concurrently.
    pub fn per_caller(&self) -> u32 {
        if self.max_connections_per_caller == 0 {
            return (self.per_brand() - 1).max(1);
        }
        self.max_connections_per_caller
    }

    /// Connections that may write concurrently on PostgreSQL. If all of them waited for a lock, no caller could read.
    pub(crate) fn max_writers(&self) -> usize {
        (self.max_connections / 2).max(1) as usize
    }

    /// Validates the limits. The error names the setting and the reason.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if self.max_connections == 0 {
            return Err(("database.max_connections", "must be at least 1".to_owned()));
        }
        if self.statement_timeout_s == 0 {
            return Err(("database.statement_timeout_s", "must be at least 1".to_owned()));
        }
        let below = (self.max_connections - 1).max(1);
        if self.max_connections_per_brand > below {
            let reason =
                format!("must be at most {below}, so that max_connections leaves some for other brands");
            return Err(("database.max_connections_per_brand", reason));
        }
        if self.max_connections_per_caller > self.per_brand() {
            let reason = format!("must be at most {}, which is the limit of one brand", self.per_brand());
            return Err(("database.max_connections_per_caller", reason));
        }
        Ok(())
    }

    /// Parses the address. An empty one means the SQLite file in `data`.
    pub fn address(&self, data: &Path) -> Result<Address, Invalid> {
        let url = self.url.trim();
        if url.is_empty() {
            return Ok(Address::Sqlite(data.join("keepclear.db")));
        }
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            if !has_known_parameters(url) {
                let known = POSTGRES_PARAMETERS.join(", ");
                let reason = format!("has a parameter that is not known; the known ones are {known}");
                return Err(Invalid::new("invalid_url", reason));
            }
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

/// The parameters that the address of PostgreSQL can have. sqlx would ignore others, and log them with their values, which may be secrets.
const POSTGRES_PARAMETERS: [&str; 13] = [
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "statement-cache-capacity",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
];
/// Other names for some of them.
const POSTGRES_ALIASES: [&str; 5] = ["ssl-mode", "ssl-root-cert", "ssl-ca", "ssl-cert", "ssl-key"];

fn has_known_parameters(url: &str) -> bool {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let is_known = |name: &str| {
        POSTGRES_PARAMETERS.contains(&name)
            || POSTGRES_ALIASES.contains(&name)
            || name.starts_with("options[")
    };
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| pair.split('=').next().unwrap_or_default()).all(is_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_that_nobody_knows_are_refused() {
        for known in ["", "?", "?sslmode=disable", "?host=/run/x&user=u", "?options[a]=b&ssl-ca=c"] {
            assert!(has_known_parameters(&format!("postgres://u@h/d{known}")), "{known}");
        }
        for unknown in ["?passwd=tulip", "?sslmode=disable&sslpassword=tulip", "?connect_timeout"] {
            assert!(!has_known_parameters(&format!("postgres://u@h/d{unknown}")), "{unknown}");
        }
    }
}
