//! Which addresses a webhook may have. What a name resolves to is checked again at every call, by the crate `webhooks`.

use std::net::SocketAddr;
use std::time::Duration;

use domain::{Invalid, WebhookAddress, is_public_address};

use crate::{AlertsConfig, App, Error};

/// How long a name is looked up when an address is set.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(2);

impl App {
    /// Refuses an address that is not https, or that leads into the network of the service. A name that cannot be resolved now is
    /// accepted. Takes up to two seconds, so that it comes before a transaction.
    pub(super) async fn check_webhook_target(&self, address: &WebhookAddress) -> Result<(), Error> {
        let config = &self.alerts.setup.config;
        let refused = |invalid| Error::invalid_field("url", invalid);
        check_form(address, config).map_err(refused)?;
        if config.webhook_allow_private || address.literal().is_some() {
            return Ok(());
        }
        let lookup = tokio::net::lookup_host((address.host(), address.port()));
        match tokio::time::timeout(LOOKUP_TIMEOUT, lookup).await {
            Ok(Ok(found)) => check_resolved(found).map_err(refused),
            Ok(Err(_)) | Err(_) => Ok(()),
        }
    }
}

/// Refuses what can be seen of an address without looking its name up.
fn check_form(address: &WebhookAddress, config: &AlertsConfig) -> Result<(), Invalid> {
    if !address.is_https() && !config.webhook_allow_http {
        return Err(Invalid::new("not_https", "must begin with https://"));
    }
    let is_inside = address.has_local_name() || address.literal().is_some_and(|ip| !is_public_address(ip));
    if is_inside && !config.webhook_allow_private {
        return Err(private_address());
    }
    Ok(())
}

/// Refuses addresses of which none is public. If some are, calls go to those.
fn check_resolved(found: impl Iterator<Item = SocketAddr>) -> Result<(), Invalid> {
    let mut found = found.peekable();
    if found.peek().is_some() && !found.any(|address| is_public_address(address.ip())) {
        return Err(private_address());
    }
    Ok(())
}

fn private_address() -> Invalid {
    Invalid::new("private_address", "must not lead to a private, loopback or link-local address")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(allow_http: bool, allow_private: bool) -> AlertsConfig {
        AlertsConfig {
            poll_interval_ms: 1_000,
            min_interval_ms: 500,
            clear_percent: 90,
            max_messages_per_hour: 10,
            max_splits_per_brand: 1_000_000,
            retention_days: 365,
            webhook_allow_http: allow_http,
            webhook_allow_private: allow_private,
            webhook_timeout_s: 10,
        }
    }

    fn refusal(url: &str, config: &AlertsConfig) -> Option<&'static str> {
        check_form(&WebhookAddress::parse(url).unwrap(), config).err().map(|invalid| invalid.code)
    }

    #[test]
    fn addresses_inside_are_refused_unless_they_are_allowed() {
        for url in ["https://10.0.0.7/", "https://[::1]:8443/x", "https://localhost/", "https://nas.local/"] {
            assert_eq!(refusal(url, &config(false, false)), Some("private_address"), "{url}");
            assert_eq!(refusal(url, &config(false, true)), None, "{url}");
        }
        assert_eq!(refusal("https://hooks.example.com/x?y=1", &config(false, false)), None);
    }

    #[test]
    fn plain_http_is_refused_unless_it_is_allowed() {
        assert_eq!(refusal("http://hooks.example.com/", &config(false, true)), Some("not_https"));
        assert_eq!(refusal("http://hooks.example.com/", &config(true, false)), None);
    }

    #[test]
    fn a_name_needs_one_public_address() {
        let check = |addresses: &[&str]| {
            let found = addresses.iter().map(|address| SocketAddr::new(address.parse().unwrap(), 443));
            check_resolved(found).is_ok()
        };
        assert!(check(&["93.184.215.14"]) && check(&["10.0.0.7", "93.184.215.14"]) && check(&[]));
        assert!(!check(&["10.0.0.7"]) && !check(&["127.0.0.1", "::1"]));
    }
}
