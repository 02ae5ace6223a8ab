//! A TLS certificate for `localhost`, generated for one test.

use std::io::Error;
use std::net::TcpStream;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A server certificate with its key.
#[derive(Clone)]
pub(super) struct ServerTls(Arc<ServerConfig>);

impl ServerTls {
    /// Generates a certificate; also returns the certificate of the authority that signed it, as PEM.
    pub fn generate() -> std::io::Result<(Self, String)> {
        let authority_key = KeyPair::generate().map_err(Error::other)?;
        let mut authority = CertificateParams::new([]).map_err(Error::other)?;
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = authority.self_signed(&authority_key).map_err(Error::other)?.pem();
        let issuer = Issuer::new(authority, authority_key);
        let key = KeyPair::generate().map_err(Error::other)?;
        let params = CertificateParams::new(["localhost".to_owned()]).map_err(Error::other)?;
        let certificate = params.signed_by(&key, &issuer).map_err(Error::other)?;
        let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(Error::other)?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .map_err(Error::other)?;
        Ok((Self(Arc::new(config)), pem))
    }

    /// Starts TLS on the server's side of a connection.
    pub fn accept(&self, stream: TcpStream) -> std::io::Result<StreamOwned<ServerConnection, TcpStream>> {
        let connection = ServerConnection::new(Arc::clone(&self.0)).map_err(Error::other)?;
        Ok(StreamOwned::new(connection, stream))
    }
}
