//! Three hosts are upgraded one after the other, under load.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use testbed::HaProxy;
use testkit::{Database, Engine, Process, execute_raw_sql, query_raw_sql};

use super::load::Load;
use super::{GENEROUS, print_row};
use crate::ledger::run;
use crate::program;

const HOSTS: usize = 3;
const STATIONS: usize = 6;
const SETTINGS: [(&str, &str); 2] = [GENEROUS[0], ("KEEPCLEAR__SERVER__DRAIN_S", "5")];
/// So often a request that failed is sent again.
const ATTEMPTS: usize = 20;

/// Returns the program of the version before, or this one if there is none.
#[expect(clippy::disallowed_methods, reason = "make soak says where it is")]
fn program_before() -> Option<PathBuf> {
    std::env::var_os("KEEPCLEAR_BEFORE").filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Reads a page without pause until told to stop.
struct Reader {
    is_over: Arc<AtomicBool>,
    /// Requests, and those that were sent again.
    counts: Arc<(AtomicUsize, AtomicUsize)>,
    thread: std::thread::JoinHandle<()>,
}

impl Reader {
    fn start(address: SocketAddr, token: String) -> Self {
        let (is_over, counts) =
            (Arc::new(AtomicBool::new(false)), Arc::new(<(AtomicUsize, AtomicUsize)>::default()));
        let (ends, counted) = (Arc::clone(&is_over), Arc::clone(&counts));
        let thread = std::thread::spawn(move || {
            while !ends.load(Ordering::SeqCst) {
                let needed = (0..ATTEMPTS).find(|attempt| {
                    std::thread::sleep(Duration::from_millis(if *attempt == 0 { 5 } else { 100 }));
                    read(address, &token).is_some_and(|answer| answer.starts_with("HTTP/1.1 200"))
                });
                let needed = needed.unwrap_or_else(|| panic!("a request failed {ATTEMPTS} times"));
                counted.0.fetch_add(1, Ordering::SeqCst);
                counted.1.fetch_add(needed.min(1), Ordering::SeqCst);
            }
        });
        Self { is_over, counts, thread }
    }

    fn stop(self) -> (usize, usize) {
        self.is_over.store(true, Ordering::SeqCst);
        self.thread.join().unwrap();
        (self.counts.0.load(Ordering::SeqCst), self.counts.1.load(Ordering::SeqCst))
    }
}

fn read(address: SocketAddr, token: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    let request = format!(
        "GET /ingest/v1/commands HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// Returns what a program says of its version, and its commit if that is given.
#[expect(
    clippy::disallowed_methods,
    reason = "whoever built the program of before says of which commit it is"
)]
fn describe(program: &Path, database: &Database) -> String {
    let output = Process::run(program, database, &["--version"], "");
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    match std::env::var("KEEPCLEAR_BEFORE_COMMIT") {
        Ok(commit) if !commit.is_empty() => format!("{version} of commit {commit}"),
        _ => version,
    }
}

fn issue_token(program: &Path, database: &Database, number: usize) -> String {
    let name = format!("ST-{number}");
    let issue = ["token", "issue", "--brand", "Acme", "--kind", "station", "--name", &name];
    let output = Process::run(program, database, &issue, "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: make soak"]
async fn three_hosts_are_upgraded_under_load() {
    let before = program_before();
    let old_program = before.as_deref().unwrap_or_else(|| program());
    let first = Database::empty(Engine::Postgres);
    let output = Process::run(old_program, &first, &["brand", "create", "Acme"], "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The balancer leads each token to one host.
    let tokens: Vec<String> = (0..STATIONS).map(|number| issue_token(old_program, &first, number)).collect();
    let databases: Vec<Database> = (0..HOSTS).map(|_| first.on_another_host()).collect();
    let serve = |program: &Path, database: &Database, listen: SocketAddr| {
        Process::serve_at(program, database, &SETTINGS, listen, &[])
    };
    let anywhere: SocketAddr = ([127, 0, 0, 1], 0).into();
    let mut hosts: Vec<Option<Process>> =
        databases.iter().map(|database| Some(serve(old_program, database, anywhere))).collect();
    let addresses: Vec<SocketAddr> = hosts.iter().flatten().map(|host| host.address).collect();
    let balancer = HaProxy::to_hosts(&addresses).unwrap();
    let senders = tokens.iter().map(|token| (balancer.address(), token.clone())).collect();
    let load = Load::start(senders, Duration::from_secs(30));
    let readers = tokens.iter().map(|token| Reader::start(balancer.address(), token.clone()));
    let readers: Vec<Reader> = readers.collect();
    tokio::task::block_in_place(|| load.wait_until_working());
    // What a newer program does first. One of its migrations is always unknown to the older one.
    let newest = query_raw_sql(&first, "select max(name) from schema_migrations").await.remove(0);
    run(&first, &["migrate"]);
    let newer = format!(
        "insert into schema_migrations (name, checksum, applied_at, beside)
         values ('9999_of_the_next_version', 'x', 0, '{newest}')"
    );
    execute_raw_sql(&first, &newer).await.unwrap();
    for (number, host) in hosts.iter_mut().enumerate() {
        tokio::task::block_in_place(|| {
            let (status, log) = host.take().unwrap().stop("-TERM");
            assert!(status.success(), "{log}");
            *host = Some(serve(program(), &databases[number], addresses[number]));
            // The balancer takes a host up after two good checks.
            std::thread::sleep(Duration::from_secs(4));
            load.wait_until_working();
        });
    }
    let counts = readers.into_iter().map(Reader::stop);
    let (reads, again) = counts.fold((0, 0), |sum, counts| (sum.0 + counts.0, sum.1 + counts.1));
    let report = load.stop_and_compare(&first).await;
    run(&first, &["check"]);
    let versions = match &before {
        Some(program) => format!("from {}", describe(program, &first)),
        None => "with one program, because there is no version before yet".to_owned(),
    };
    print_row(
        "rolling upgrade of three hosts under load, from the version before",
        "no request fails but with a retry that succeeds",
        &format!(
            "{versions}, beside a migration that it does not know: {report}, all accepted after a retry; of {reads} reads, {again} were \
             sent again, all with success"
        ),
    );
}
