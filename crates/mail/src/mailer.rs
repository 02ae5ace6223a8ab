//! Handing messages over, by one of a closed set of ways.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use domain::{Email, Name};

use crate::folder::Folder;
use crate::smtp::Server;
use crate::{Config, Message, SendError, Transport};

/// Hands messages over.
#[derive(Clone, Debug)]
pub struct Mailer {
    from: (Email, Name),
    way: Way,
}

#[derive(Clone, Debug)]
enum Way {
    Folder(Folder),
    Smtp(Arc<Server>),
    Memory(Arc<Mutex<Vec<Delivered>>>),
}

/// A message that the memory transport was given.
#[derive(Clone, Debug)]
pub struct Delivered {
    /// The message.
    pub message: Message,
    /// Its bytes, as a server would have got them.
    pub bytes: Vec<u8>,
}

impl Mailer {
    /// Sets up the configured way. Says what is wrong, by key; no server is asked yet.
    pub fn new(config: &Config, data: &Path) -> Result<Self, (&'static str, String)> {
        config.check()?;
        let refused = |key| move |invalid: domain::Invalid| (key, invalid.message.into_owned());
        let from = (
            Email::parse(&config.from_address).map_err(refused("mail.from_address"))?,
            Name::parse(&config.from_name).map_err(refused("mail.from_name"))?,
        );
        let way = match config.transport {
            Transport::Folder => Way::Folder(Folder::new(data.join("mail"))),
            Transport::Smtp => Way::Smtp(Arc::new(Server::new(&config.smtp, &from.0)?)),
            Transport::Memory => Way::Memory(Arc::default()),
        };
        Ok(Self { from, way })
    }

    /// Hands a message over. A message that was handed over may be handed over again: it is the same, byte by byte.
    pub async fn send(&self, message: &Message) -> Result<(), SendError> {
        let (envelope, bytes) = message.encode(&self.from)?;
        match &self.way {
            Way::Folder(folder) => folder.put(&message.id, message.date, bytes).await,
            Way::Smtp(server) => server.send(&envelope, &bytes).await,
            Way::Memory(delivered) => {
                let mut delivered = delivered.lock().unwrap_or_else(PoisonError::into_inner);
                delivered.push(Delivered { message: message.clone(), bytes });
                Ok(())
            }
        }
    }

    /// What the memory transport was given, in that order; nothing for the others.
    pub fn delivered(&self) -> Vec<Delivered> {
        match &self.way {
            Way::Memory(delivered) => delivered.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            Way::Folder(_) | Way::Smtp(_) => Vec::new(),
        }
    }

    /// Where messages go, for people.
    pub fn describe(&self) -> String {
        match &self.way {
            Way::Folder(folder) => format!("files in {}", folder.path().display()),
            Way::Smtp(server) => server.describe(),
            Way::Memory(_) => "memory".to_owned(),
        }
    }
}
