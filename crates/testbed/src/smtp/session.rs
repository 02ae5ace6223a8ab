//! The SMTP dialogue on one connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use super::tls::ServerTls;
use super::{ReceivedMessage, Security, SharedState, SmtpBehaviour};

pub(super) struct Session {
    pub shared: Arc<SharedState>,
    pub behaviour: SmtpBehaviour,
    pub security: Security,
    pub tls: Option<ServerTls>,
}

/// A plain or encrypted connection.
trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

type BufferedStream = BufReader<Box<dyn Stream>>;

impl Session {
    fn tls_stream(&self, stream: &TcpStream) -> std::io::Result<BufferedStream> {
        let certified = self.tls.as_ref().ok_or_else(|| std::io::Error::other("no certificate"))?;
        Ok(BufReader::new(Box::new(certified.accept(stream.try_clone()?)?)))
    }

    pub fn serve(&self, stream: &TcpStream) -> std::io::Result<()> {
        let mut is_secure = self.security == Security::ImplicitTls;
        let mut lines: BufferedStream =
            if is_secure { self.tls_stream(stream)? } else { plain_stream(stream)? };
        match self.behaviour {
            SmtpBehaviour::Stall => return wait_for_disconnect(&mut lines),
            SmtpBehaviour::RefuseGreeting(line) => return write_line(&mut lines, line),
            _ => write_line(&mut lines, "220 testbed ready")?,
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
                "EHLO" if self.behaviour == SmtpBehaviour::BreakTls => {
                    write_line(&mut lines, "250-testbed\r\n250 STARTTLS")?;
                }
                "EHLO" if self.security == Security::StartTls && !is_secure => {
                    write_line(&mut lines, "250-testbed\r\n250 STARTTLS")?;
                }
                "STARTTLS" if self.security == Security::StartTls => {
                    write_line(&mut lines, "220 go ahead")?;
                    lines = self.tls_stream(stream)?;
                    is_secure = true;
                }
                "EHLO" => write_line(&mut lines, "250-testbed\r\n250-SMTPUTF8\r\n250 AUTH PLAIN")?,
                "STARTTLS" => {
                    write_line(&mut lines, "220 go ahead")?;
                    return write_line(&mut lines, "this is no TLS");
                }
                "AUTH" => match self.behaviour {
                    SmtpBehaviour::RefuseLogin(answer) => write_line(&mut lines, answer)?,
                    _ => {
                        login = line.split(' ').nth(2).map(str::to_owned);
                        write_line(&mut lines, "235 welcome")?;
                    }
                },
                "MAIL" => {
                    from = parse_address(&line);
                    write_line(&mut lines, "250 fine")?;
                }
                "RCPT" => match self.behaviour {
                    SmtpBehaviour::RefuseRecipient(answer) => write_line(&mut lines, answer)?,
                    _ => {
                        to.push(parse_address(&line));
                        write_line(&mut lines, "250 fine")?;
                    }
                },
                "DATA" => match self.behaviour {
                    SmtpBehaviour::RefuseData(answer) => write_line(&mut lines, answer)?,
                    _ => {
                        write_line(&mut lines, "354 go ahead")?;
                        let Some(text) = read_message(&mut lines)? else { return Ok(()) };
                        let refused = matches!(
                            self.behaviour,
                            SmtpBehaviour::RefuseMessage(_)
                                | SmtpBehaviour::StallAfterMessage
                                | SmtpBehaviour::DropAfterMessage
                        );
                        let (from, to) = (std::mem::take(&mut from), std::mem::take(&mut to));
                        let login = login.clone();
                        let received = ReceivedMessage {
                            from,
                            to,
                            auth_plain: login,
                            text,
                            is_secure,
                            is_accepted: !refused,
                        };
                        self.shared.lock().received.push(received);
                        self.shared.changed.notify_all();
                        match self.behaviour {
                            SmtpBehaviour::RefuseMessage(answer) => write_line(&mut lines, answer)?,
                            SmtpBehaviour::StallAfterMessage => return wait_for_disconnect(&mut lines),
                            SmtpBehaviour::DropAfterMessage => return Ok(()),
                            _ => write_line(&mut lines, "250 taken")?,
                        }
                    }
                },
                "QUIT" => return write_line(&mut lines, "221 bye"),
                _ => write_line(&mut lines, "500 what?")?,
            }
        }
    }
}

fn plain_stream(stream: &TcpStream) -> std::io::Result<BufferedStream> {
    Ok(BufReader::new(Box::new(stream.try_clone()?)))
}

fn write_line(lines: &mut BufferedStream, line: &str) -> std::io::Result<()> {
    let wire = lines.get_mut();
    wire.write_all(line.as_bytes())?;
    wire.write_all(b"\r\n")?;
    wire.flush()
}

fn wait_for_disconnect(lines: &mut impl Read) -> std::io::Result<()> {
    let mut bytes = [0; 1024];
    while lines.read(&mut bytes)? > 0 {}
    Ok(())
}

/// Returns the text between the angle brackets.
fn parse_address(line: &str) -> String {
    let inner = line.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    inner.map_or(line, |(address, _)| address).to_owned()
}

/// Reads a message up to its terminating dot; `None` if the client disconnects first.
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
