//! Connections after a request was refused before its body was read, tested on the real program with raw sockets.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use testkit::{Database, Engine, Process};

use crate::program;

/// Requests without a credential, or to paths that do not exist, are refused before their bodies are read.
const REFUSED: [(&str, &str); 3] =
    [("PATCH /api/v2/machines/999999", "401"), ("POST /api/v1/people", "401"), ("POST /nowhere", "404")];

fn connect(to: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(to).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}

fn send_head(stream: &mut TcpStream, line: &str, headers: &str) {
    let head = format!("{line} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n{headers}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
}

/// Reads one response and leaves the connection as it is. Returns the status and the whole response in lower case.
fn read_response(stream: &mut TcpStream) -> (String, String) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.extend(byte);
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    stream.read_exact(&mut body).unwrap();
    (head[9..12].to_owned(), head)
}

fn expect_usable(stream: &mut TcpStream) {
    stream.write_all(b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    assert_eq!(read_response(stream).0, "200", "the connection takes another request");
}

fn expect_closed(stream: &mut TcpStream, head: &str) {
    assert!(head.contains("\r\nconnection: close\r\n"), "{head}");
    let mut rest = Vec::new();
    let outcome = stream.read_to_end(&mut rest);
    assert!(rest.is_empty() && outcome.is_ok(), "{outcome:?}");
}

#[test]
fn a_connection_outlives_a_request_that_is_refused_before_its_body_arrives() {
    let database = Database::empty(Engine::Sqlite);
    let server = Process::serve(program(), &database, &[]);
    let mut stream = connect(server.address);
    for (line, status) in REFUSED {
        for (headers, body) in
            [("Content-Length: 11", "{\"a\": true}"), ("Transfer-Encoding: chunked", "2\r\n{}\r\n0\r\n\r\n")]
        {
            send_head(&mut stream, line, headers);
            // The server has the head and waits for the body.
            stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
            let early = stream.read(&mut [0; 1]).map_err(|error| error.kind());
            assert!(matches!(early, Err(ErrorKind::WouldBlock | ErrorKind::TimedOut)), "{line}: {early:?}");
            stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
            stream.write_all(body.as_bytes()).unwrap();
            let (answer, head) = read_response(&mut stream);
            assert_eq!(answer, status, "{line}");
            assert!(!head.contains("\r\nconnection:"), "{head}");
            expect_usable(&mut stream);
        }
    }
}

#[test]
fn a_connection_that_cannot_be_used_again_says_so() {
    let database = Database::empty(Engine::Sqlite);
    let server = Process::serve(program(), &database, &[]);
    let length = "Content-Length: 11";
    for (line, status) in REFUSED {
        // The body is too long to be read in vain.
        let mut stream = connect(server.address);
        send_head(&mut stream, line, "Content-Length: 5000000");
        let (answer, head) = read_response(&mut stream);
        assert_eq!(answer, status, "{line}");
        expect_closed(&mut stream, &head);
        // The client waits for permission to send the body, and does not get it.
        let mut stream = connect(server.address);
        send_head(&mut stream, line, &format!("{length}\r\nExpect: 100-continue"));
        let (answer, head) = read_response(&mut stream);
        assert_eq!(answer, status, "{line}");
        expect_closed(&mut stream, &head);
    }
    // The body never arrives.
    let mut stream = connect(server.address);
    send_head(&mut stream, REFUSED[0].0, length);
    let (answer, head) = read_response(&mut stream);
    assert_eq!(answer, REFUSED[0].1);
    expect_closed(&mut stream, &head);
}
