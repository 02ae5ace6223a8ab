//! A node of ClickHouse on loopback, from npm. It can be killed, frozen and emptied.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

use crate::supervised::free_port;
use crate::temporary_folder;

/// A node. It reads from a pipe of the test process and stops when the pipe closes, however the process ends.
pub struct ClickHouseNode {
    library: String,
    folder: TempDir,
    http_port: u16,
    native_port: u16,
    /// None while it is killed.
    server: Mutex<Option<Child>>,
}

impl ClickHouseNode {
    pub const DATABASE: &str = "keepclear";
    pub const USER: &str = "keepclear";
    pub const PASSWORD: &str = "keepclear";

    /// Starts an empty node. The first start fetches what it needs.
    pub fn start() -> Result<Self, String> {
        let ensured = Command::new(tools().join("ensure-clickhouse"))
            .output()
            .map_err(|error| format!("tools/ensure-clickhouse did not start: {error}"))?;
        if !ensured.status.success() {
            return Err(String::from_utf8_lossy(&ensured.stderr).into_owned());
        }
        let library = String::from_utf8_lossy(&ensured.stdout).trim().to_owned();
        let (http_port, native_port) = (free_port()?, free_port()?);
        let node =
            Self { library, folder: temporary_folder(), http_port, native_port, server: Mutex::new(None) };
        node.restart()?;
        Ok(node)
    }

    /// Returns the address of its HTTP interface.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.http_port)
    }

    /// Returns host and port of its native interface.
    pub fn native(&self) -> String {
        format!("127.0.0.1:{}", self.native_port)
    }

    /// Kills the node, as if its host had failed. What was on disk stays.
    pub fn kill(&self) {
        if let Some(mut server) = self.server().take() {
            let _ = server.kill();
            let _ = server.wait();
        }
    }

    /// Starts the node again over its data, and waits until it answers.
    pub fn restart(&self) -> Result<(), String> {
        self.kill();
        let mut server = Command::new("python3")
            .arg(tools().join("clickhouse/server.py"))
            .arg(&self.library)
            .arg(self.folder.path())
            .args([self.http_port.to_string(), self.native_port.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("python3: {error}"))?;
        let mut line = String::new();
        if let Some(output) = server.stdout.take() {
            BufReader::new(output).read_line(&mut line).map_err(|error| error.to_string())?;
        }
        if line.trim() != "ready" {
            let _ = server.kill();
            let _ = server.wait();
            return Err(format!("ClickHouse did not say that it is ready but {line:?}"));
        }
        *self.server() = Some(server);
        Ok(())
    }

    /// Kills the node and deletes its data.
    pub fn empty(&self) -> Result<(), String> {
        self.kill();
        fs::remove_dir_all(self.folder.path().join("data")).map_err(|error| error.to_string())
    }

    /// Stops the node without ending it: its connections stay open and nothing answers.
    pub fn freeze(&self) -> Result<(), String> {
        self.signal("-STOP")
    }

    /// Lets a frozen node go on.
    pub fn thaw(&self) -> Result<(), String> {
        self.signal("-CONT")
    }

    fn signal(&self, signal: &str) -> Result<(), String> {
        let Some(pid) = self.server().as_ref().map(Child::id) else {
            return Err("the node is not running".to_owned());
        };
        let sent = Command::new("kill").args([signal, &pid.to_string()]).status();
        match sent {
            Ok(status) if status.success() => Ok(()),
            other => Err(format!("kill {signal} {pid}: {other:?}")),
        }
    }

    fn server(&self) -> std::sync::MutexGuard<'_, Option<Child>> {
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ClickHouseNode {
    fn drop(&mut self) {
        self.kill();
    }
}

fn tools() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools")
}
