//! Restores an empty database from a copy.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::engine::database_copy::DatabaseCopy;
use crate::engine::dialect::pg_tools::{PgTools, run_blocking};
use crate::{Address, Config, Error};

/// Suffix of a SQLite file's name until the file is complete.
const PARTIAL_SUFFIX: &str = ".restoring";

/// A restored database. On SQLite it is not visible under its name before [`Restore::finish`].
pub struct Restore<'a> {
    address: &'a Address,
    config: &'a Config,
}

/// Fails unless the database does not exist yet or has no tables.
pub async fn ensure_empty(address: &Address, config: &Config) -> Result<(), Error> {
    match address {
        Address::Sqlite(path) => {
            for ending in ["", "-wal"] {
                let file = with_ending(path, ending);
                match std::fs::metadata(&file) {
                    Ok(about) if about.len() == 0 => {}
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    Ok(_) => {
                        return Err(Error::Unusable(format!("a database exists at {}", file.display())));
                    }
                    Err(error) => return Err(io_error("accessed", &file, &error)),
                }
            }
            Ok(())
        }
        Address::Postgres(url) => {
            let tables = DatabaseCopy::open_server(url, config).await?.tables().await?;
            match tables.as_slice() {
                [] => Ok(()),
                [first, ..] => Err(Error::Unusable(format!(
                    "the database already has {} tables, such as {}",
                    tables.len(),
                    first.name
                ))),
            }
        }
    }
}

#[macros::boxed]
impl<'a> Restore<'a> {
    /// Restores an empty database from a copy.
    pub async fn begin(address: &'a Address, config: &'a Config, copy: &Path) -> Result<Self, Error> {
        let restore = Self { address, config };
        match address {
            Address::Sqlite(path) => {
                let (copy, partial) = (copy.to_owned(), with_ending(path, PARTIAL_SUFFIX));
                run_blocking(move || copy_file(&copy, &partial)).await?;
            }
            Address::Postgres(url) => PgTools::for_database(config, url)?.restore(copy).await?,
        }
        Ok(restore)
    }

    /// Opens the restored content.
    pub async fn snapshot(&self) -> Result<DatabaseCopy, Error> {
        match self.address {
            Address::Sqlite(path) => DatabaseCopy::open_file(&with_ending(path, PARTIAL_SUFFIX)).await,
            Address::Postgres(url) => DatabaseCopy::open_server(url, self.config).await,
        }
    }

    /// Renames the restored file to its final name.
    pub fn finish(self) -> Result<(), Error> {
        let Address::Sqlite(path) = self.address else { return Ok(()) };
        let partial = with_ending(path, PARTIAL_SUFFIX);
        std::fs::rename(&partial, path).map_err(|error| io_error("created", path, &error))?;
        // A file name is durable once its folder has been synced.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| io_error("written", folder, &error))
    }
}

impl Drop for Restore<'_> {
    /// Removes an unfinished file. On PostgreSQL the restored tables stay: dropping databases is up to the operator.
    fn drop(&mut self) {
        if let Address::Sqlite(path) = self.address {
            let _ = std::fs::remove_file(with_ending(path, PARTIAL_SUFFIX));
        }
    }
}

/// Copies a file durably. Only its owner can read the copy.
fn copy_file(from: &Path, to: &Path) -> Result<(), Error> {
    let mut source = File::open(from).map_err(|error| io_error("read", from, &error))?;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut target = options.open(to).map_err(|error| io_error("written", to, &error))?;
    let copied = std::io::copy(&mut source, &mut target).and_then(|_| target.sync_all());
    copied.map_err(|error| io_error("written", to, &error))
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn io_error(done: &str, file: &Path, error: &std::io::Error) -> Error {
    Error::Unusable(format!("{} cannot be {done}: {error}", file.display()))
}
