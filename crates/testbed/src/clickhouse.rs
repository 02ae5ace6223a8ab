//! A node of ClickHouse on loopback, from npm. It can be killed, frozen and emptied.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use serde_json::json;
use tempfile::TempDir;

use crate::supervised::{ensure, free_port, tools};
use crate::{Certificate, temporary_folder};

/// A node. It reads from a pipe of the test process and stops when the pipe closes, however the process ends.
pub struct ClickHouseNode {
    library: String,
    folder: TempDir,
    http_port: u16,
    native_port: u16,
    more_users: Vec<(String, Vec<String>)>,
    tls: Option<TlsPorts>,
    /// None while it is killed.
    server: Mutex<Option<Child>>,
}

/// The ports of a node that speak TLS.
struct TlsPorts {
    http: u16,
    native: u16,
}

/// The file with the authority that a node trusts.
const AUTHORITY: &str = "authority.pem";

impl ClickHouseNode {
    pub const DATABASE: &str = "keepclear";
    pub const USER: &str = "keepclear";
    pub const PASSWORD: &str = "keepclear";

    /// Starts an empty node. The first start fetches what it needs.
    pub fn start() -> Result<Self, String> {
        Self::start_with(Vec::new(), None)
    }

    /// Starts a node that has more users, with the password of the first. Each has the rights that these texts grant after the word
    /// `grant`, such as `select on keepclear.*`, even those that servers give to everyone unless they are configured otherwise.
    pub fn start_with_users(users: Vec<(String, Vec<String>)>) -> Result<Self, String> {
        Self::start_with(users, None)
    }

    /// Starts a node that speaks TLS. As a client it trusts the authority of its own certificate, and no other.
    pub fn start_with_tls(certificate: &Certificate) -> Result<Self, String> {
        Self::start_with(Vec::new(), Some(certificate))
    }

    fn start_with(
        more_users: Vec<(String, Vec<String>)>,
        certificate: Option<&Certificate>,
    ) -> Result<Self, String> {
        let library = ensure("ensure-clickhouse")?.display().to_string();
        let (folder, http_port, native_port) = (temporary_folder(), free_port()?, free_port()?);
        let tls = match certificate {
            Some(certificate) => {
                let files = [
                    ("certificate.pem", certificate.pem()),
                    ("key.pem", certificate.key_pem()),
                    (AUTHORITY, certificate.authority().to_owned()),
                ];
                for (name, pem) in files {
                    fs::write(folder.path().join(name), pem).map_err(|error| error.to_string())?;
                }
                Some(TlsPorts { http: free_port()?, native: free_port()? })
            }
            None => None,
        };
        let server = Mutex::new(None);
        let node = Self { library, folder, http_port, native_port, more_users, tls, server };
        node.restart()?;
        Ok(node)
    }

    /// Returns the address of its HTTP interface.
    pub fn url(&self) -> String {
        match &self.tls {
            Some(ports) => format!("https://localhost:{}", ports.http),
            None => format!("http://127.0.0.1:{}", self.http_port),
        }
    }

    /// Returns host and port of its native interface.
    pub fn native(&self) -> String {
        match &self.tls {
            Some(ports) => format!("localhost:{}", ports.native),
            None => format!("127.0.0.1:{}", self.native_port),
        }
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
        let users: serde_json::Map<_, _> =
            self.more_users.iter().map(|(name, grants)| (name.clone(), json!(grants))).collect();
        let tls_ports = self.tls.as_ref().map(|ports| json!({ "http": ports.http, "native": ports.native }));
        let mut server = Command::new("python3")
            .arg(tools().join("clickhouse/server.py"))
            .arg(&self.library)
            .arg(self.folder.path())
            .args([self.http_port.to_string(), self.native_port.to_string()])
            .arg(json!({ "users": users, "tls_ports": tls_ports }).to_string())
            // Where OpenSSL looks for the authorities that the operating system trusts.
            .env("SSL_CERT_FILE", self.folder.path().join(AUTHORITY))
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
