//! The SMTP transport.
//!
//! Commands are sent one by one, so that each has its own timeout and the phase of a failure is known. Failures before the
//! server knows the message (greeting, login) are for the operator to fix and are retried; a permanent refusal after that
//! concerns the message.

use std::fmt::{self, Display};
use std::future::Future;
use std::time::Duration;

use domain::EmailAddress;
use lettre::Address;
use lettre::address::Envelope;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailParameter};
use tokio::time::timeout;

use crate::{Security, SendError, Smtp};

/// Timeout for the farewell at the end of a connection, which no longer matters.
const QUIT_TIMEOUT: Duration = Duration::from_secs(1);

/// Speed at which even a slow connection takes a message with an attachment.
const MIN_BYTES_PER_S: u64 = 100_000;

pub(crate) struct SmtpServer {
    host: String,
    port: u16,
    security: Security,
    tls: Option<TlsParameters>,
    credentials: Option<Credentials>,
    client_id: ClientId,
    connect_timeout: Duration,
    command_timeout: Duration,
}

impl fmt::Debug for SmtpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe())
    }
}

impl SmtpServer {
    pub fn new(config: &Smtp, from: &EmailAddress) -> Result<Self, (&'static str, String)> {
        let tls = match config.security {
            Security::None => None,
            Security::Starttls | Security::Tls => Some(tls_parameters(config)?),
        };
        let login = (!config.username.is_empty())
            .then(|| Credentials::new(config.username.clone(), config.password.0.clone()));
        // Introduces itself with the domain of the sender's address, the best known name of this service.
        let name = from.as_str().rsplit('@').next().filter(|name| name.is_ascii()).unwrap_or("localhost");
        Ok(Self {
            host: config.host.clone(),
            port: config.port,
            security: config.security,
            tls,
            credentials: login,
            client_id: ClientId::Domain(name.to_owned()),
            connect_timeout: Duration::from_secs(config.connect_timeout_s.into()),
            command_timeout: Duration::from_secs(config.command_timeout_s.into()),
        })
    }

    pub fn describe(&self) -> String {
        format!("{}:{} over SMTP", self.host, self.port)
    }

    pub async fn send(&self, envelope: &Envelope, message: &[u8]) -> Result<(), SendError> {
        let mut connection = self.connect().await?;
        let outcome = self.transmit(&mut connection, envelope, message).await;
        let _ = timeout(QUIT_TIMEOUT, connection.quit()).await;
        outcome
    }

    /// Connects and logs in. Failures here are never the message's fault.
    async fn connect(&self) -> Result<AsyncSmtpConnection, SendError> {
        let wrapped = if self.security == Security::Tls { self.tls.clone() } else { None };
        let address = (self.host.as_str(), self.port);
        let connecting = AsyncSmtpConnection::connect_tokio1(address, None, &self.client_id, wrapped, None);
        let mut connection =
            with_timeout("connecting", self.connect_timeout, connecting).await?.map_err(transient_error)?;
        if let (Security::Starttls, Some(tls)) = (self.security, &self.tls) {
            // Nothing is sent without encryption: if the server does not offer it, or an attacker removed the offer, the
            // connection is given up.
            let securing = connection.starttls(tls.clone(), &self.client_id);
            with_timeout("starting TLS", self.command_timeout, securing).await?.map_err(transient_error)?;
        }
        if let Some(login) = &self.credentials {
            let logging_in = connection.auth(&[Mechanism::Plain, Mechanism::Login], login);
            with_timeout("logging in", self.command_timeout, logging_in).await?.map_err(transient_error)?;
        }
        Ok(connection)
    }

    async fn transmit(
        &self,
        connection: &mut AsyncSmtpConnection,
        envelope: &Envelope,
        message: &[u8],
    ) -> Result<(), SendError> {
        let mut options = Vec::new();
        let is_ascii = |address: &Address| AsRef::<str>::as_ref(address).is_ascii();
        if !envelope.from().into_iter().chain(envelope.to()).all(is_ascii) {
            if !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
                let reason = "the address is not ASCII, and the server does not support such addresses";
                return Err(SendError::Permanent(reason.to_owned()));
            }
            options.push(MailParameter::SmtpUtfEight);
        }
        let limit = self.command_timeout;
        command(limit, connection, "MAIL", Mail::new(envelope.from().cloned(), options)).await?;
        for to in envelope.to() {
            command(limit, connection, "RCPT", Rcpt::new(to.clone(), Vec::new())).await?;
        }
        command(limit, connection, "DATA", Data).await?;
        let limit = limit + Duration::from_secs(message.len() as u64 / MIN_BYTES_PER_S);
        with_timeout("sending the message", limit, connection.message(message))
            .await?
            .map_err(classify_error)?;
        Ok(())
    }
}

async fn command<C: Display>(
    limit: Duration,
    connection: &mut AsyncSmtpConnection,
    name: &str,
    command: C,
) -> Result<(), SendError> {
    with_timeout(name, limit, connection.command(command)).await?.map_err(classify_error)?;
    Ok(())
}

async fn with_timeout<T>(what: &str, limit: Duration, work: impl Future<Output = T>) -> Result<T, SendError> {
    timeout(limit, work)
        .await
        .map_err(|_| SendError::Transient(format!("{what}: no answer within {} s", limit.as_secs())))
}

/// Wraps an error that does not concern the message.
#[expect(clippy::needless_pass_by_value, reason = "map_err passes it by value")]
fn transient_error(error: Error) -> SendError {
    SendError::Transient(error.to_string())
}

#[expect(clippy::needless_pass_by_value, reason = "map_err passes it by value")]
fn classify_error(error: Error) -> SendError {
    if error.is_permanent() {
        SendError::Permanent(error.to_string())
    } else {
        SendError::Transient(error.to_string())
    }
}

fn tls_parameters(config: &Smtp) -> Result<TlsParameters, (&'static str, String)> {
    tls::install_provider();
    let mut builder = TlsParameters::builder(config.host.clone());
    if !config.ca_file.as_os_str().is_empty() {
        let fault = |reason: String| ("mail.smtp.ca_file", format!("{}: {reason}", config.ca_file.display()));
        let pem = std::fs::read(&config.ca_file).map_err(|error| fault(error.to_string()))?;
        let certificate = Certificate::from_pem(&pem).map_err(|error| fault(error.to_string()))?;
        builder = builder.add_root_certificate(certificate);
    }
    builder.build_rustls().map_err(|error| ("mail.smtp.host", error.to_string()))
}
