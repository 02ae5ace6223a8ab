//! A small SMTP server on loopback that behaves as it is told: it takes messages, refuses them, or goes silent.

mod session;
mod tls;

use std::collections::VecDeque;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use session::Session;
use tls::ServerTls;

/// How the server behaves on one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpBehaviour {
    /// Takes what it is given.
    Accept,
    /// Greets with this line and hangs up.
    RefuseGreeting(&'static str),
    /// Answers a login with this line.
    RefuseLogin(&'static str),
    /// Answers each recipient with this line.
    RefuseRecipient(&'static str),
    /// Answers DATA with this line.
    RefuseData(&'static str),
    /// Reads the message and answers it with this line.
    RefuseMessage(&'static str),
    /// Takes the connection and never says a word.
    Stall,
    /// Reads the message and never answers.
    StallAfterMessage,
    /// Reads the message and hangs up.
    DropAfterMessage,
    /// Offers STARTTLS, and then speaks no TLS.
    BreakTls,
}

/// How the server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Security {
    Plaintext,
    StartTls,
    ImplicitTls,
}

/// A message that the server read to its end, whatever it answered.
#[derive(Clone, Debug)]
pub struct ReceivedMessage {
    /// The envelope's sender.
    pub from: String,
    /// The envelope's recipients.
    pub to: Vec<String>,
    /// What came after AUTH PLAIN, if anything did.
    pub auth_plain: Option<String>,
    /// The message, without the dots that SMTP adds.
    pub text: String,
    /// Whether it came over TLS.
    pub is_secure: bool,
    /// Whether it was taken.
    pub is_accepted: bool,
}

impl ReceivedMessage {
    /// The value of a header that stands on one line.
    pub fn header(&self, name: &str) -> &str {
        let head = self.text.split("\r\n\r\n").next().unwrap_or_default();
        let mut lines = head.split("\r\n").filter_map(|line| line.split_once(": "));
        lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value)
    }
}

/// A running server. Without further word it accepts.
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
    /// Starts one on a free port.
    pub fn start() -> std::io::Result<Self> {
        Self::listen(None, Security::Plaintext)
    }

    /// Starts one that offers STARTTLS, with a certificate for `localhost`; also gives the authority's, as PEM.
    pub fn start_with_starttls() -> std::io::Result<(Self, String)> {
        let (certified, authority) = ServerTls::generate()?;
        Ok((Self::listen(Some(certified), Security::StartTls)?, authority))
    }

    /// The same, with TLS from the first byte.
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
                // A client that goes away is no concern of ours.
                std::thread::spawn(move || {
                    Session { shared, behaviour, security, tls: certified }.serve(&stream)
                });
            }
        });
        Ok(Self { address, shared })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Behaves so on the next connections, one after the other.
    pub fn queue_behaviours(&self, behaviours: impl IntoIterator<Item = SmtpBehaviour>) {
        self.shared.lock().next_behaviours.extend(behaviours);
    }

    /// Behaves so on every connection for which nothing else was said.
    pub fn set_default_behaviour(&self, behaviour: SmtpBehaviour) {
        self.shared.lock().default_behaviour = Some(behaviour);
    }

    /// Every message so far that was read to its end.
    pub fn received(&self) -> Vec<ReceivedMessage> {
        self.shared.lock().received.clone()
    }

    /// Every command so far, of all connections.
    pub fn commands(&self) -> Vec<String> {
        self.shared.lock().commands.clone()
    }

    /// Waits until so many messages have been read to their end; false if that takes longer than anyone would wait.
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
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
    }
}
