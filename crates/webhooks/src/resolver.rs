//! Resolves names to public addresses alone, at every connection.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use domain::is_public_address;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// The addresses of a name, as they are being looked up.
pub(crate) type LookedUp = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;

/// Looks a name up. A field of the resolver, so that tests decide what a name resolves to.
pub(crate) type Lookup = Arc<dyn Fn(String) -> LookedUp + Send + Sync>;

/// A resolver that leaves out every address that is not public, unless private ones are allowed.
pub(crate) struct PublicOnly {
    pub allow_private: bool,
    pub lookup: Lookup,
}

/// A name that resolves to addresses of which none is public.
#[derive(Debug)]
pub(crate) struct PrivateAddress;

impl fmt::Display for PrivateAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name does not resolve to a public address")
    }
}

impl StdError for PrivateAddress {}

/// Returns the lookup of the operating system.
pub(crate) fn system_lookup() -> Lookup {
    Arc::new(|name: String| -> LookedUp { Box::pin(ask_system(name)) })
}

async fn ask_system(name: String) -> io::Result<Vec<SocketAddr>> {
    // The port is replaced by that of the address that is called.
    Ok(tokio::net::lookup_host((name, 0_u16)).await?.collect())
}

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(keep_public((self.lookup)(name.as_str().to_owned()), self.allow_private))
    }
}

async fn keep_public(
    looked_up: LookedUp,
    allow_private: bool,
) -> Result<Addrs, Box<dyn StdError + Send + Sync>> {
    let mut found = looked_up.await?;
    if !allow_private && !found.is_empty() {
        found.retain(|address| is_public_address(address.ip()));
        if found.is_empty() {
            return Err(Box::new(PrivateAddress));
        }
    }
    Ok(Box::new(found.into_iter()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Resolves a name that has these addresses.
    async fn resolve(addresses: &[&str], allow_private: bool) -> Result<Vec<String>, String> {
        let found: Vec<SocketAddr> =
            addresses.iter().map(|address| SocketAddr::new(address.parse().unwrap(), 0)).collect();
        let lookup: Lookup =
            Arc::new(move |_| -> LookedUp { Box::pin(std::future::ready(Ok(found.clone()))) });
        let resolver = PublicOnly { allow_private, lookup };
        let resolved = resolver.resolve("hooks.example.com".parse().unwrap()).await;
        resolved.map(|found| found.map(|address| address.ip().to_string()).collect()).map_err(|error| {
            assert!(error.is::<PrivateAddress>(), "{error}");
            error.to_string()
        })
    }

    #[tokio::test]
    async fn only_public_addresses_are_left() {
        assert_eq!(resolve(&["93.184.215.14"], false).await.unwrap(), ["93.184.215.14"]);
        let mixed = ["10.0.0.7", "93.184.215.14", "::1", "fd00::1"];
        assert_eq!(resolve(&mixed, false).await.unwrap(), ["93.184.215.14"]);
        for inside in ["127.0.0.1", "10.0.0.7", "169.254.169.254", "::1", "fe80::1", "::ffff:192.168.0.1"] {
            assert!(resolve(&[inside], false).await.is_err(), "{inside}");
        }
    }

    #[tokio::test]
    async fn private_addresses_are_left_if_they_are_allowed() {
        assert_eq!(resolve(&["10.0.0.7", "::1"], true).await.unwrap(), ["10.0.0.7", "::1"]);
    }

    #[tokio::test]
    async fn a_name_without_addresses_is_not_private() {
        assert!(resolve(&[], false).await.unwrap().is_empty());
    }
}
