//! Runs `pg_dump` and `pg_restore`, the only tools that know everything a PostgreSQL database contains.

use domain::sorted;
use std::ffi::OsStr;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::dialect::pg_environment::pg_environment;
use crate::{Config, Error};

/// Folder of Debian's PostgreSQL packages, with a subfolder for each version.
const DEBIAN_BIN_ROOT: &str = "/usr/lib/postgresql";

/// Maximum size of a tool's error output that is reported.
const MAX_STDERR_BYTES: u64 = 64 * 1024;

/// The location of the tools and the environment variables of their connection.
pub(super) struct PgTools {
    bin_dir: Option<PathBuf>,
    environment: Vec<(&'static str, String)>,
}

#[macros::boxed]
impl PgTools {
    /// Finds the tools for a database.
    pub fn for_database(config: &Config, url: &str) -> Result<Self, Error> {
        Ok(Self { bin_dir: find_bin_dir(config)?, environment: pg_environment(url)? })
    }

    /// Finds the tools without a database, to read a dump.
    pub fn for_reading(config: &Config) -> Result<Self, Error> {
        Ok(Self { bin_dir: find_bin_dir(config)?, environment: Vec::new() })
    }

    /// Writes everything that a snapshot sees into a file. The transaction that exported the snapshot must stay open meanwhile.
    pub async fn dump(self, snapshot: &str, file: &Path) -> Result<(), Error> {
        let mut command = self.command("pg_dump");
        command.args(["--format=custom", "--no-password", "--snapshot", snapshot, "--file"]).arg(file);
        run(command).await
    }

    /// Restores a dump into a database, completely or not at all.
    pub async fn restore(self, file: &Path) -> Result<(), Error> {
        let mut command = self.command("pg_restore");
        // The user who restores owns everything, whatever users the dumped database had.
        command.args(["--single-transaction", "--no-owner", "--no-privileges", "--no-password", "--dbname"]);
        command.arg(self.connection_string()).arg(file);
        run(command).await
    }

    /// Starts writing a dump as text to stdout.
    pub fn spawn_text_dump(&self, file: &Path) -> Result<Child, Error> {
        let mut command = self.command("pg_restore");
        command.args(["--file=-", "--no-owner", "--no-privileges"]).arg(file);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map_err(|error| spawn_error(&command, &error))
    }

    fn command(&self, name: &str) -> Command {
        let mut command = match &self.bin_dir {
            Some(folder) => Command::new(folder.join(name)),
            None => Command::new(name),
        };
        // Its messages are reported to the operator in English.
        command.env("LC_MESSAGES", "C").envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Returns the database name in a form that cannot be taken for anything else; the rest is in the environment.
    fn connection_string(&self) -> String {
        let name =
            self.environment.iter().find(|(name, _)| *name == "PGDATABASE").map_or("", |(_, value)| value);
        format!("dbname='{}'", name.replace('\\', "\\\\").replace('\'', "\\'"))
    }
}

/// Returns the configured folder, or none if the tools are on the PATH, or else the newest of Debian's folders.
fn find_bin_dir(config: &Config) -> Result<Option<PathBuf>, Error> {
    if !config.pg_bin_dir.as_os_str().is_empty() {
        return Ok(Some(config.pg_bin_dir.clone()));
    }
    let is_there = |program: &OsStr| {
        let mut command = Command::new(program);
        command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if is_there(OsStr::new("pg_dump")) && is_there(OsStr::new("pg_restore")) {
        return Ok(None);
    }
    let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir(DEBIAN_BIN_ROOT)
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            Some((path.file_name()?.to_str()?.parse().ok()?, path.join("bin")))
        })
        .collect();
    sorted::sort(&mut versions);
    let whole = |folder: &PathBuf| ["pg_dump", "pg_restore"].iter().all(|name| folder.join(name).is_file());
    let found = versions.into_iter().rev().map(|(_, folder)| folder).find(whole);
    found.map(Some).ok_or_else(|| {
        let reason = "pg_dump and pg_restore are not installed (Debian: apt-get install postgresql-client)";
        Error::Unusable(format!("{reason}; if they are elsewhere, set database.pg_bin_dir"))
    })
}

fn spawn_error(command: &Command, error: &std::io::Error) -> Error {
    let program = command.get_program().to_string_lossy();
    Error::Unusable(match error.kind() {
        ErrorKind::NotFound => format!("the program {program} does not exist; see database.pg_bin_dir"),
        _ => format!("{program} cannot be started: {error}"),
    })
}

/// Runs a program to its end. If the future is dropped, the program is killed.
async fn run(mut command: Command) -> Result<(), Error> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| spawn_error(&command, &error))?;
    let stderr = child.stderr.take().map(collect_stderr);
    let child = Arc::new(Mutex::new(child));
    let _ended = KillOnDrop(Arc::clone(&child));
    let program = command.get_program().to_string_lossy().into_owned();
    run_blocking(move || {
        // Its stderr closes when it ends. Until then the lock on the child is free, so that the child can be killed.
        let stderr = stderr.and_then(|stderr| stderr.join().ok()).unwrap_or_default();
        match child.lock().unwrap_or_else(PoisonError::into_inner).wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err(Error::Unusable(format!("{program} failed: {stderr}"))),
            Err(error) => Err(Error::Unusable(format!("{program}: {error}"))),
        }
    })
    .await
}

/// Kills a program when the command that started it is interrupted.
struct KillOnDrop(Arc<Mutex<Child>>);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).kill();
    }
}

/// Reads the error output of a program on a separate thread, so that the program never blocks on a full pipe.
pub(super) fn collect_stderr(stderr: ChildStderr) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut stderr = stderr;
        let _ = stderr.by_ref().take(MAX_STDERR_BYTES).read_to_end(&mut bytes);
        let _ = std::io::copy(&mut stderr, &mut std::io::sink());
        String::from_utf8_lossy(&bytes).trim_end().to_owned()
    })
}

/// Runs blocking work on a thread that may block.
pub(super) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(error) => Err(Error::Unusable(format!("a background task failed: {error}"))),
    }
}
