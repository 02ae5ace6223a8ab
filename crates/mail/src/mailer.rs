//! Sends messages through one of a fixed set of transports.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use domain::{EmailAddress, Name};

use crate::folder::Folder;
use crate::smtp::SmtpServer;
use crate::{Config, Email, SendError, Transport};

#[derive(Clone, Debug)]
pub struct Mailer {
    from: (EmailAddress, Name),
    transport: ActiveTransport,
}

#[derive(Clone, Debug)]
enum ActiveTransport {
    Folder(Folder),
    Smtp(Arc<SmtpServer>),
    Memory(Arc<Mutex<Vec<SentEmail>>>),
}

/// A message sent through the memory transport.
#[derive(Clone, Debug)]
pub struct SentEmail {
    pub message: Email,
    /// The encoded message, as a server would receive it.
    pub bytes: Vec<u8>,
}

impl Mailer {
    /// Sets up the configured transport. An error holds the configuration key that is wrong and the reason. No connection is
    /// made.
    pub fn new(config: &Config, data: &Path) -> Result<Self, (&'static str, String)> {
        config.check()?;
        let refused = |key| move |invalid: domain::Invalid| (key, invalid.message.into_owned());
        let from = (
            EmailAddress::parse(&config.from_address).map_err(refused("mail.from_address"))?,
            Name::parse(&config.from_name).map_err(refused("mail.from_name"))?,
        );
        let way = match config.transport {
            Transport::Folder => ActiveTransport::Folder(Folder::new(data.join("mail"))),
            Transport::Smtp => ActiveTransport::Smtp(Arc::new(SmtpServer::new(&config.smtp, &from.0)?)),
            Transport::Memory => ActiveTransport::Memory(Arc::default()),
        };
        Ok(Self { from, transport: way })
    }

    /// Sends a message. Sending it again is safe: the bytes and the id are the same.
    pub async fn send(&self, message: &Email) -> Result<(), SendError> {
        let (envelope, bytes) = message.encode(&self.from)?;
        match &self.transport {
            ActiveTransport::Folder(folder) => folder.put(&message.id, message.date, bytes).await,
            ActiveTransport::Smtp(server) => server.send(&envelope, &bytes).await,
            ActiveTransport::Memory(delivered) => {
                let mut delivered = delivered.lock().unwrap_or_else(PoisonError::into_inner);
                delivered.push(SentEmail { message: message.clone(), bytes });
                Ok(())
            }
        }
    }

    /// Returns the messages sent through the memory transport, in order; empty for the others.
    pub fn sent_emails(&self) -> Vec<SentEmail> {
        match &self.transport {
            ActiveTransport::Memory(delivered) => {
                delivered.lock().unwrap_or_else(PoisonError::into_inner).clone()
            }
            ActiveTransport::Folder(_) | ActiveTransport::Smtp(_) => Vec::new(),
        }
    }

    /// Describes for people where messages go.
    pub fn describe(&self) -> String {
        match &self.transport {
            ActiveTransport::Folder(folder) => format!("files in {}", folder.path().display()),
            ActiveTransport::Smtp(server) => server.describe(),
            ActiveTransport::Memory(_) => "memory".to_owned(),
        }
    }
}
