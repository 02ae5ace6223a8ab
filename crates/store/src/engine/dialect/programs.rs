//! PostgreSQL's own programs, which alone know all that a database holds: `pg_dump` and `pg_restore`.

use std::ffi::OsStr;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::dialect::copying;
use crate::{Config, Error};

/// Where Debian's packages put programs, by version.
const DEBIAN: &str = "/usr/lib/postgresql";

/// How much a program that fails may say about it.
const MOST_WORDS: u64 = 64 * 1024;

/// The programs, and the database they work on.
pub(super) struct Programs {
    folder: Option<PathBuf>,
    variables: Vec<(&'static str, String)>,
}

impl Programs {
    /// Finds them for a database.
    pub fn find(config: &Config, url: &str) -> Result<Self, Error> {
        Ok(Self { folder: folder(config)?, variables: copying::variables(url)? })
    }

    /// Finds them for no database at all: to read a dump.
    pub fn find_for_reading(config: &Config) -> Result<Self, Error> {
        Ok(Self { folder: folder(config)?, variables: Vec::new() })
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
        command.arg(self.connection()).arg(file);
        run(command).await
    }

    /// Begins to write out a dump as text.
    pub fn write_out(&self, file: &Path) -> Result<Child, Error> {
        let mut command = self.command("pg_restore");
        command.args(["--file=-", "--no-owner", "--no-privileges"]).arg(file);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map_err(|error| missing(&command, &error))
    }

    fn command(&self, name: &str) -> Command {
        let mut command = match &self.folder {
            Some(folder) => Command::new(folder.join(name)),
            None => Command::new(name),
        };
        // What it says is matched by nobody, but read by someone who asked us, in English.
        command.env("LC_MESSAGES", "C").envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The database by name, in the form that cannot be taken for anything else; the rest stands in the environment.
    fn connection(&self) -> String {
        let name =
            self.variables.iter().find(|(name, _)| *name == "PGDATABASE").map_or("", |(_, value)| value);
        format!("dbname='{}'", name.replace('\\', "\\\\").replace('\'', "\\'"))
    }
}

/// The configured folder; else none if they are on the PATH, or the newest of Debian's.
fn folder(config: &Config) -> Result<Option<PathBuf>, Error> {
    if !config.programs.as_os_str().is_empty() {
        return Ok(Some(config.programs.clone()));
    }
    let is_there = |program: &OsStr| {
        let mut command = Command::new(program);
        command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if is_there(OsStr::new("pg_dump")) && is_there(OsStr::new("pg_restore")) {
        return Ok(None);
    }
    let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir(DEBIAN)
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
        Error::Unfit(format!("{reason}; if they are elsewhere, set database.programs"))
    })
}

fn missing(command: &Command, error: &std::io::Error) -> Error {
    let program = command.get_program().to_string_lossy();
    Error::Unfit(match error.kind() {
        ErrorKind::NotFound => format!("there is no program {program}; see database.programs"),
        _ => format!("{program} does not start: {error}"),
    })
}

/// Runs a program to its end; ends it when nobody waits for it any more.
async fn run(mut command: Command) -> Result<(), Error> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| missing(&command, &error))?;
    let words = child.stderr.take().map(listen);
    let child = Arc::new(Mutex::new(child));
    let _ended = EndedWithUs(Arc::clone(&child));
    let program = command.get_program().to_string_lossy().into_owned();
    in_background(move || {
        // It is silent when it is over. Until then the child is left for whoever may have to end it.
        let words = words.and_then(|words| words.join().ok()).unwrap_or_default();
        match child.lock().unwrap_or_else(PoisonError::into_inner).wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err(Error::Unfit(format!("{program} failed: {words}"))),
            Err(error) => Err(Error::Unfit(format!("{program}: {error}"))),
        }
    })
    .await
}

/// A program that does not go on when the command that called it is interrupted.
struct EndedWithUs(Arc<Mutex<Child>>);

impl Drop for EndedWithUs {
    fn drop(&mut self) {
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).kill();
    }
}

/// Reads what a program says about its failure, on a thread of its own, so that it never waits to be heard.
pub(super) fn listen(stderr: ChildStderr) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut words = Vec::new();
        let mut stderr = stderr;
        let _ = stderr.by_ref().take(MOST_WORDS).read_to_end(&mut words);
        let _ = std::io::copy(&mut stderr, &mut std::io::sink());
        String::from_utf8_lossy(&words).trim_end().to_owned()
    })
}

/// Runs what blocks on a thread where it may.
pub(super) async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(error) => Err(Error::Unfit(format!("it came to an end: {error}"))),
    }
}
