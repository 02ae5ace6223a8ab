//! An S3-speaking server on loopback: moto, from PyPI.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running server with one bucket. It hangs on a pipe of the test process, so that it goes when the tests go, however
/// they go.
pub struct S3Server {
    server: Child,
    port: u16,
}

impl S3Server {
    /// The bucket that is there.
    pub const BUCKET: &str = "keepclear";

    /// Starts one; the first time ever, fetches what it needs.
    pub fn start() -> Result<Self, String> {
        let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools");
        let ensured = Command::new(tools.join("ensure-s3"))
            .output()
            .map_err(|error| format!("tools/ensure-s3 did not start: {error}"))?;
        if !ensured.status.success() {
            return Err(String::from_utf8_lossy(&ensured.stderr).into_owned());
        }
        let python = String::from_utf8_lossy(&ensured.stdout);
        let mut server = Command::new(python.trim())
            .arg(tools.join("s3/server.py"))
            .arg(Self::BUCKET)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{}: {error}", python.trim()))?;
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

    /// Where it listens.
    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        // Closing the pipe is the signal.
        drop(self.server.stdin.take());
        let _ = self.server.wait();
    }
}
