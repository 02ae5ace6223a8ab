//! The real program in separate processes.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use testkit::{Database, Engine, Process, on_both_engines};

use crate::program;

on_both_engines!(a_token_of_one_process_is_good_in_another_until_logout, killed_during_logins_it_opens_clean);

const EMAIL: &str = "ada@example.com";
const PASSWORD: &str = "plum wagon sixty tiles";

fn installation(engine: Engine) -> Database {
    let database = Database::empty(engine);
    let run = |arguments: &[&str], input: &str| {
        let output = Process::run(program(), &database, arguments, input);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(&["brand", "create", "Acme"], "");
    let create =
        ["user", "create", "--brand", "Acme", "--email", EMAIL, "--role", "admin", "--password-stdin"];
    run(&create, PASSWORD);
    database
}

fn login(server: &Process) -> String {
    let body = format!("{{\"email\":\"{EMAIL}\",\"password\":\"{PASSWORD}\"}}");
    server.send_raw(&format!(
        "POST /api/v2/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    ))
}

fn with_token(server: &Process, method: &str, token: &str) -> String {
    server.send_raw(&format!(
        "{method} /api/v2/session HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    ))
}

fn header<'a>(answer: &'a str, name: &str) -> &'a str {
    let line =
        answer.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name} in {answer}"));
    line.split_once(": ").unwrap().1
}

#[test]
fn what_is_not_modified_has_no_length() {
    let database = installation(Engine::Sqlite);
    let server = Process::serve(program(), &database, &[]);
    let body = format!("{{\"email\":\"{EMAIL}\",\"password\":\"{PASSWORD}\"}}");
    let session = server.send_raw(&format!(
        "POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    ));
    let cookie = header(&session, "set-cookie").split(';').next().unwrap();
    let ask = |method: &str, condition: &str| {
        server.send_raw(&format!(
            "{method} /api/v1/admin/brand HTTP/1.1\r\nHost: x\r\nCookie: {cookie}\r\n{condition}Connection: close\r\n\r\n"
        ))
    };
    let whole = ask("GET", "");
    let condition = format!("If-None-Match: {}\r\n", header(&whole, "etag"));
    for method in ["GET", "HEAD"] {
        let known = ask(method, &condition);
        assert!(known.starts_with("HTTP/1.1 304") && !known.contains("content-length"), "{method}: {known}");
    }
    assert_eq!(header(&ask("HEAD", ""), "content-length"), header(&whole, "content-length"));
}

#[test]
fn a_stop_ends_live_streams() {
    let database = installation(Engine::Sqlite);
    let server = Process::serve(program(), &database, &[]);
    let answer = login(&server);
    let token = header(&answer, "accesstoken");
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let request = format!("GET /api/v2/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let (mut text, mut piece) = (String::new(), [0; 4096]);
    while !text.contains("event: facts\n") {
        let read = stream.read(&mut piece).unwrap();
        assert_ne!(read, 0, "{text}");
        text.push_str(std::str::from_utf8(&piece[..read]).unwrap());
    }
    assert!(text.contains("transfer-encoding: chunked") && !text.contains("content-encoding"), "{text}");
    let (status, log) = server.stop("-TERM");
    assert!(status.success() && !log.contains("were still busy"), "{log}");
    // The last chunk: the stream has ended, and was not cut.
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(rest.ends_with("0\r\n\r\n"), "{rest:?}");
    // It says when to connect again.
    assert!(rest.contains("\r\nretry: "), "{rest:?}");
}

async fn a_token_of_one_process_is_good_in_another_until_logout(engine: Engine) {
    let database = installation(engine);
    let one = Process::serve(program(), &database, &[]);
    let two = Process::serve(program(), &database, &[]);
    let answer = login(&one);
    let token = header(&answer, "accesstoken");
    assert!(with_token(&two, "GET", token).starts_with("HTTP/1.1 200"));
    assert!(with_token(&one, "DELETE", token).starts_with("HTTP/1.1 200"));
    assert!(with_token(&one, "GET", token).starts_with("HTTP/1.1 401"));
    // Tests cannot move the clocks of these processes: within a second, the other must notice.
    std::thread::sleep(Duration::from_secs(1));
    assert!(with_token(&two, "GET", token).starts_with("HTTP/1.1 401"));
    let (status, log) = one.stop("-TERM");
    assert!(status.success(), "{log}");
    let id = header(&answer, "x-request-id");
    assert!(log.lines().any(|line| line.contains("/api/v2/login") && line.contains(id)), "{log}");
    // The log says who did what, and who was refused and why.
    let has = |words: &[&str]| log.lines().any(|line| words.iter().all(|word| line.contains(word)));
    assert!(has(&["DELETE", "/api/v2/session", "status=200", "caller=\"user "]), "{log}");
    assert!(has(&["GET", "/api/v2/session", "status=401", "code=\""]), "{log}");
    for secret in [token, header(&answer, "refreshtoken"), PASSWORD, EMAIL] {
        assert!(!log.contains(secret), "{log}");
    }
}

async fn killed_during_logins_it_opens_clean(engine: Engine) {
    let database = installation(engine);
    let server = Process::serve(program(), &database, &[("KEEPCLEAR__LIMITS__LOGIN_PER_MINUTE", "1000000")]);
    let address = server.address;
    let answered = Arc::new(AtomicU32::new(0));
    let clients: Vec<_> = (0..4)
        .map(|_| {
            let answered = Arc::clone(&answered);
            std::thread::spawn(move || {
                let body = format!("{{\"email\":\"{EMAIL}\",\"password\":\"{PASSWORD}\"}}");
                let request = format!(
                    "POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
                     Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                );
                let mut cookies = Vec::new();
                // Until the server has stopped.
                while let Ok(mut stream) = TcpStream::connect(address) {
                    let mut answer = String::new();
                    let sent = stream.write_all(request.as_bytes());
                    if sent.is_err() || stream.read_to_string(&mut answer).is_err() || answer.is_empty() {
                        break;
                    }
                    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: "));
                    cookies.extend(cookie.and_then(|line| line.split(';').next()).map(str::to_owned));
                    answered.fetch_add(1, Ordering::SeqCst);
                }
                cookies
            })
        })
        .collect();
    // Some logins have been answered by now, and others are in progress.
    while answered.load(Ordering::SeqCst) < 20 {
        assert!(login(&server).starts_with("HTTP/1.1 200"));
    }
    let (status, _) = server.stop("-KILL");
    assert!(!status.success());
    let cookies: Vec<String> = clients.into_iter().flat_map(|client| client.join().unwrap()).collect();

    assert!(cookies.len() >= 20, "{}", cookies.len());
    let checked = Process::run(program(), &database, &["check"], "");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    // Nothing that was answered is missing.
    let server = Process::serve(program(), &database, &[]);
    for cookie in cookies {
        let answer = server.send_raw(&format!(
            "GET /api/v1/session HTTP/1.1\r\nHost: x\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        ));
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

#[test]
fn the_first_start_makes_an_admin_and_the_second_finds_them() {
    let database = Database::empty(Engine::Sqlite);
    let first = Process::serve(program(), &database, &[]);
    let (_, _) = first.stop("-TERM");
    let list =
        || String::from_utf8(Process::run(program(), &database, &["user", "list"], "").stdout).unwrap();
    let before = list();
    assert!(before.contains("admin@keepclear.local") && before.contains("My brand"), "{before}");
    let second = Process::serve(program(), &database, &[]);
    assert!(second.send_raw("GET /health/ready HTTP/1.0\r\n\r\n").starts_with("HTTP/1.0 200"));
    assert_eq!(list(), before);
}

#[test]
fn clients_that_dribble_are_cut_while_others_are_served() {
    let database = Database::empty(Engine::Sqlite);
    let settings =
        [("KEEPCLEAR__SERVER__HEADER_TIMEOUT_S", "1"), ("KEEPCLEAR__SERVER__MAX_CONNECTIONS", "20")];
    let server = Process::serve(program(), &database, &settings);
    // More than there are slots: waiting connections get one when the slow senders are cut off.
    let dribblers: Vec<TcpStream> = (0..40)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            let _ = stream.write_all(b"GET /health/live HTTP/1.1\r\nHos");
            stream
        })
        .collect();
    assert!(
        server.send_raw("GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").contains("live")
    );
    for mut stream in dribblers {
        let mut answer = String::new();
        // Closed, with or without a response, but never left open.
        let _ = stream.read_to_string(&mut answer);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
}

#[test]
fn what_fails_below_http_is_a_bare_4xx_and_harms_nobody() {
    let database = Database::empty(Engine::Sqlite);
    let server = Process::serve(program(), &database, &[]);
    let large = "x".repeat(100_000);
    for request in [
        format!("GET / HTTP/1.1\r\nHost: x\r\nX-Large: {large}\r\n\r\n"),
        format!("GET /{large} HTTP/1.1\r\nHost: x\r\n\r\n"),
        format!(
            "GET /api/v2/session HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\r\n",
            large.repeat(10)
        ),
        format!("GET / HTTP/1.1\r\n{}\r\n", "X-Many: 1\r\n".repeat(1_000)),
        "GET / HTTP/9.9\r\n\r\n".to_owned(),
        "nonsense\r\n\r\n".to_owned(),
        "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello".to_owned(),
    ] {
        let answer = server.send_raw(&request);
        assert!(answer.starts_with("HTTP/1.1 4"), "{request:.60} -> {answer:.200}");
    }
    assert!(
        server.send_raw("GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").contains("live")
    );
}

#[test]
fn bad_bodies_do_not_make_the_process_grow() {
    let database = Database::empty(Engine::Sqlite);
    let server = Process::serve(program(), &database, &[("KEEPCLEAR__LIMITS__LOGIN_PER_MINUTE", "1000000")]);
    let send = |body: &str| {
        let answer = server.send_raw(&format!(
            "POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{body}",
            body.len()
        ));
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer:.100}");
    };
    let deep = "[".repeat(900_000);
    let many = format!("{{{}}}", (0..60_000).map(|n| format!("\"k{n}\":1")).collect::<Vec<_>>().join(","));
    let large = format!("\"{}\"", "x".repeat(10_000_000));
    let round = || [&deep, &many, &large].into_iter().for_each(|body| send(body));
    (0..5).for_each(|_| round());
    let before = server.resident_kib();
    (0..20).for_each(|_| round());
    let grown = server.resident_kib().saturating_sub(before);
    assert!(grown < 32 * 1024, "{grown} KiB more after twenty rounds of the same");
}

#[test]
fn a_stop_lets_work_in_hand_end() {
    let database = Database::empty(Engine::Sqlite);
    let server = Process::serve(program(), &database, &[]);
    let body = b"{\"email\":\"a@b.c\",\"password\":\"x\"}";
    let mut busy = TcpStream::connect(server.address).unwrap();
    let idle = TcpStream::connect(server.address).unwrap();
    busy.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let head = format!(
        "POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Expect: 100-continue\r\n\r\n",
        body.len()
    );
    busy.write_all(head.as_bytes()).unwrap();
    let mut word = [0; 25];
    busy.read_exact(&mut word).unwrap();
    assert_eq!(&word, b"HTTP/1.1 100 Continue\r\n\r\n", "the server has begun to read the body");
    let address = server.address;
    let stopping = std::thread::spawn(move || server.stop("-TERM"));
    // When new connections are refused, the shutdown has begun.
    while TcpStream::connect(address).is_ok() {
        std::thread::yield_now();
    }
    busy.write_all(body).unwrap();
    let mut answer = String::new();
    busy.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 401") && answer.contains("invalid_credentials"), "{answer}");
    drop(idle);
    let (status, log) = stopping.join().unwrap();
    assert!(status.success(), "{log}");
}

#[test]
fn the_log_keeps_no_secret_of_a_link() {
    let database = Database::empty(Engine::Sqlite);
    let server = Process::serve(program(), &database, &[]);
    for path in [
        "/account/invitations/s3cret-token",
        "/account/password_resets/s3cret-token",
        "/invitations/s3cret-token",
        "/password-resets/s3cret-token",
    ] {
        let answer = server.send_raw(&format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
        assert!(answer.starts_with("HTTP/1.1 40"), "{answer}");
    }
    let (_, log) = server.stop("-TERM");
    assert!(log.contains("/account/invitations/…"), "{log}");
    assert!(log.contains("\"/invitations/…") || log.contains("=/invitations/…"), "{log}");
    assert!(!log.contains("s3cret"), "{log}");
}
