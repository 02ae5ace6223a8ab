//! The implementation of cryptography below TLS, which is chosen here for all clients of the service.

use rustls::crypto::{CryptoProvider, ring};

/// Makes ring the implementation for this process. Whoever builds a client calls it before, so that none depends on what ran earlier;
/// after the first time it does nothing.
pub fn install_provider() {
    if CryptoProvider::get_default().is_none() {
        // Fails only if another thread was faster, which has installed the same.
        let _ = ring::default_provider().install_default();
    }
}

#[cfg(test)]
mod tests {
    use rustls::NamedGroup;
    use rustls::crypto::CryptoProvider;

    #[test]
    fn it_is_installed_once_and_knows_the_usual_groups() {
        super::install_provider();
        super::install_provider();
        let groups: Vec<NamedGroup> =
            CryptoProvider::get_default().unwrap().kx_groups.iter().map(|group| group.name()).collect();
        assert_eq!(groups, [NamedGroup::X25519, NamedGroup::secp256r1, NamedGroup::secp384r1]);
    }
}
