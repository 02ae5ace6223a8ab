//! TLS of the server, with a certificate for `localhost`.

use std::io::Error;
use std::net::TcpStream;
use std::sync::Arc;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::Certificate;

/// A server certificate with its key.
#[derive(Clone)]
pub(super) struct ServerTls(Arc<ServerConfig>);

impl ServerTls {
    /// Generates a certificate; also returns the certificate of the authority that signed it, as PEM.
    pub fn generate() -> std::io::Result<(Self, String)> {
        let certificate = Certificate::generate().map_err(Error::other)?;
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der()], certificate.key_der())
            .map_err(Error::other)?;
        Ok((Self(Arc::new(config)), certificate.authority().to_owned()))
    }

    /// Starts TLS on the server's side of a connection.
    pub fn accept(&self, stream: TcpStream) -> std::io::Result<StreamOwned<ServerConnection, TcpStream>> {
        let connection = ServerConnection::new(Arc::clone(&self.0)).map_err(Error::other)?;
        Ok(StreamOwned::new(connection, stream))
    }
}
