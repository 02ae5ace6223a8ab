//! A small HTTP server on loopback that receives calls of webhooks and answers as a script says: well, badly, or not at all.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What the receiver does with one connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebhookBehaviour {
    /// Answers with this status and an empty body.
    Status(u16),
    /// Redirects to this address.
    Redirect(String),
    /// Answers 200 with a body of a gigabyte.
    Gigabyte,
    /// Reads the call and never answers.
    Hang,
    /// Sends the headers of the answer one byte at a time, and never ends.
    SlowHeaders,
    /// Reads the call and closes the connection.
    Close,
    /// Sends something other than TLS as soon as it is connected to, as a server without TLS does.
    NoTls,
}

/// A call that was read completely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedCall {
    /// Method and path, such as `POST /hook`.
    pub target: String,
    /// Names in lower case, in the order in which they were sent.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl ReceivedCall {
    /// Returns the value of a header, or an empty text.
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(found, _)| found == name);
        found.map_or("", |(_, value)| value.as_str())
    }
}

/// A running receiver, which answers 204 unless something else was queued.
pub struct WebhookReceiver {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    stopped: Condvar,
}

#[derive(Default)]
struct State {
    next: VecDeque<WebhookBehaviour>,
    calls: Vec<ReceivedCall>,
    /// Bytes of bodies that clients have taken.
    sent_bytes: usize,
    is_stopped: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the receiver stops; true if it has.
    fn wait(&self, at_most: Duration) -> bool {
        let state = self.lock();
        let waited = self.stopped.wait_timeout_while(state, at_most, |state| !state.is_stopped);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_stopped
    }
}

impl WebhookReceiver {
    /// Starts a receiver on a free port.
    pub fn start() -> Self {
        #[expect(clippy::expect_used, reason = "tests cannot go on without it")]
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        #[expect(clippy::expect_used, reason = "tests cannot go on without it")]
        let address = listener.local_addr().expect("the address of a listener");
        let shared: Arc<Shared> = Arc::default();
        let server = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mut state = server.lock();
                if state.is_stopped {
                    return;
                }
                let behaviour = state.next.pop_front().unwrap_or(WebhookBehaviour::Status(204));
                drop(state);
                let shared = Arc::clone(&server);
                // A client that disconnects is not an error.
                std::thread::spawn(move || serve(&stream, &shared, &behaviour));
            }
        });
        Self { address, shared }
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets what happens to the next connections, in order.
    pub fn queue(&self, behaviours: impl IntoIterator<Item = WebhookBehaviour>) {
        self.shared.lock().next.extend(behaviours);
    }

    /// Returns the calls that were read completely, oldest first.
    pub fn calls(&self) -> Vec<ReceivedCall> {
        self.shared.lock().calls.clone()
    }

    /// Returns how many bytes of large bodies were handed to connections.
    pub fn sent_bytes(&self) -> usize {
        self.shared.lock().sent_bytes
    }
}

impl Drop for WebhookReceiver {
    fn drop(&mut self) {
        self.shared.lock().is_stopped = true;
        self.shared.stopped.notify_all();
        // Wakes the thread that accepts connections.
        drop(TcpStream::connect(self.address));
    }
}

fn serve(stream: &TcpStream, shared: &Shared, behaviour: &WebhookBehaviour) -> std::io::Result<()> {
    let mut out = stream;
    if *behaviour == WebhookBehaviour::NoTls {
        out.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")?;
        // If it closed the connection with something unread, the client might never see what it wrote.
        return std::io::copy(&mut out, &mut std::io::sink()).map(drop);
    }
    let call = read_call(stream)?;
    shared.lock().calls.push(call);
    match behaviour {
        WebhookBehaviour::Status(status) => {
            let head = format!("HTTP/1.1 {status} Status\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            out.write_all(head.as_bytes())?;
        }
        WebhookBehaviour::Redirect(address) => {
            let head = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close";
            out.write_all(format!("{head}\r\nLocation: {address}\r\n\r\n").as_bytes())?;
        }
        WebhookBehaviour::Gigabyte => {
            let length = 1_000_000_000;
            out.write_all(format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n").as_bytes())?;
            let chunk = [b'x'; 50_000];
            for _ in 0..length / chunk.len() {
                out.write_all(&chunk)?;
                let mut state = shared.lock();
                state.sent_bytes += chunk.len();
                if state.is_stopped {
                    break;
                }
            }
        }
        WebhookBehaviour::Hang => while !shared.wait(Duration::from_secs(60)) {},
        WebhookBehaviour::SlowHeaders => {
            out.write_all(b"HTTP/1.1 200 OK\r\nX-Slow: ")?;
            while !shared.wait(Duration::from_millis(50)) {
                out.write_all(b"x")?;
                out.flush()?;
            }
        }
        WebhookBehaviour::Close | WebhookBehaviour::NoTls => {}
    }
    out.flush()
}

fn read_call(stream: &TcpStream) -> std::io::Result<ReceivedCall> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let first = first.trim();
    let target = first.rsplit_once(' ').map_or(first, |(target, _)| target).to_owned();
    let call = ReceivedCall { target, headers, body: Vec::new() };
    let length = call.header("content-length").parse().unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(ReceivedCall { body, ..call })
}
