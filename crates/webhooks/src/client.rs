//! Makes one call. The address comes from a customer, so that it must be a public one, redirects are never followed, and answers are
//! read to a limit.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use domain::is_public_address;
use reqwest::redirect::Policy;
use reqwest::{Response, Url};

use crate::error::{CallError, describe};
use crate::resolver::{Lookup, PublicOnly, system_lookup};

/// As much of an answer is read, in bytes. It is thrown away, but a receiver that still writes would see a broken connection.
const MAX_ANSWER: usize = 64 * 1024;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// What calls may do, by the configuration.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// For the whole call, from the name's resolution to the end of the answer.
    pub timeout_s: u32,
    pub allow_http: bool,
    /// Whether private, loopback and link-local addresses may be called.
    pub allow_private: bool,
}

/// Calls webhooks. Clones share it.
#[derive(Clone)]
pub struct Client {
    limits: Limits,
    lookup: Lookup,
    /// Made at the first call: it reads the certificates of the system, which a service without webhooks does not need.
    http: Arc<OnceLock<Result<reqwest::Client, String>>>,
}

impl Client {
    /// An error holds the setting that is wrong and the reason.
    pub fn new(limits: Limits) -> Result<Self, (&'static str, String)> {
        if limits.timeout_s == 0 {
            return Err(("alerts.webhook_timeout_s", "must be at least 1".to_owned()));
        }
        Ok(Self::with_lookup(limits, system_lookup()))
    }

    fn with_lookup(limits: Limits, lookup: Lookup) -> Self {
        Self { limits, lookup, http: Arc::default() }
    }

    fn http(&self) -> Result<&reqwest::Client, CallError> {
        let made = self.http.get_or_init(|| {
            tls::install_provider();
            let resolver =
                PublicOnly { allow_private: self.limits.allow_private, lookup: Arc::clone(&self.lookup) };
            let builder = reqwest::Client::builder()
                .redirect(Policy::none())
                .no_proxy()
                .timeout(Duration::from_secs(self.limits.timeout_s.into()))
                .connect_timeout(CONNECT_TIMEOUT)
                .dns_resolver(Arc::new(resolver))
                .https_only(!self.limits.allow_http)
                // Every call connects anew, so that its address is checked.
                .pool_max_idle_per_host(0);
            builder.build().map_err(|error| describe(&error))
        });
        made.as_ref().map_err(|reason| CallError::Tls(reason.clone()))
    }

    /// Posts a body and returns the status of the answer, whatever it is, except for redirects.
    pub async fn post(
        &self,
        url: &str,
        headers: &[(&'static str, String)],
        body: Vec<u8>,
    ) -> Result<u16, CallError> {
        let url = Url::parse(url).map_err(|error| CallError::Unreachable(error.to_string()))?;
        self.check(&url)?;
        let mut request = self.http()?.post(url).body(body);
        for (name, value) in headers {
            request = request.header(*name, value.as_str());
        }
        let response = request.send().await.map_err(CallError::of_network)?;
        let status = response.status();
        discard(response).await;
        match status.is_redirection() {
            true => Err(CallError::Redirected(status.as_u16())),
            false => Ok(status.as_u16()),
        }
    }

    /// Refuses what can be seen of an address. The resolver is not asked for a host that is an address itself.
    fn check(&self, url: &Url) -> Result<(), CallError> {
        if url.scheme() != "https" && !self.limits.allow_http {
            return Err(CallError::NotHttps);
        }
        let host = url.host_str().unwrap_or_default();
        let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        match literal {
            Ok(address) if !self.limits.allow_private && !is_public_address(address) => {
                Err(CallError::PrivateAddress)
            }
            _ => Ok(()),
        }
    }
}

/// Reads an answer up to the limit and throws it away. The status says what the receiver has decided, so that an answer that breaks off
/// later changes nothing.
async fn discard(mut response: Response) {
    let mut read = 0;
    while let Ok(Some(chunk)) = response.chunk().await {
        read += chunk.len();
        if read >= MAX_ANSWER {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::*;
    use crate::resolver::LookedUp;

    const STRICT: Limits = Limits { timeout_s: 2, allow_http: false, allow_private: false };

    /// Returns a client for which every name resolves to these addresses.
    fn client_with(limits: Limits, addresses: &[&str]) -> Client {
        let found: Vec<SocketAddr> =
            addresses.iter().map(|address| SocketAddr::new(address.parse().unwrap(), 0)).collect();
        let lookup: Lookup =
            Arc::new(move |_| -> LookedUp { Box::pin(std::future::ready(Ok(found.clone()))) });
        Client::with_lookup(limits, lookup)
    }

    async fn call(client: &Client, url: &str) -> Result<u16, &'static str> {
        client.post(url, &[], b"{}".to_vec()).await.map_err(|error| error.reason())
    }

    #[tokio::test]
    async fn a_name_that_leads_inside_by_now_is_not_called() {
        for address in ["127.0.0.1", "192.168.1.1", "169.254.169.254", "::1"] {
            let client = client_with(STRICT, &[address]);
            let refused = call(&client, "https://hooks.example.com/x").await;
            assert_eq!(refused, Err("private_address"), "{address}");
        }
    }

    #[tokio::test]
    async fn an_address_in_place_of_a_name_is_checked_too() {
        let client = client_with(STRICT, &[]);
        // The address of a host can be written in several ways.
        for url in [
            "https://127.0.0.1/",
            "https://127.1/",
            "https://0x7f000001/",
            "https://2130706433/",
            "https://[::1]:8443/",
            "https://[::ffff:10.0.0.1]/",
            "https://169.254.169.254/latest/meta-data",
        ] {
            assert_eq!(call(&client, url).await, Err("private_address"), "{url}");
        }
    }

    #[tokio::test]
    async fn only_https_is_called() {
        let client = client_with(STRICT, &["93.184.215.14"]);
        assert_eq!(call(&client, "http://hooks.example.com/").await, Err("not_https"));
        assert_eq!(call(&client, "ftp://hooks.example.com/").await, Err("not_https"));
        assert_eq!(call(&client, "no address").await, Err("unreachable"));
    }

    #[tokio::test]
    async fn a_port_where_nobody_listens_is_unreachable() {
        let limits = Limits { timeout_s: 2, allow_http: true, allow_private: true };
        let client = client_with(limits, &["127.0.0.1"]);
        // Bound and closed again, so that nobody listens there.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let reason = call(&client, &format!("http://hooks.example.com:{port}/")).await;
        assert_eq!(reason, Err("unreachable"));
    }
}
