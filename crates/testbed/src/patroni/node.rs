//! One machine of the cluster: a Patroni with its PostgreSQL, and the ways that lead to and from it.

use std::fs;
use std::io::Write;
use std::net::SocketAddr;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::json;

use crate::TcpProxy;
use crate::postgres::RunAs;
use crate::supervised::{Supervised, children_of, free_port, loopback, request, send_signal, tools};

pub(super) struct Node {
    pub name: String,
    /// Holds the data and the socket of PostgreSQL.
    folder: PathBuf,
    command: Vec<String>,
    patroni: Mutex<Option<Supervised>>,
    rest: SocketAddr,
    postgres_port: u16,
    pub ways: Ways,
}

/// What leads through the network. Everything of a node goes through these, so that it can be cut off.
pub(super) struct Ways {
    /// From hosts and standbys to PostgreSQL.
    pub postgres: TcpProxy,
    /// From the checks of HAProxy to Patroni.
    pub checks: TcpProxy,
    /// From other nodes to Patroni.
    pub peers: TcpProxy,
    /// From Patroni to etcd.
    pub etcd: TcpProxy,
}

impl Ways {
    pub fn all(&self) -> [&TcpProxy; 4] {
        [&self.postgres, &self.checks, &self.peers, &self.etcd]
    }
}

/// What all nodes have in common.
pub(super) struct Common<'a> {
    /// The folder of tools/ensure-failover.
    pub patroni: &'a Path,
    /// The folder of PostgreSQL's programs.
    pub postgres: &'a Path,
    pub run_as: &'a RunAs,
    pub etcd: &'a [SocketAddr],
}

