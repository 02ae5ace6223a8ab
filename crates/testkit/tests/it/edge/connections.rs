//! Connection limits: how many one address gets, and which connections are evicted. Tests the real program with raw sockets.
//!
//! No connection times out within a test, so a new connection gets a slot only by eviction.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use testkit::{Database, Engine, Process};
use tokio::net::TcpSocket;

use crate::program;

const REQUEST: &str = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n";

fn serve(database: &Database, max_connections: &str, max_per_address: &str) -> Process {
    let settings = [
        ("KEEPCLEAR__SERVER__HEADER_TIMEOUT_S", "3600"),
        ("KEEPCLEAR__SERVER__MAX_CONNECTIONS", max_connections),
        ("KEEPCLEAR__SERVER__MAX_CONNECTIONS_PER_ADDRESS", max_per_address),
        ("KEEPCLEAR__SERVER__TRUSTED_PROXIES", "[\"127.0.0.9/32\"]"),
    ];
    Process::serve(program(), database, &settings)
}

/// Connects from one of the loopback addresses.
fn connect(from: &str, to: SocketAddr) -> TcpStream {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let stream = runtime.block_on(async {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::new(from.parse().unwrap(), 0)).unwrap();
        socket.connect(to).await.unwrap().into_std().unwrap()
    });
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

/// Sends a request and reads the response, so that the connection is idle.
fn send_request(stream: &mut TcpStream) -> String {
    let _ = stream.write_all(REQUEST.as_bytes());
    let mut answer = Vec::new();
    let mut piece = [0; 4096];
    while !answer.ends_with(b"}") {
        match stream.read(&mut piece) {
            Ok(read) if read > 0 => answer.extend(&piece[..read]),
            _ => break,
        }
    }
    String::from_utf8(answer).unwrap()
}

const BODY: &[u8] = b"{\"email\":\"a@b.c\",\"password\":\"x\"}";

/// Sends a request whose body the server waits for. Returns the server's response if it refused the connection.
fn open_pending_request(from: &str, to: SocketAddr) -> Result<TcpStream, String> {
    let mut stream = connect(from, to);
    let head = format!(
        "POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Expect: 100-continue\r\n\r\n",
        BODY.len()
    );
    let _ = stream.write_all(head.as_bytes());
    let mut word = Vec::new();
    let _ = (&mut stream).take(25).read_to_end(&mut word);
    if word == b"HTTP/1.1 100 Continue\r\n\r\n" { Ok(stream) } else { Err(String::from_utf8(word).unwrap()) }
}

/// Reads until the server closes the connection.
fn read_to_end(mut stream: TcpStream) -> String {
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    String::from_utf8(rest).unwrap()
}

#[test]
fn idle_connections_make_room_the_longest_idle_first() {
    let database = Database::empty(Engine::Sqlite);
    let server = serve(&database, "4", "100");
    let mut idle: Vec<TcpStream> = (0..4).map(|_| connect("127.0.0.1", server.address)).collect();
    for stream in &mut idle {
        assert!(send_request(stream).starts_with("HTTP/1.1 200"));
    }
    // Each new connection is served and keeps its slot.
    let mut newcomers: Vec<TcpStream> = (0..2).map(|_| connect("127.0.0.1", server.address)).collect();
    for stream in &mut newcomers {
        assert!(send_request(stream).starts_with("HTTP/1.1 200"));
    }
    assert_eq!(read_to_end(idle.remove(0)), "", "the one that was idle longest has been closed");
    let mut metrics = connect("127.0.0.1", server.address);
    metrics.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let metrics = read_to_end(metrics);
    let evicted = metrics.lines().find_map(|line| line.strip_prefix("keepclear_evicted_connections_total "));
    assert!(evicted.unwrap().parse::<u32>().unwrap() >= 2, "{metrics}");
}

#[test]
fn a_request_in_hand_is_not_cut_to_make_room() {
    let database = Database::empty(Engine::Sqlite);
    let server = serve(&database, "2", "100");
    let mut busy = open_pending_request("127.0.0.1", server.address).unwrap();
    for _ in 0..3 {
        assert!(send_request(&mut connect("127.0.0.1", server.address)).starts_with("HTTP/1.1 200"));
    }
    busy.write_all(BODY).unwrap();
    let mut answer = [0; 12];
    busy.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 401");
}

