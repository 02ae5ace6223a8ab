//! A TCP proxy on loopback that fails as networks do: it cuts connections, refuses new ones, or passes nothing on.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What happens to connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Open,
    /// Everything is closed at once, as by a program that has ended.
    Cut,
    /// Nothing is passed on and nothing is closed, as by a cable that was pulled.
    Stalled,
    Stopped,
}

/// A running proxy on a free port.
pub struct TcpProxy {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    /// The servers; a connection leads to the first that accepts it.
    targets: Vec<SocketAddr>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    mode: Mode,
    connections: Vec<Arc<(TcpStream, TcpStream)>>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for as long as connections are stalled, and returns whether they are open then.
    fn is_open(&self) -> bool {
        let is_stalled = |state: &mut State| state.mode == Mode::Stalled;
        let state = self.changed.wait_while(self.lock(), is_stalled).unwrap_or_else(PoisonError::into_inner);
        state.mode == Mode::Open
    }

    fn set(&self, mode: Mode) {
        self.lock().mode = mode;
        self.changed.notify_all();
    }

    fn close_all(&self) {
        for connection in self.lock().connections.drain(..) {
            close(&connection);
        }
    }
}

impl TcpProxy {
    /// Starts a proxy that leads to the first of these servers that accepts a connection.
    pub fn start(targets: Vec<SocketAddr>) -> Result<Self, String> {
        let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        let shared = Arc::new(Shared { targets, state: Mutex::default(), changed: Condvar::new() });
        let accepting = Arc::clone(&shared);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if accepting.lock().mode == Mode::Stopped {
                    return;
                }
                let shared = Arc::clone(&accepting);
                std::thread::spawn(move || {
                    let _ = serve(client, &shared);
                });
            }
        });
        Ok(Self { address, shared })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Closes all connections, and new ones as soon as they are made, until [`TcpProxy::restore`].
    pub fn cut(&self) {
        self.shared.set(Mode::Cut);
        self.shared.close_all();
    }

    /// Closes the connections that there are. New ones are served.
    pub fn cut_once(&self) {
        self.shared.close_all();
    }

    /// Passes nothing on, in either direction and on new connections too, until [`TcpProxy::restore`].
    pub fn stall(&self) {
        self.shared.set(Mode::Stalled);
    }

    /// Serves again. What was stalled goes on.
    pub fn restore(&self) {
        self.shared.set(Mode::Open);
    }
}

impl Drop for TcpProxy {
    fn drop(&mut self) {
        self.shared.set(Mode::Stopped);
        self.shared.close_all();
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
    }
}

fn close(connection: &(TcpStream, TcpStream)) {
    // Either side may be gone already.
    let _ = connection.0.shutdown(Shutdown::Both);
    let _ = connection.1.shutdown(Shutdown::Both);
}

/// Serves one connection until it ends.
fn serve(client: TcpStream, shared: &Arc<Shared>) -> io::Result<()> {
    if !shared.is_open() {
        return Ok(());
    }
    let limit = Duration::from_secs(5);
    let connected = shared.targets.iter().find_map(|target| TcpStream::connect_timeout(target, limit).ok());
    let server = connected.ok_or(io::ErrorKind::ConnectionRefused)?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let connection = Arc::new((client, server));
    shared.lock().connections.push(Arc::clone(&connection));
    let (answered, answers) = (Arc::clone(&connection), Arc::clone(shared));
    let answering = std::thread::spawn(move || {
        let _ = pass(&answered.1, &answered.0, &answers);
        close(&answered);
    });
    let passed = pass(&connection.0, &connection.1, shared);
    close(&connection);
    let _ = answering.join();
    shared.lock().connections.retain(|other| !Arc::ptr_eq(other, &connection));
    passed
}

/// Passes on what one side sends, until it closes.
fn pass(mut from: &TcpStream, mut to: &TcpStream, shared: &Shared) -> io::Result<()> {
    let mut bytes = vec![0; 64 * 1024];
    loop {
        let length = from.read(&mut bytes)?;
        if length == 0 || !shared.is_open() {
            return Ok(());
        }
        to.write_all(&bytes[..length])?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers every connection with what it sent.
    fn echo() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for mut client in listener.incoming().map_while(Result::ok) {
                std::thread::spawn(move || {
                    let mut bytes = [0; 64];
                    while let Ok(length @ 1..) = client.read(&mut bytes) {
                        client.write_all(&bytes[..length]).unwrap();
                    }
                });
            }
        });
        address
    }

    fn ask(stream: &mut TcpStream) -> io::Result<u8> {
        let mut answer = [0];
        stream.write_all(b"x")?;
        stream.read_exact(&mut answer)?;
        Ok(answer[0])
    }

    #[test]
    fn it_passes_on_stalls_and_cuts() {
        // Nobody listens on the first.
        let proxy = TcpProxy::start(vec![([127, 0, 0, 1], 1).into(), echo()]).unwrap();
        let connect = || TcpStream::connect(proxy.address()).unwrap();
        let mut stream = connect();
        assert_eq!(ask(&mut stream).unwrap(), b'x');
        proxy.stall();
        stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        assert!(ask(&mut stream).is_err());
        proxy.restore();
        stream.set_read_timeout(None).unwrap();
        assert_eq!(stream.read(&mut [0]).unwrap(), 1, "what was stalled arrives");
        proxy.cut();
        assert!(ask(&mut stream).is_err() && ask(&mut connect()).is_err());
        proxy.restore();
        assert_eq!(ask(&mut connect()).unwrap(), b'x');
    }
}
