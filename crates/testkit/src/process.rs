//! Runs the real program in a process of its own and sends raw HTTP to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use crate::database::{Database, INSTALLATION_KEY};

/// `keepclear serve` or `keepclear worker` in a process of its own, killed when the test ends.
pub struct Process {
    child: Child,
    /// The address it listens on; unspecified for a worker.
    pub address: SocketAddr,
    log: std::thread::JoinHandle<String>,
}

impl Process {
    /// Starts the program on a free port and waits until it serves.
    pub fn serve(program: &Path, database: &Database, settings: &[(&str, &str)]) -> Self {
        Self::serve_with(program, database, settings, &[])
    }

    /// The same with extra arguments.
    pub fn serve_with(
        program: &Path,
        database: &Database,
        settings: &[(&str, &str)],
        extra_arguments: &[&str],
    ) -> Self {
        Self::serve_at(program, database, settings, (Ipv4Addr::LOCALHOST, 0).into(), extra_arguments)
    }

    /// The same at an address, such as that of a program that has ended.
    pub fn serve_at(
        program: &Path,
        database: &Database,
        settings: &[(&str, &str)],
        listen: SocketAddr,
        extra_arguments: &[&str],
    ) -> Self {
        let mut command = command(program, database, settings);
        command.args(["serve", "--listen", &listen.to_string()]);
        Self::start(command.args(extra_arguments), "serving on http://", |rest| {
            let address = rest.split_whitespace().next().expect("an address");
            address.parse().expect("an address")
        })
    }

    /// Starts a worker and waits until it is ready.
    pub fn start_worker(program: &Path, database: &Database, settings: &[(&str, &str)]) -> Self {
        let mut command = command(program, database, settings);
        Self::start(command.arg("worker"), "working with ", |_| (Ipv4Addr::UNSPECIFIED, 0).into())
    }

    /// Starts a command and waits until it logs the ready message.
    fn start(command: &mut Command, ready_message: &str, address: impl FnOnce(&str) -> SocketAddr) -> Self {
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let mut before = String::new();
        let address = loop {
            let Some(Ok(line)) = lines.next() else { panic!("it did not come to work:\n{before}") };
            if let Some((_, rest)) = line.split_once(ready_message) {
                break address(rest);
            }
            before.push_str(&line);
            before.push('\n');
        };
        // The pipe must be drained, or the program would block when it is full.
        let log = std::thread::spawn(move || {
            lines.map_while(Result::ok).fold(String::new(), |log, line| log + &line + "\n")
        });
        Self { child, address, log }
    }

    /// Runs another command of the program and waits for its end.
    pub fn run(program: &Path, database: &Database, arguments: &[&str], input: &str) -> Output {
        Self::run_with(program, database, &[], arguments, input)
    }

    /// The same with settings.
    pub fn run_with(
        program: &Path,
        database: &Database,
        settings: &[(&str, &str)],
        arguments: &[&str],
        input: &str,
    ) -> Output {
        let mut child = command(program, database, settings)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        // A command that fails early closes the pipe before it is written to; only its result matters.
        let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
        child.wait_with_output().expect("it ends")
    }

    /// Starts a command and kills it after some time, unless it has ended.
    pub fn run_and_kill(
        program: &Path,
        database: &Database,
        settings: &[(&str, &str)],
        arguments: &[&str],
        after: Duration,
    ) {
        let mut child = command(program, database, settings)
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(after);
        let _ = child.kill();
        let _ = child.wait();
    }

    /// Sends a request and returns the whole response as text.
    pub fn send_raw(&self, request: &str) -> String {
        send_raw_http(self.address, request.as_bytes())
    }

    pub fn resident_kib(&self) -> u64 {
        self.memory_kib("VmRSS:")
    }

    pub fn peak_resident_kib(&self) -> u64 {
        self.memory_kib("VmHWM:")
    }

    fn memory_kib(&self, kind: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix(kind)).expect("a line for it");
        line.trim().trim_end_matches(" kB").trim().parse().expect("a number")
    }

    /// Sends a signal.
    pub fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().expect("kill is installed");
        assert!(sent.success(), "the signal was sent");
    }

    /// Sends a signal, waits for the end and returns the exit status and the log.
    pub fn stop(mut self, signal: &str) -> (std::process::ExitStatus, String) {
        self.signal(signal);
        let status = self.child.wait().expect("it ends");
        let log = std::mem::replace(&mut self.log, std::thread::spawn(String::new));
        (status, log.join().unwrap_or_default())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(program: &Path, database: &Database, settings: &[(&str, &str)]) -> Command {
    let mut command = Command::new(program);
    command
        .arg("--data")
        .arg(database.folder())
        .args(["--database", database.url()])
        .env("KEEPCLEAR__AUTH__ARGON2__MEMORY_KIB", "8")
        .env("KEEPCLEAR__AUTH__ARGON2__ITERATIONS", "1")
        .env("KEEPCLEAR__INSTALLATION__KEY", INSTALLATION_KEY)
        .envs(settings.iter().copied());
    command
}

/// Sends bytes to a server and reads until it closes the connection.
pub fn send_raw_http(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout");
    // A server that refuses early may close before everything is written; only its response matters.
    let _ = stream.write_all(request);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}
