//! Programs that end together with the test process, however that ends.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

/// Runs a program and says its process id. Waits until its standard input closes, which happens however the test process ends; then kills
/// the program and, by its file of process ids, the PostgreSQL that it may have started.
const SUPERVISOR: &str = r#"
trap '' INT TERM HUP
log=$1 postmaster=$2
shift 2
"$@" >>"$log" 2>&1 </dev/null &
program=$!
echo "$program"
cat >/dev/null
kill -KILL "$program" 2>/dev/null
wait "$program" 2>/dev/null
server=$(head -n 1 "$postmaster" 2>/dev/null)
# The number may be that of another process by now.
[ -n "$server" ] && [ "$(cat "/proc/$server/comm" 2>/dev/null)" = postgres ] || exit 0
for process in $(cat "/proc/$server/task/$server/children") "$server"; do kill -CONT "$process"; done 2>/dev/null
kill -QUIT "$server" 2>/dev/null
for attempt in 1 2 3 4 5 6 7 8 9 10; do
    [ "$(cat "/proc/$server/comm" 2>/dev/null)" = postgres ] || exit 0
    sleep 0.2
done
"#;

/// A running program.
pub(crate) struct Supervised {
    supervisor: Child,
    pub pid: u32,
}

impl Supervised {
    /// Starts a program, whose output goes to a file.
    pub fn start(command: &[String], log: &Path) -> Result<Self, String> {
        Self::start_with_postgres(command, log, Path::new("/nonexistent"))
    }

    /// Starts a program that itself starts PostgreSQL, whose process id is the first line of a file.
    pub fn start_with_postgres(command: &[String], log: &Path, postmaster: &Path) -> Result<Self, String> {
        let mut supervisor = Command::new("sh")
            .args(["-c", SUPERVISOR, "keepclear-tests"])
            .arg(log)
            .arg(postmaster)
            .args(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("the supervisor did not start: {error}"))?;
        let mut line = String::new();
        if let Some(output) = supervisor.stdout.take() {
            BufReader::new(output).read_line(&mut line).map_err(|error| error.to_string())?;
        }
        let pid = line.trim().parse().map_err(|_| format!("{command:?} did not start: {line:?}"))?;
        Ok(Self { supervisor, pid })
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        // Closing the pipe tells the supervisor to stop.
        drop(self.supervisor.stdin.take());
        let _ = self.supervisor.wait();
    }
}

/// Sends a signal to processes, some of which may be gone.
pub(crate) fn send_signal(signal: &str, pids: &[u32]) {
    let pids = pids.iter().map(u32::to_string);
    let _ = Command::new("kill").arg(signal).args(pids).stderr(Stdio::null()).status();
}

/// Returns the processes that a process has started and that still run.
pub(crate) fn children_of(pid: u32) -> Vec<u32> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|child| child.parse().ok()).collect()
}

/// The first of the ports for programs, and how many there are. Linux gives ports from 32768 on to connections and to whoever asks for any
/// port, so that nobody takes one of these before its program listens.
const FIRST_PORT: u16 = 20_000;
const PORTS: u16 = 12_000;

/// Returns a port that nobody listens on, each time another one.
pub(crate) fn free_port() -> Result<u16, String> {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Another test process begins elsewhere.
    let first = std::process::id().wrapping_mul(101);
    for _ in 0..PORTS {
        let number = first.wrapping_add(u32::from(NEXT.fetch_add(1, Ordering::Relaxed))) % u32::from(PORTS);
        let port = FIRST_PORT + number as u16;
        if TcpListener::bind(loopback(port)).is_ok() {
            return Ok(port);
        }
    }
    Err("no port is free".to_owned())
}

pub(crate) fn loopback(port: u16) -> SocketAddr {
    ([127, 0, 0, 1], port).into()
}

/// Waits until something is so, for two minutes and more.
pub(crate) fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) -> Result<(), String> {
    for _ in 0..2_400 {
        if is_so() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Err(format!("waited in vain for {what}"))
}

/// Sends an HTTP request without a body and returns the status and the body of the response, if there is one in time.
pub(crate) fn request(address: SocketAddr, method: &str, path: &str) -> Option<(u16, String)> {
    let limit = Duration::from_secs(2);
    let mut stream = TcpStream::connect_timeout(&address, limit).ok()?;
    stream.set_read_timeout(Some(limit)).ok()?;
    let head = format!(
        "{method} {path} HTTP/1.0\r\nHost: {address}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).ok()?;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split_whitespace().nth(1)?.parse().ok()?;
    Some((status, body.to_owned()))
}

/// Panics in `make test`, where nothing is fetched, about a program that is not on every machine (`tools/test-parts`).
#[track_caller]
#[expect(clippy::disallowed_methods, reason = "make test says it to the tests, not to the service")]
pub fn needs_fetched(program: &str) {
    assert!(
        std::env::var_os("KEEPCLEAR_NOTHING_FETCHED").is_none(),
        "{program} is not on every machine: name this test in tools/test-parts/fetched, so that only make test-all runs it"
    );
}

/// Runs one of the programs that fetch what the tests need, and returns the path that it prints.
pub(crate) fn ensure(tool: &str) -> Result<PathBuf, String> {
    needs_fetched(tool);
    let ensured = Command::new(tools().join(tool))
        .output()
        .map_err(|error| format!("tools/{tool} did not start: {error}"))?;
    match ensured.status.success() {
        true => Ok(PathBuf::from(String::from_utf8_lossy(&ensured.stdout).trim())),
        false => Err(String::from_utf8_lossy(&ensured.stderr).into_owned()),
    }
}

pub(crate) fn tools() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_ends_when_it_is_dropped() {
        let folder = crate::temporary_folder();
        let command = ["sleep", "600"].map(str::to_owned);
        let sleeping = Supervised::start(&command, &folder.path().join("log")).unwrap();
        let process = format!("/proc/{}", sleeping.pid);
        assert!(Path::new(&process).exists());
        drop(sleeping);
        assert!(!Path::new(&process).exists());
    }

    #[test]
    fn each_port_is_another_one_that_the_system_gives_to_nobody() {
        let ports = [free_port().unwrap(), free_port().unwrap()];
        assert_ne!(ports[0], ports[1]);
        assert!(ports.iter().all(|port| (FIRST_PORT..FIRST_PORT + PORTS).contains(port)), "{ports:?}");
    }
}
