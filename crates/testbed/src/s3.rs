//! An S3-compatible server on loopback: moto, from PyPI.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::supervised::{ensure, tools};

/// A running server with one bucket. It reads from a pipe of the test process and stops when the pipe closes, however the process ends.
pub struct S3Server {
    server: Child,
    port: u16,
}

impl S3Server {
    pub const BUCKET: &str = "keepclear";

    /// Starts a server. The first start installs what it needs.
    pub fn start() -> Result<Self, String> {
        let python = ensure("ensure-s3")?;
        let mut server = Command::new(&python)
            .arg(tools().join("s3/server.py"))
            .arg(Self::BUCKET)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{}: {error}", python.display()))?;
        let mut line = String::new();
        if let Some(output) = server.stdout.take() {
            BufReader::new(output).read_line(&mut line).map_err(|error| error.to_string())?;
        }
        let port = line.trim().parse().map_err(|_| format!("moto did not say its port but {line:?}"));
        match port {
            Ok(port) => Ok(Self { server, port }),
            Err(reason) => {
                let _ = server.kill();
                let _ = server.wait();
                Err(reason)
            }
        }
    }

    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        // Closing the pipe tells the server to stop.
        drop(self.server.stdin.take());
        let _ = self.server.wait();
    }
}
