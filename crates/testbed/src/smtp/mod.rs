//! A small SMTP server on loopback with configurable behaviour: it accepts messages, refuses them or stalls.

mod session;
mod tls;

use std::collections::VecDeque;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use session::Session;
use tls::ServerTls;

/// The server's behaviour on one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpBehaviour {
    Accept,
    /// Greets with this line and closes the connection.
    RefuseGreeting(&'static str),
    RefuseLogin(&'static str),
    RefuseRecipient(&'static str),
    RefuseData(&'static str),
    /// Reads the message and answers with this line.
    RefuseMessage(&'static str),
    /// Accepts the connection and never answers.
    Stall,
    /// Reads the message and never answers.
    StallAfterMessage,
    /// Reads the message and closes the connection.
    DropAfterMessage,
    /// Offers STARTTLS and then sends something other than TLS.
    BreakTls,
}

/// Encryption of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Security {
    Plaintext,
    StartTls,
    ImplicitTls,
}

/// A message that the server read completely, whether it accepted it or not.
#[derive(Clone, Debug)]
pub struct ReceivedMessage {
    /// Envelope sender.
    pub from: String,
    /// Envelope recipients.
    pub to: Vec<String>,
    /// Argument of AUTH PLAIN, if the client sent it.
    pub auth_plain: Option<String>,
    /// The message without SMTP's dot-stuffing.
    pub text: String,
    /// Whether it was received over TLS.
    pub is_secure: bool,
    pub is_accepted: bool,
}

impl ReceivedMessage {
    /// Returns the value of a header that fits on one line.
    pub fn header(&self, name: &str) -> &str {
        let head = self.text.split("\r\n\r\n").next().unwrap_or_default();
        let mut lines = head.split("\r\n").filter_map(|line| line.split_once(": "));
        lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value)
    }
}

/// A running server, which accepts messages by default.
pub struct SmtpServer {
    address: SocketAddr,
    shared: Arc<SharedState>,
}

#[derive(Default)]
struct SharedState {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    next_behaviours: VecDeque<SmtpBehaviour>,
    default_behaviour: Option<SmtpBehaviour>,
    received: Vec<ReceivedMessage>,
    commands: Vec<String>,
    is_stopped: bool,
}

impl SharedState {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SmtpServer {
    /// Starts a server on a free port.
    pub fn start() -> std::io::Result<Self> {
        Self::listen(None, Security::Plaintext)
    }

    /// Starts a server that offers STARTTLS, with a certificate for `localhost`. Also returns the authority's certificate, as PEM.
    pub fn start_with_starttls() -> std::io::Result<(Self, String)> {
        let (certified, authority) = ServerTls::generate()?;
        Ok((Self::listen(Some(certified), Security::StartTls)?, authority))
    }

    /// The same with implicit TLS.
    pub fn start_with_tls() -> std::io::Result<(Self, String)> {
        let (certified, authority) = ServerTls::generate()?;
        Ok((Self::listen(Some(certified), Security::ImplicitTls)?, authority))
    }

    fn listen(tls: Option<ServerTls>, security: Security) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let shared: Arc<SharedState> = Arc::default();
        let server_state = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mut state = server_state.lock();
                if state.is_stopped {
                    return;
                }
                let behaviour = state
                    .next_behaviours
                    .pop_front()
                    .or(state.default_behaviour)
                    .unwrap_or(SmtpBehaviour::Accept);
                drop(state);
                let (shared, certified) = (Arc::clone(&server_state), tls.clone());
                // A client that disconnects is not an error.
                std::thread::spawn(move || {
                    Session { shared, behaviour, security, tls: certified }.serve(&stream)
                });
            }
        });
        Ok(Self { address, shared })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets the behaviour of the next connections, in order.
    pub fn queue_behaviours(&self, behaviours: impl IntoIterator<Item = SmtpBehaviour>) {
        self.shared.lock().next_behaviours.extend(behaviours);
    }

    /// Sets the behaviour of connections for which none is queued.
    pub fn set_default_behaviour(&self, behaviour: SmtpBehaviour) {
        self.shared.lock().default_behaviour = Some(behaviour);
    }

    /// Returns all messages that were read completely.
    pub fn received(&self) -> Vec<ReceivedMessage> {
        self.shared.lock().received.clone()
    }

    /// Returns all commands, of all connections.
    pub fn commands(&self) -> Vec<String> {
        self.shared.lock().commands.clone()
    }

    /// Waits until this many messages have been read completely; `false` after a timeout.
    pub fn wait_for_messages(&self, count: usize) -> bool {
        let state = self.shared.lock();
        let missing = |state: &mut State| state.received.len() < count;
        let waited = self.shared.changed.wait_timeout_while(state, Duration::from_secs(120), missing);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}

impl Drop for SmtpServer {
    fn drop(&mut self) {
        self.shared.lock().is_stopped = true;
        // Wakes the accepting thread.
        let _ = TcpStream::connect(self.address);
    }
}
