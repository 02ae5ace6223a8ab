//! The section of the configuration that mail reads.

use std::net::IpAddr;
use std::path::PathBuf;

use domain::{EmailAddress, Name, Secret};
use serde::Deserialize;

/// `[mail]` of the configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// How messages are handed over.
    pub transport: Transport,
    /// The sender's address.
    pub from_address: String,
    /// The sender's name.
    pub from_name: String,
    /// The server, if there is one.
    pub smtp: Smtp,
}

/// How messages are handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// As files in the data folder.
    Folder,
    /// To a server.
    Smtp,
    /// Kept in memory, for tests; no configuration can ask for it.
    #[serde(skip)]
    Memory,
}

/// `[mail.smtp]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Smtp {
    /// The server's name, which its certificate must carry.
    pub host: String,
    /// The server's port.
    pub port: u16,
    /// How the connection is secured.
    pub security: Security,
    /// Certificates to trust besides the well-known ones: a PEM file. Empty means none.
    pub ca_file: PathBuf,
    /// To log in with. Empty means without.
    pub username: String,
    /// To log in with.
    pub password: Secret,
    /// How long connecting may take.
    pub connect_timeout_s: u32,
    /// How long the server may take over each command.
    pub command_timeout_s: u32,
}

/// How the connection to the server is secured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Security {
    /// It begins in the clear, and nothing is said before it is secured.
    Starttls,
    /// It is secured from the first byte.
    Tls,
    /// It is not; only for a server on this machine.
    None,
}

impl Config {
    /// Says what is wrong with the values, by key.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        EmailAddress::parse(&self.from_address)
            .map_err(|invalid| ("mail.from_address", invalid.message.into_owned()))?;
        Name::parse(&self.from_name).map_err(|invalid| ("mail.from_name", invalid.message.into_owned()))?;
        let smtp = &self.smtp;
        if smtp.connect_timeout_s == 0 {
            return Err(("mail.smtp.connect_timeout_s", "must be at least 1".to_owned()));
        }
        if smtp.command_timeout_s == 0 {
            return Err(("mail.smtp.command_timeout_s", "must be at least 1".to_owned()));
        }
        if self.transport != Transport::Smtp {
            return Ok(());
        }
        if smtp.host.is_empty() || smtp.host.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(("mail.smtp.host", "must be the name of a server".to_owned()));
        }
        let is_here =
            smtp.host == "localhost" || smtp.host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
        if smtp.security == Security::None && !is_here {
            let reason = "must be starttls or tls, unless the server is on this machine";
            return Err(("mail.smtp.security", reason.to_owned()));
        }
        if smtp.username.is_empty() != smtp.password.0.is_empty() {
            return Err(("mail.smtp.username", "and mail.smtp.password go together".to_owned()));
        }
        Ok(())
    }
}
