//! A TLS certificate for `localhost`, generated for one test.

use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The certificate of a server with its key, and that of the authority that signed it, which nobody trusts by itself.
pub struct Certificate {
    certificate: rcgen::Certificate,
    key: KeyPair,
    authority: String,
}

impl Certificate {
    pub fn generate() -> Result<Self, rcgen::Error> {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        let authority_key = KeyPair::generate()?;
        let mut authority = CertificateParams::new([])?;
        // Clients find an authority by its name. With the default one, which the certificate has, too, OpenSSL takes that for self-signed.
        let name = format!("Authority {}", NEXT.fetch_add(1, Ordering::Relaxed));
        authority.distinguished_name.push(DnType::CommonName, name);
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = authority.self_signed(&authority_key)?.pem();
        let issuer = Issuer::new(authority, authority_key);
        let key = KeyPair::generate()?;
        let params = CertificateParams::new(["localhost".to_owned()])?;
        let certificate = params.signed_by(&key, &issuer)?;
        Ok(Self { certificate, key, authority: pem })
    }

    /// Returns the certificate of the authority, as PEM.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    pub(crate) fn pem(&self) -> String {
        self.certificate.pem()
    }

    pub(crate) fn key_pem(&self) -> String {
        self.key.serialize_pem()
    }

    pub(crate) fn der(&self) -> CertificateDer<'static> {
        self.certificate.der().clone()
    }

    pub(crate) fn key_der(&self) -> PrivateKeyDer<'static> {
        PrivateKeyDer::Pkcs8(self.key.serialize_der().into())
    }
}
