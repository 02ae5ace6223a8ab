//! The `[mail]` section of the configuration.

use std::net::IpAddr;
use std::path::PathBuf;

use domain::{EmailAddress, Name, Secret};
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub transport: Transport,
    pub from_address: String,
    pub from_name: String,
    /// Used by the SMTP transport.
    pub smtp: Smtp,
}

/// The way in which messages are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// As files in the data folder.
    Folder,
    Smtp,
    /// Kept in memory, for tests only; cannot be set in the configuration.
    #[serde(skip)]
    Memory,
}

/// The `[mail.smtp]` section.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Smtp {
    /// The server's name, which must match its certificate.
    pub host: String,
    pub port: u16,
    pub security: Security,
    /// A PEM file with certificates to trust in addition to the well-known ones. Empty means none.
    pub ca_file: PathBuf,
    /// Empty means no login.
    pub username: String,
    pub password: Secret,
    pub connect_timeout_s: u32,
    /// Timeout for each command.
    pub command_timeout_s: u32,
}

/// The encryption of the connection to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Security {
    /// Starts in plain text and is upgraded before anything else is sent.
    Starttls,
    /// Encrypted from the first byte.
    Tls,
    /// Not encrypted; only for a server on this machine.
    None,
}

impl Config {
    /// Validates the values. An error holds the key that is wrong and the reason.
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
            return Err(("mail.smtp.host", "must be a host name".to_owned()));
        }
        let is_here =
            smtp.host == "localhost" || smtp.host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
        if smtp.security == Security::None && !is_here {
            let reason = "must be starttls or tls, unless the server is on this machine";
            return Err(("mail.smtp.security", reason.to_owned()));
        }
        if smtp.username.is_empty() != smtp.password.0.is_empty() {
            return Err(("mail.smtp.username", "must be set together with mail.smtp.password".to_owned()));
        }
        Ok(())
    }
}
