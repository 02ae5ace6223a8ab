//! A small SMTP server on loopback that behaves as it is told: it takes messages, refuses them, or goes silent.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How the server behaves on one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conduct {
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

/// A message that the server read to its end, whatever it answered.
#[derive(Clone, Debug)]
pub struct Received {
    /// The envelope's sender.
    pub from: String,
    /// The envelope's recipients.
    pub to: Vec<String>,
    /// What came after AUTH PLAIN, if anything did.
    pub login: Option<String>,
    /// The message, without the dots that SMTP adds.
    pub text: String,
    /// Whether it was taken.
    pub is_taken: bool,
}

impl Received {
    /// The value of a header that stands on one line.
    pub fn header(&self, name: &str) -> &str {
        let head = self.text.split("\r\n\r\n").next().unwrap_or_default();
        let mut lines = head.split("\r\n").filter_map(|line| line.split_once(": "));
        lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value)
    }
}

/// A running server. Without further word it accepts.
pub struct Smtp {
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
    coming: VecDeque<Conduct>,
    always: Option<Conduct>,
    received: Vec<Received>,
    commands: Vec<String>,
    is_over: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Smtp {
    /// Starts one on a free port.
    pub fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let shared: Arc<Shared> = Arc::default();
        let theirs = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mut state = theirs.lock();
                if state.is_over {
                    return;
                }
                let conduct = state.coming.pop_front().or(state.always).unwrap_or(Conduct::Accept);
                drop(state);
                let shared = Arc::clone(&theirs);
                // A client that goes away is no concern of ours.
                std::thread::spawn(move || Session { shared, conduct }.serve(stream));
            }
        });
        Ok(Self { address, shared })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Behaves so on the next connections, one after the other.
    pub fn next(&self, conducts: impl IntoIterator<Item = Conduct>) {
        self.shared.lock().coming.extend(conducts);
    }

    /// Behaves so on every connection for which nothing else was said.
    pub fn always(&self, conduct: Conduct) {
        self.shared.lock().always = Some(conduct);
    }

    /// Every message so far that was read to its end.
    pub fn received(&self) -> Vec<Received> {
        self.shared.lock().received.clone()
    }

    /// Every command so far, of all connections.
    pub fn commands(&self) -> Vec<String> {
        self.shared.lock().commands.clone()
    }

    /// Waits until so many messages have been read to their end; false if that takes longer than anyone would wait.
    pub fn wait_for(&self, count: usize) -> bool {
        let state = self.shared.lock();
        let missing = |state: &mut State| state.received.len() < count;
        let waited = self.shared.changed.wait_timeout_while(state, Duration::from_secs(120), missing);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}

impl Drop for Smtp {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
    }
}

struct Session {
    shared: Arc<Shared>,
    conduct: Conduct,
}

impl Session {
    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut lines = BufReader::new(stream.try_clone()?);
        match self.conduct {
            Conduct::Stall => return wait_for_the_end(&mut lines),
            Conduct::RefuseGreeting(line) => return say(&mut stream, line),
            _ => say(&mut stream, "220 testbed ready")?,
        }
        let (mut from, mut to, mut login) = (String::new(), Vec::new(), None);
        loop {
            let mut line = String::new();
            if lines.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let line = line.trim_end().to_owned();
            let verb = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
            self.shared.lock().commands.push(line.clone());
            match verb.as_str() {
                "EHLO" if self.conduct == Conduct::BreakTls => {
                    say(&mut stream, "250-testbed\r\n250 STARTTLS")?;
                }
                "EHLO" => say(&mut stream, "250-testbed\r\n250-SMTPUTF8\r\n250 AUTH PLAIN")?,
                "STARTTLS" => {
                    say(&mut stream, "220 go ahead")?;
                    return say(&mut stream, "this is no TLS");
                }
                "AUTH" => match self.conduct {
                    Conduct::RefuseLogin(answer) => say(&mut stream, answer)?,
                    _ => {
                        login = line.split(' ').nth(2).map(str::to_owned);
                        say(&mut stream, "235 welcome")?;
                    }
                },
                "MAIL" => {
                    from = address(&line);
                    say(&mut stream, "250 fine")?;
                }
                "RCPT" => match self.conduct {
                    Conduct::RefuseRecipient(answer) => say(&mut stream, answer)?,
                    _ => {
                        to.push(address(&line));
                        say(&mut stream, "250 fine")?;
                    }
                },
                "DATA" => match self.conduct {
                    Conduct::RefuseData(answer) => say(&mut stream, answer)?,
                    _ => {
                        say(&mut stream, "354 go ahead")?;
                        let Some(text) = read_message(&mut lines)? else { return Ok(()) };
                        let refused = matches!(
                            self.conduct,
                            Conduct::RefuseMessage(_)
                                | Conduct::StallAfterMessage
                                | Conduct::DropAfterMessage
                        );
                        let (from, to) = (std::mem::take(&mut from), std::mem::take(&mut to));
                        let login = login.clone();
                        let received = Received { from, to, login, text, is_taken: !refused };
                        self.shared.lock().received.push(received);
                        self.shared.changed.notify_all();
                        match self.conduct {
                            Conduct::RefuseMessage(answer) => say(&mut stream, answer)?,
                            Conduct::StallAfterMessage => return wait_for_the_end(&mut lines),
                            Conduct::DropAfterMessage => return Ok(()),
                            _ => say(&mut stream, "250 taken")?,
                        }
                    }
                },
                "QUIT" => return say(&mut stream, "221 bye"),
                _ => say(&mut stream, "500 what?")?,
            }
        }
    }
}

fn say(stream: &mut TcpStream, line: &str) -> std::io::Result<()> {
    stream.write_all(line.as_bytes())?;
    stream.write_all(b"\r\n")
}

/// Until the client hangs up.
fn wait_for_the_end(lines: &mut impl Read) -> std::io::Result<()> {
    let mut bytes = [0; 1024];
    while lines.read(&mut bytes)? > 0 {}
    Ok(())
}

/// What stands between the angle brackets.
fn address(line: &str) -> String {
    let inner = line.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    inner.map_or(line, |(address, _)| address).to_owned()
}

/// The message up to its lone dot; nothing if the client hangs up before.
fn read_message(lines: &mut impl BufRead) -> std::io::Result<Option<String>> {
    let mut text = Vec::new();
    loop {
        let mut line = Vec::new();
        if lines.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if line == b".\r\n" {
            return Ok(Some(String::from_utf8_lossy(&text).into_owned()));
        }
        text.extend_from_slice(line.strip_prefix(b".").unwrap_or(&line));
    }
}
