//! A TCP proxy in front of a PostgreSQL cluster that fails as networks and servers do: it cuts connections, also around a commit, stalls
//! them, and leads to another server.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::PostgresCluster;
use crate::postgres::USER;

/// Where the connection of the next commit is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitCut {
    /// Before the commit has reached the server, which therefore rolls the transaction back.
    BeforeServer,
    /// When the server has answered the commit, and before the answer has reached the client.
    BeforeAnswer,
    /// On the side of the client only, at first: the commit reaches the server after a while, which until then has the transaction open.
    LateToServer,
}

/// How late a commit is that is held back on its way to the server.
const LATENESS: Duration = Duration::from_secs(2);

/// A running proxy on a free port.
pub struct PostgresProxy {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The socket of the server.
    target: PathBuf,
    connections: Vec<Arc<Connection>>,
    next_commit: Option<CommitCut>,
    is_stalled: bool,
    is_stopped: bool,
}

struct Connection {
    client: TcpStream,
    server: UnixStream,
    /// Whether the next answer of the server is withheld, and the connection cut instead.
    withholds_answer: AtomicBool,
}

impl Connection {
    fn cut(&self) {
        // Either side may be gone already.
        let _ = self.client.shutdown(Shutdown::Both);
        let _ = self.server.shutdown(Shutdown::Both);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for as long as connections are stalled.
    fn wait_while_stalled(&self) -> MutexGuard<'_, State> {
        let is_stalled = |state: &mut State| state.is_stalled && !state.is_stopped;
        self.changed.wait_while(self.lock(), is_stalled).unwrap_or_else(PoisonError::into_inner)
    }
}

impl PostgresProxy {
    /// Starts a proxy that leads to a cluster.
    pub fn start(cluster: &PostgresCluster) -> Self {
        #[expect(clippy::expect_used, reason = "tests cannot go on without it")]
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        #[expect(clippy::expect_used, reason = "tests cannot go on without it")]
        let address = listener.local_addr().expect("the address of a listener");
        let proxy = Self { address, shared: Arc::default() };
        proxy.lead_to(cluster);
        let shared = Arc::clone(&proxy.shared);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if shared.lock().is_stopped {
                    return;
                }
                // A server that is gone closes the connection, as a balancer without a server does.
                let _ = connect(client, &shared);
            }
        });
        proxy
    }

    /// Returns the URL of a database of the cluster by way of this proxy.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{USER}@{}/{database}?sslmode=disable", self.address)
    }

    /// Leads new connections to another cluster.
    pub fn lead_to(&self, cluster: &PostgresCluster) {
        self.shared.lock().target = cluster.socket();
    }

    /// Cuts all connections. New ones are accepted.
    pub fn cut_all(&self) {
        for connection in self.shared.lock().connections.drain(..) {
            connection.cut();
        }
    }

    /// Cuts the connection on which the next commit is sent, once.
    pub fn cut_next_commit(&self, at: CommitCut) {
        self.shared.lock().next_commit = Some(at);
    }

    /// Whether no commit has been cut since that was last asked for.
    pub fn waits_for_commit(&self) -> bool {
        self.shared.lock().next_commit.is_some()
    }

    /// Passes nothing on, in either direction and on new connections too, until [`PostgresProxy::resume`].
    pub fn stall(&self) {
        self.shared.lock().is_stalled = true;
    }

    pub fn resume(&self) {
        self.shared.lock().is_stalled = false;
        self.shared.changed.notify_all();
    }
}

impl Drop for PostgresProxy {
    fn drop(&mut self) {
        self.shared.lock().is_stopped = true;
        self.shared.changed.notify_all();
        self.cut_all();
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
    }
}

fn connect(client: TcpStream, shared: &Arc<Shared>) -> io::Result<()> {
    client.set_nodelay(true)?;
    let mut state = shared.lock();
    let server = UnixStream::connect(&state.target)?;
    let connection = Arc::new(Connection { client, server, withholds_answer: AtomicBool::new(false) });
    state.connections.push(Arc::clone(&connection));
    drop(state);
    let (to_server, to_client) = (Arc::clone(&connection), connection);
    let (of_requests, of_answers) = (Arc::clone(shared), Arc::clone(shared));
    std::thread::spawn(move || {
        let _ = pass_requests(&to_server, &of_requests);
        to_server.cut();
    });
    std::thread::spawn(move || {
        let _ = pass_answers(&to_client, &of_answers);
        to_client.cut();
    });
    Ok(())
}

/// Passes on what the client sends, message by message.
fn pass_requests(connection: &Connection, shared: &Shared) -> io::Result<()> {
    let (mut client, mut server) = (&connection.client, &connection.server);
    // The first message of a connection has no letter for its kind. Encryption is not asked for.
    let mut message = read_message(&mut client, &[])?;
    loop {
        let mut state = shared.wait_while_stalled();
        let cut = match is_commit(&message) {
            true => state.next_commit.take(),
            false => None,
        };
        drop(state);
        match cut {
            Some(CommitCut::BeforeServer) => return Ok(()),
            Some(CommitCut::BeforeAnswer) => connection.withholds_answer.store(true, Ordering::SeqCst),
            Some(CommitCut::LateToServer) => {
                client.shutdown(Shutdown::Both)?;
                std::thread::sleep(LATENESS);
                // The server reads what was sent before the end of the connection.
                return server.write_all(&message);
            }
            None => {}
        }
        server.write_all(&message)?;
        let mut kind = [0];
        client.read_exact(&mut kind)?;
        message = read_message(&mut client, &kind)?;
    }
}

/// Reads the rest of a message after the letter of its kind. Its length counts itself.
fn read_message(client: &mut &TcpStream, kind: &[u8]) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    client.read_exact(&mut length)?;
    let rest = (u32::from_be_bytes(length) as usize).saturating_sub(length.len());
    let mut message = [kind, &length[..]].concat();
    let start = message.len();
    message.resize(start + rest, 0);
    client.read_exact(&mut message[start..])?;
    Ok(message)
}

/// Whether a message is a simple query that commits.
fn is_commit(message: &[u8]) -> bool {
    let text = message.get(5..).and_then(|text| text.strip_suffix(b"\0"));
    message.first() == Some(&b'Q') && text.is_some_and(|text| text.eq_ignore_ascii_case(b"commit"))
}

/// Passes on what the server sends.
fn pass_answers(connection: &Connection, shared: &Shared) -> io::Result<()> {
    let (mut client, mut server) = (&connection.client, &connection.server);
    let mut bytes = vec![0; 64 * 1024];
    loop {
        let length = server.read(&mut bytes)?;
        if length == 0 || connection.withholds_answer.load(Ordering::SeqCst) {
            return Ok(());
        }
        drop(shared.wait_while_stalled());
        client.write_all(&bytes[..length])?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_simple_query_commits() {
        assert!(is_commit(b"Q\0\0\0\x0bcommit\0") && is_commit(b"Q\0\0\0\x0bCOMMIT\0"));
        assert!(!is_commit(b"Q\0\0\0\x0dcommit 1\0") && !is_commit(b"P\0\0\0\x0bcommit\0"));
        assert!(!is_commit(b"") && !is_commit(b"Q\0\0\0\x04"));
    }
}