#[test]
fn a_greedy_address_leaves_connections_to_others() {
    let database = Database::empty(Engine::Sqlite);
    let server = serve(&database, "8", "4");
    let mut kept: Vec<TcpStream> =
        (0..4).map(|_| open_pending_request("127.0.0.2", server.address).unwrap()).collect();
    // A modest client is served repeatedly while the greedy one uses its whole share and requests more.
    for _ in 0..10 {
        let refused = open_pending_request("127.0.0.2", server.address).unwrap_err();
        assert!(refused.is_empty() || refused.starts_with("HTTP/1.1 503"), "{refused}");
        assert!(send_request(&mut connect("127.0.0.3", server.address)).starts_with("HTTP/1.1 200"));
    }
    for stream in &mut kept {
        stream.write_all(BODY).unwrap();
        let mut answer = [0; 10];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 4", "it is answered, not closed");
    }
    let (_, log) = server.stop("-TERM");
    let lines = log.lines().filter(|line| line.contains("connections were refused")).count();
    assert!((1..10).contains(&lines), "one line for many of them: {log}");
}

#[test]
fn an_address_at_its_limit_loses_its_own_idle_ones_first() {
    let database = Database::empty(Engine::Sqlite);
    let server = serve(&database, "100", "2");
    let mut other = connect("127.0.0.3", server.address);
    assert!(send_request(&mut other).starts_with("HTTP/1.1 200"));
    let mut own: Vec<TcpStream> = (0..2).map(|_| connect("127.0.0.2", server.address)).collect();
    for stream in &mut own {
        assert!(send_request(stream).starts_with("HTTP/1.1 200"));
    }
    let mut newcomer = connect("127.0.0.2", server.address);
    assert!(send_request(&mut newcomer).starts_with("HTTP/1.1 200"));
    assert_eq!(read_to_end(own.remove(0)), "");
    for stream in [&mut other, &mut own[0], &mut newcomer] {
        assert!(send_request(stream).starts_with("HTTP/1.1 200"), "the others stay");
    }
}

#[test]
fn trusted_proxies_have_no_limit_of_their_own() {
    let database = Database::empty(Engine::Sqlite);
    let server = serve(&database, "100", "2");
    // Pending requests are not closed to make room for others.
    let _held: Vec<TcpStream> =
        (0..10).map(|_| open_pending_request("127.0.0.9", server.address).unwrap()).collect();
    assert!(send_request(&mut connect("127.0.0.9", server.address)).starts_with("HTTP/1.1 200"));
}

#[test]
fn a_request_has_one_host() {
    let database = Database::empty(Engine::Sqlite);
    let server = serve(&database, "100", "100");
    let status = |head: &str| {
        let answer = server.send_raw(&format!("{head}Connection: close\r\n\r\n"));
        (answer.get(9..12).unwrap_or_default().to_owned(), answer.contains("invalid_host"))
    };
    for head in [
        "GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\n",
        "GET /health/live HTTP/1.1\r\nHost: a\r\nHost: a\r\n",
        "GET /api/v2/session HTTP/1.1\r\nHost: a\r\nhost: b\r\n",
        "GET http://a/health/live HTTP/1.1\r\nHost: b\r\n",
        "GET /health/live HTTP/1.1\r\nHost: a, b\r\n",
        "GET /health/live HTTP/1.1\r\nHost: user@a\r\n",
    ] {
        assert_eq!(status(head), ("400".to_owned(), true), "{head}");
    }
    for head in [
        "GET /health/live HTTP/1.1\r\nHost: a\r\n",
        "GET http://a/health/live HTTP/1.1\r\nHost: A:80\r\n",
        "GET /health/live HTTP/1.1\r\nHost: [::1]:8080\r\n",
    ] {
        assert_eq!(status(head), ("200".to_owned(), false), "{head}");
    }
}
