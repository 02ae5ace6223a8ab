//! PostgreSQL's own programs, which alone know all that a database holds: `pg_dump` and `pg_restore`.

use std::ffi::OsStr;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::dialect::backup;
use crate::{Config, Error};

/// Where Debian's packages put programs, by version.
const DEBIAN_BIN_ROOT: &str = "/usr/lib/postgresql";

/// How much a program that fails may say about it.
const MAX_STDERR_BYTES: u64 = 64 * 1024;

/// The programs, and the database they work on.
pub(super) struct PgTools {
    bin_dir: Option<PathBuf>,
    environment: Vec<(&'static str, String)>,
}

impl PgTools {
    /// Finds them for a database.
    pub fn for_database(config: &Config, url: &str) -> Result<Self, Error> {
        Ok(Self { bin_dir: find_bin_dir(config)?, environment: backup::pg_environment(url)? })
    }

    /// Finds them for no database at all: to read a dump.
    pub fn for_reading(config: &Config) -> Result<Self, Error> {
        Ok(Self { bin_dir: find_bin_dir(config)?, environment: Vec::new() })
    }

    /// Writes everything that a snapshot sees into a file. Whoever exported the snapshot holds it meanwhile.
    pub async fn dump(self, snapshot: &str, file: &Path) -> Result<(), Error> {
        let mut command = self.command("pg_dump");
        command.args(["--format=custom", "--no-password", "--snapshot", snapshot, "--file"]).arg(file);
        run(command).await
    }

    /// Brings a dump into a database, all of it or nothing.
    pub async fn restore(self, file: &Path) -> Result<(), Error> {
        let mut command = self.command("pg_restore");
        // Whoever restores owns what is restored, whatever users there were where it was dumped.
        command.args(["--single-transaction", "--no-owner", "--no-privileges", "--no-password", "--dbname"]);
        command.arg(self.connection_string()).arg(file);
        run(command).await
    }

    /// Begins to write out a dump as text.
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
        // What it says is matched by nobody, but read by someone who asked us, in English.
        command.env("LC_MESSAGES", "C").envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The database by name, in the form that cannot be taken for anything else; the rest stands in the environment.
    fn connection_string(&self) -> String {
        let name =
            self.environment.iter().find(|(name, _)| *name == "PGDATABASE").map_or("", |(_, value)| value);
        format!("dbname='{}'", name.replace('\\', "\\\\").replace('\'', "\\'"))
    }
}

/// The configured folder; else none if they are on the PATH, or the newest of Debian's.
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
    versions.sort();
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
        ErrorKind::NotFound => format!("there is no program {program}; see database.pg_bin_dir"),
        _ => format!("{program} does not start: {error}"),
    })
}

/// Runs a program to its end; ends it when nobody waits for it any more.
async fn run(mut command: Command) -> Result<(), Error> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| spawn_error(&command, &error))?;
    let words = child.stderr.take().map(collect_stderr);
    let child = Arc::new(Mutex::new(child));
    let _ended = KillOnDrop(Arc::clone(&child));
    let program = command.get_program().to_string_lossy().into_owned();
    run_blocking(move || {
        // It is silent when it is over. Until then the child is left for whoever may have to end it.
        let words = words.and_then(|words| words.join().ok()).unwrap_or_default();
        match child.lock().unwrap_or_else(PoisonError::into_inner).wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err(Error::Unusable(format!("{program} failed: {words}"))),
            Err(error) => Err(Error::Unusable(format!("{program}: {error}"))),
        }
    })
    .await
}

/// A program that does not go on when the command that called it is interrupted.
struct KillOnDrop(Arc<Mutex<Child>>);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).kill();
    }
}

/// Reads what a program says about its failure, on a thread of its own, so that it never waits to be heard.
pub(super) fn collect_stderr(stderr: ChildStderr) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut words = Vec::new();
        let mut stderr = stderr;
        let _ = stderr.by_ref().take(MAX_STDERR_BYTES).read_to_end(&mut words);
        let _ = std::io::copy(&mut stderr, &mut std::io::sink());
        String::from_utf8_lossy(&words).trim_end().to_owned()
    })
}

/// Runs what blocks on a thread where it may.
pub(super) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(error) => Err(Error::Unusable(format!("it came to an end: {error}"))),
    }
}
