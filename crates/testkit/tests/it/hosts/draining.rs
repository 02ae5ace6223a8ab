//! `server.drain_s`: a host says that it is not ready before it stops.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use testkit::{Database, Engine, Process, send_raw_http};

use crate::program;

const READY: &[u8] = b"GET /health/ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

fn wait_until_not_ready(address: SocketAddr) -> String {
    loop {
        let answer = send_raw_http(address, READY);
        if !answer.starts_with("HTTP/1.1 200") {
            return answer;
        }
    }
}

#[test]
fn a_host_is_not_ready_before_it_stops_and_serves_meanwhile() {
    let database = Database::empty(Engine::Sqlite);
    let server = Process::serve(program(), &database, &[("KEEPCLEAR__SERVER__DRAIN_S", "10")]);
    let address = server.address;
    // A connection from before, which the client keeps open.
    let mut kept = TcpStream::connect(address).unwrap();
    kept.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let stopping = std::thread::spawn(move || server.stop("-TERM"));
    let answer = wait_until_not_ready(address);
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("\"draining\""), "{answer}");
    assert!(answer.contains("retry-after: "), "{answer}");
    // It serves, and asks the client to open another connection, which a balancer would lead elsewhere.
    kept.write_all(b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut answer = String::new();
    kept.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("connection: close"), "{answer}");
    let (status, log) = stopping.join().unwrap();
    assert!(status.success() && log.contains("not ready any more"), "{log}");
}

#[test]
fn a_second_signal_ends_the_drain() {
    let database = Database::empty(Engine::Sqlite);
    let server = Process::serve(program(), &database, &[("KEEPCLEAR__SERVER__DRAIN_S", "600")]);
    server.signal("-TERM");
    let answer = wait_until_not_ready(server.address);
    assert!(answer.contains("\"draining\""), "{answer}");
    // Otherwise this takes ten minutes.
    let (status, log) = server.stop("-TERM");
    assert!(status.success() && log.contains("not ready any more"), "{log}");
}
