//! The memory that request bodies may take while they are received, tested on the real program with raw sockets.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use testkit::{Database, Engine, Process};

use crate::program;

const MIB: usize = 1024 * 1024;

fn run(database: &Database, arguments: &[&str]) -> String {
    let output = Process::run(program(), database, arguments, "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Creates a gateway in a new brand and returns its token.
fn token(database: &Database, brand: &str) -> String {
    run(database, &["brand", "create", brand]);
    another_token(database, brand, "Yard")
}

/// Creates another gateway in a brand and returns its token.
fn another_token(database: &Database, brand: &str, name: &str) -> String {
    let issued = run(database, &["token", "issue", "--brand", brand, "--kind", "gateway", "--name", name]);
    issued.split_whitespace().find(|word| word.starts_with("kcg_")).unwrap().to_owned()
}

/// Sends the beginning of a batch and never the rest.
fn send_partial_batch(address: SocketAddr, token: &str, bytes: usize) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(10))).unwrap();
    let head = format!(
        "POST /ingest/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        8 * MIB
    );
    let _ = stream.write_all(head.as_bytes());
    // A refused connection is closed before everything is written.
    let _ = stream.write_all(&vec![b' '; bytes]);
    stream
}

/// Sends a whole batch without events, padded to a size.
fn send_full_batch(address: SocketAddr, token: &str, bytes: usize) -> String {
    let request = format!(
        "POST /ingest/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {bytes}\r\n\r\n[{}]",
        " ".repeat(bytes - 2)
    );
    testkit::send_raw_http(address, request.as_bytes())
}

#[test]
fn a_greedy_token_leaves_memory_to_others() {
    let database = Database::empty(Engine::Sqlite);
    let (greedy, modest) = (token(&database, "Greedy"), token(&database, "Modest"));
    let sibling = another_token(&database, "Greedy", "Gate");
    let settings = [
        ("KEEPCLEAR__LIMITS__MAX_BODY_MEMORY_MB", "32"),
        ("KEEPCLEAR__LIMITS__MAX_BODY_MEMORY_PER_CALLER_MB", "16"),
        ("KEEPCLEAR__LIMITS__INGEST_PER_MINUTE", "100000"),
    ];
    let server = Process::serve(program(), &database, &settings);
    assert!(send_full_batch(server.address, &modest, 7 * MIB).starts_with("HTTP/1.1 200"));
    let before = server.resident_kib();
    let held: Vec<TcpStream> =
        (0..60).map(|_| send_partial_batch(server.address, &greedy, 7 * MIB)).collect();
    // 420 MiB were sent.
    let grown = server.resident_kib().saturating_sub(before);
    assert!(grown < 100 * 1024, "{grown} KiB more");
    // The sender has used its share and is refused.
    let refused = held.iter().filter(|stream| {
        let mut stream: &TcpStream = stream;
        stream.set_nonblocking(true).unwrap();
        let mut answer = vec![0; 4096];
        let read = stream.read(&mut answer).unwrap_or_default();
        let answer = String::from_utf8_lossy(&answer[..read]);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 503"), "{answer}");
        answer.contains("retry-after: 5") && answer.contains("bodies_busy")
    });
    assert!(refused.count() > 0, "some clients could read the reason");
    // It leaves a part of the brand's three quarters to other callers in the brand, and the last quarter to other brands.
    for token in [&modest, &sibling].into_iter().cycle().take(10) {
        let answer = send_full_batch(server.address, token, 7 * MIB);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    // The memory is released when the connections close.
    drop(held);
    while !send_full_batch(server.address, &greedy, 7 * MIB).starts_with("HTTP/1.1 200") {
        std::thread::yield_now();
    }
    // A share that is used up is no fault of the service.
    let (_, log) = server.stop("-TERM");
    let is_refusal = |line: &str| line.contains("WARN") && line.contains("Too many request bodies");
    assert!(log.lines().any(is_refusal) && !log.contains("ERROR"), "{log}");
}

#[test]
fn a_greedy_brand_of_many_tokens_leaves_memory_to_others() {
    let database = Database::empty(Engine::Sqlite);
    let (first, modest) = (token(&database, "Greedy"), token(&database, "Modest"));
    let mut greedy = vec![first];
    greedy.extend((2..=4).map(|n| another_token(&database, "Greedy", &format!("Yard {n}"))));
    let settings = [
        ("KEEPCLEAR__LIMITS__MAX_BODY_MEMORY_MB", "32"),
        ("KEEPCLEAR__LIMITS__MAX_BODY_MEMORY_PER_CALLER_MB", "16"),
        ("KEEPCLEAR__LIMITS__INGEST_PER_MINUTE", "100000"),
    ];
    let server = Process::serve(program(), &database, &settings);
    // Each of them may use half of the total, and they send far more than that.
    let tokens = greedy.iter().cycle().take(60);
    let _held: Vec<TcpStream> =
        tokens.map(|token| send_partial_batch(server.address, token, 7 * MIB)).collect();
    for _ in 0..5 {
        let answer = send_full_batch(server.address, &modest, 7 * MIB);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

#[test]
fn what_is_announced_and_not_sent_takes_no_memory() {
    let database = Database::empty(Engine::Sqlite);
    let token = token(&database, "Acme");
    let settings = [
        ("KEEPCLEAR__LIMITS__MAX_BODY_MEMORY_MB", "16"),
        ("KEEPCLEAR__LIMITS__MAX_BODY_MEMORY_PER_CALLER_MB", "9"),
    ];
    let server = Process::serve(program(), &database, &settings);
    // Together they announce 240 MiB.
    let _held: Vec<TcpStream> = (0..30).map(|_| send_partial_batch(server.address, &token, 1_000)).collect();
    assert!(send_full_batch(server.address, &token, 8 * MIB).starts_with("HTTP/1.1 200"));
}

#[test]
fn forms_of_strangers_take_memory_of_their_address() {
    let database = Database::empty(Engine::Sqlite);
    let settings = [
        ("KEEPCLEAR__LIMITS__MAX_BODY_MEMORY_MB", "16"),
        ("KEEPCLEAR__LIMITS__MAX_BODY_MEMORY_PER_CALLER_MB", "8"),
        ("KEEPCLEAR__LIMITS__WRITE_PER_MINUTE", "100000"),
    ];
    let server = Process::serve(program(), &database, &settings);
    // A form that is kept until its sender has signed in again.
    let form = |connection: &str, sent: usize| {
        format!(
            "POST /settings/tags HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nSec-Fetch-Site: same-origin\r\n\
             Connection: {connection}\r\nContent-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: 65536\r\n\r\nname={}",
            "x".repeat(sent - "name=".len())
        )
    };
    let (whole, part) = (form("close", 65_536), form("keep-alive", 60_000));
    assert!(testkit::send_raw_http(server.address, whole.as_bytes()).starts_with("HTTP/1.1 401"));
    let mut held = Vec::new();
    // Together they would take 25 MiB.
    let is_refused = (0..400).any(|_| {
        let mut stream = TcpStream::connect(server.address).unwrap();
        // A refused connection is closed before everything is written.
        let _ = stream.write_all(part.as_bytes());
        held.push(stream);
        // Whoever is refused cannot always read the reason.
        !testkit::send_raw_http(server.address, whole.as_bytes()).starts_with("HTTP/1.1 401")
    });
    assert!(is_refused, "forms without a session count, too");
}
