//! What is said on one connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use super::tls::Certified;
use super::{Conduct, Received, Security, Shared};

/// One connection.
pub(super) struct Session {
    pub shared: Arc<Shared>,
    pub conduct: Conduct,
    pub security: Security,
    pub certified: Option<Certified>,
}

/// What can be spoken over, secured or not.
trait Wire: Read + Write {}
impl<T: Read + Write> Wire for T {}

type Line = BufReader<Box<dyn Wire>>;

impl Session {
    fn secured(&self, stream: &TcpStream) -> std::io::Result<Line> {
        let certified = self.certified.as_ref().ok_or_else(|| std::io::Error::other("no certificate"))?;
        Ok(BufReader::new(Box::new(certified.secure(stream.try_clone()?)?)))
    }

    pub fn serve(&self, stream: &TcpStream) -> std::io::Result<()> {
        let mut is_secure = self.security == Security::FromTheStart;
        let mut lines: Line = if is_secure { self.secured(stream)? } else { plain(stream)? };
        match self.conduct {
            Conduct::Stall => return wait_for_the_end(&mut lines),
            Conduct::RefuseGreeting(line) => return say(&mut lines, line),
            _ => say(&mut lines, "220 testbed ready")?,
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
                    say(&mut lines, "250-testbed\r\n250 STARTTLS")?;
                }
                "EHLO" if self.security == Security::OnRequest && !is_secure => {
                    say(&mut lines, "250-testbed\r\n250 STARTTLS")?;
                }
                "STARTTLS" if self.security == Security::OnRequest => {
                    say(&mut lines, "220 go ahead")?;
                    lines = self.secured(stream)?;
                    is_secure = true;
                }
                "EHLO" => say(&mut lines, "250-testbed\r\n250-SMTPUTF8\r\n250 AUTH PLAIN")?,
                "STARTTLS" => {
                    say(&mut lines, "220 go ahead")?;
                    return say(&mut lines, "this is no TLS");
                }
                "AUTH" => match self.conduct {
                    Conduct::RefuseLogin(answer) => say(&mut lines, answer)?,
                    _ => {
                        login = line.split(' ').nth(2).map(str::to_owned);
                        say(&mut lines, "235 welcome")?;
                    }
                },
                "MAIL" => {
                    from = address(&line);
                    say(&mut lines, "250 fine")?;
                }
                "RCPT" => match self.conduct {
                    Conduct::RefuseRecipient(answer) => say(&mut lines, answer)?,
                    _ => {
                        to.push(address(&line));
                        say(&mut lines, "250 fine")?;
                    }
                },
                "DATA" => match self.conduct {
                    Conduct::RefuseData(answer) => say(&mut lines, answer)?,
                    _ => {
                        say(&mut lines, "354 go ahead")?;
                        let Some(text) = read_message(&mut lines)? else { return Ok(()) };
                        let refused = matches!(
                            self.conduct,
                            Conduct::RefuseMessage(_)
                                | Conduct::StallAfterMessage
                                | Conduct::DropAfterMessage
                        );
                        let (from, to) = (std::mem::take(&mut from), std::mem::take(&mut to));
                        let login = login.clone();
                        let received = Received { from, to, login, text, is_secure, is_taken: !refused };
                        self.shared.lock().received.push(received);
                        self.shared.changed.notify_all();
                        match self.conduct {
                            Conduct::RefuseMessage(answer) => say(&mut lines, answer)?,
                            Conduct::StallAfterMessage => return wait_for_the_end(&mut lines),
                            Conduct::DropAfterMessage => return Ok(()),
                            _ => say(&mut lines, "250 taken")?,
                        }
                    }
                },
                "QUIT" => return say(&mut lines, "221 bye"),
                _ => say(&mut lines, "500 what?")?,
            }
        }
    }
}

fn plain(stream: &TcpStream) -> std::io::Result<Line> {
    Ok(BufReader::new(Box::new(stream.try_clone()?)))
}

fn say(lines: &mut Line, line: &str) -> std::io::Result<()> {
    let wire = lines.get_mut();
    wire.write_all(line.as_bytes())?;
    wire.write_all(b"\r\n")?;
    wire.flush()
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
