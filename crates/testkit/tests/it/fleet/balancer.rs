//! The balancer's file of docs/fleet.md leads each credential to one host, because limits hold for each host by itself.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use testbed::HaProxy;
use testkit::send_raw_http;

const HOSTS: usize = 3;
/// As many tokens, and as many sessions.
const CREDENTIALS: usize = 60;

/// Answers every request with its number. Its thread ends with the process.
struct NumberedHost {
    address: SocketAddr,
    is_ready: Arc<AtomicBool>,
}

impl NumberedHost {
    fn start(number: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, is_ready) = (listener.local_addr().unwrap(), Arc::new(AtomicBool::new(true)));
        let readiness = Arc::clone(&is_ready);
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let readiness = Arc::clone(&readiness);
                // Side by side: a check that waited behind a slow request would say that the host is not ready.
                std::thread::spawn(move || answer(connection, number, &readiness));
            }
        });
        Self { address, is_ready }
    }
}

fn answer(mut connection: TcpStream, number: usize, is_ready: &AtomicBool) {
    let (mut request, mut buffer) = (Vec::new(), [0; 4_096]);
    while !request.ends_with(b"\r\n\r\n") {
        match connection.read(&mut buffer) {
            Ok(length) if length > 0 => request.extend_from_slice(&buffer[..length]),
            _ => return,
        }
    }
    let is_refused = request.starts_with(b"GET /health/ready ") && !is_ready.load(Ordering::SeqCst);
    let status = if is_refused { "503 Service Unavailable" } else { "200 OK" };
    let body = number.to_string();
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    // The balancer may have given up.
    let _ = connection.write_all((head + &body).as_bytes());
}

/// Sends a request with this header, and returns the number of the host that answered.
fn host_of(balancer: &HaProxy, header: &str) -> usize {
    let request = format!("GET /api/v1/x HTTP/1.1\r\nHost: x\r\n{header}\r\nConnection: close\r\n\r\n");
    let answer = send_raw_http(balancer.address(), request.as_bytes());
    answer.rsplit("\r\n\r\n").next().and_then(|body| body.parse().ok()).unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn a_credential_meets_one_host() {
    let hosts: Vec<NumberedHost> = (0..HOSTS).map(NumberedHost::start).collect();
    let addresses: Vec<SocketAddr> = hosts.iter().map(|host| host.address).collect();
    let balancer = HaProxy::to_hosts(&addresses).unwrap();
    let tokens = (0..CREDENTIALS).map(|number| format!("Authorization: Bearer kc_{number}_token"));
    let cookie = web::session_cookie_name(true);
    let sessions = (0..CREDENTIALS).map(|number| format!("Cookie: a=b; {cookie}=s{number}"));
    let headers: Vec<String> = tokens.chain(sessions).collect();
    let places =
        |balancer: &HaProxy| headers.iter().map(|header| host_of(balancer, header)).collect::<Vec<_>>();
    let before = places(&balancer);
    for _ in 0..3 {
        assert_eq!(places(&balancer), before);
    }
    let of_tokens: BTreeSet<usize> = before[..CREDENTIALS].iter().copied().collect();
    let of_sessions: BTreeSet<usize> = before[CREDENTIALS..].iter().copied().collect();
    assert_eq!((of_tokens.len(), of_sessions.len()), (HOSTS, HOSTS), "every host has some: {before:?}");
    // Both balancers of a pair lead a credential to the same host.
    assert_eq!(places(&HaProxy::to_hosts(&addresses).unwrap()), before);
    // The credentials of a host that is not ready move, and no others.
    hosts[0].is_ready.store(false, Ordering::SeqCst);
    loop {
        let now = places(&balancer);
        for (now, before) in now.iter().zip(&before) {
            assert!(*before == 0 || now == before);
        }
        if !now.contains(&0) {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}