impl Node {
    /// Prepares a node in a folder that does not exist yet.
    pub fn new(name: String, folder: PathBuf, common: &Common<'_>) -> Result<Self, String> {
        let text = |error: std::io::Error| format!("{}: {error}", folder.display());
        let (rest, postgres_port) = (loopback(free_port()?), free_port()?);
        let ways = Ways {
            postgres: TcpProxy::start(vec![loopback(postgres_port)])?,
            checks: TcpProxy::start(vec![rest])?,
            peers: TcpProxy::start(vec![rest])?,
            etcd: TcpProxy::start(common.etcd.to_vec())?,
        };
        let settings = json!({
            "name": name,
            "folder": folder.to_string_lossy(),
            "programs": common.postgres.to_string_lossy(),
            "rest": rest.to_string(),
            "advertised_rest": ways.peers.address().to_string(),
            "postgres": loopback(postgres_port).to_string(),
            "advertised_postgres": ways.postgres.address().to_string(),
            "etcd": [ways.etcd.address().to_string()],
        });
        let python = common.patroni.join("bin/python");
        let configuration = documented_configuration(&python, &settings.to_string())?;
        let file = folder.join("patroni.yml");
        fs::create_dir(&folder).map_err(text)?;
        fs::write(&file, configuration).map_err(text)?;
        if let RunAs::OtherUser { uid, gid } = common.run_as {
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).map_err(text)?;
            for path in [&folder, &file] {
                chown(path, Some(*uid), Some(*gid)).map_err(text)?;
            }
        }
        let mut command = prefix(common.run_as);
        command.extend([
            python.to_string_lossy().into_owned(),
            "-m".to_owned(),
            "patroni".to_owned(),
            file.to_string_lossy().into_owned(),
        ]);
        Ok(Self { name, folder, command, patroni: Mutex::new(None), rest, postgres_port, ways })
    }

    /// Starts Patroni, which starts PostgreSQL.
    pub fn start(&self) -> Result<(), String> {
        let (log, postmaster) = (self.log(), self.folder.join("data/postmaster.pid"));
        let started = Supervised::start_with_postgres(&self.command, &log, &postmaster)?;
        *self.patroni() = Some(started);
        Ok(())
    }

    /// Kills PostgreSQL. Patroni goes on.
    pub fn kill_postgres(&self) {
        send_signal("-KILL", &self.postmaster().into_iter().collect::<Vec<_>>());
    }

    /// Kills everything, as if the machine had lost its power.
    pub fn kill(&self) {
        let patroni = self.patroni().take();
        let pids = patroni.as_ref().map(|patroni| patroni.pid).into_iter().chain(self.postmaster());
        send_signal("-KILL", &pids.collect::<Vec<_>>());
    }

    /// Stops everything without ending it.
    pub fn freeze(&self) {
        let patroni = self.patroni().as_ref().map(|patroni| patroni.pid);
        let postmaster = self.postmaster();
        // In this order nothing can start another process.
        send_signal("-STOP", &patroni.into_iter().chain(postmaster).collect::<Vec<_>>());
        send_signal("-STOP", &postmaster.map(children_of).unwrap_or_default());
    }

    /// Lets everything go on.
    pub fn thaw(&self) {
        let patroni = self.patroni().as_ref().map(|patroni| patroni.pid);
        let postmaster = self.postmaster();
        send_signal("-CONT", &postmaster.map(children_of).unwrap_or_default());
        send_signal("-CONT", &patroni.into_iter().chain(postmaster).collect::<Vec<_>>());
    }

    /// Asks Patroni itself, not by way of a proxy.
    pub fn ask(&self, path: &str) -> Option<(u16, String)> {
        request(self.rest, "GET", path)
    }

    /// Runs a statement on this node, whatever its role is, and returns what psql prints. A commit that no standby confirms would wait
    /// forever, so that it is given up after so many seconds.
    pub fn run_sql(
        &self,
        programs: &Path,
        database: &str,
        statement: &str,
        patience_s: u32,
    ) -> Result<String, String> {
        let output = Command::new("timeout")
            .arg(patience_s.to_string())
            .arg(programs.join("psql"))
            .args(["-h", &self.folder.to_string_lossy(), "-p", &self.postgres_port.to_string()])
            .args(["-U", "postgres", "-d", database, "-Atqc", statement])
            .env("PGCONNECT_TIMEOUT", patience_s.to_string())
            .output()
            .map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    pub fn log_text(&self) -> String {
        fs::read_to_string(self.log()).unwrap_or_default()
    }

    fn log(&self) -> PathBuf {
        self.folder.join("patroni.log")
    }

    /// Returns the process id of PostgreSQL, if it is running.
    fn postmaster(&self) -> Option<u32> {
        let text = fs::read_to_string(self.folder.join("data/postmaster.pid")).ok()?;
        let pid: u32 = text.lines().next()?.trim().parse().ok()?;
        // After a kill the number may be that of another process.
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
        (name.trim() == "postgres").then_some(pid)
    }

    fn patroni(&self) -> MutexGuard<'_, Option<Supervised>> {
        self.patroni.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the file of docs/fleet.md with the settings of a node.
fn documented_configuration(python: &Path, settings: &str) -> Result<String, String> {
    let mut generator = Command::new(python)
        .arg(tools().join("failover/patroni_config.py"))
        .arg(tools().join("../docs/fleet.md"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{}: {error}", python.display()))?;
    if let Some(mut input) = generator.stdin.take() {
        input.write_all(settings.as_bytes()).map_err(|error| error.to_string())?;
    }
    let output = generator.wait_with_output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// Returns the words with which Patroni runs as another user. That user may read the programs of whoever started the tests.
fn prefix(run_as: &RunAs) -> Vec<String> {
    match run_as {
        RunAs::CurrentUser => Vec::new(),
        RunAs::OtherUser { uid, gid } => vec![
            "setpriv".to_owned(),
            format!("--reuid={uid}"),
            format!("--regid={gid}"),
            "--clear-groups".to_owned(),
            "--inh-caps=+dac_override".to_owned(),
            "--ambient-caps=+dac_override".to_owned(),
            "--".to_owned(),
        ],
    }
}
