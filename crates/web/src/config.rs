//! The sections of the configuration that the HTTP side reads.

use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;
use serde::Deserialize;

/// A service manager that waits for longer than this is rare.
const MAX_DRAIN_S: u32 = 600;

#[derive(Clone, Debug)]
pub struct Config {
    /// The section `[server]`.
    pub server: Server,
    /// The section `[limits]`.
    pub limits: Limits,
    /// The section `[cors]`.
    pub cors: Cors,
}

/// The section `[server]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Address and port to listen on.
    pub listen: SocketAddr,
    /// URL by which clients reach this service. Empty means `http://` and the listening address.
    pub public_url: String,
    /// Whether `Strict-Transport-Security` includes subdomains.
    pub hsts_include_subdomains: bool,
    /// Networks of proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// Networks that may read /metrics.
    pub metrics_allowed_networks: Vec<IpNet>,
    /// Maximum number of open connections.
    pub max_connections: u32,
    /// Maximum number of open connections from one address that is not a trusted proxy.
    pub max_connections_per_address: u32,
    /// Time that a client may take to send its headers.
    pub header_timeout_s: u32,
    /// Time between the signal to stop and the stop, during which the process says that it is not ready.
    pub drain_s: u32,
}

/// The section `[limits]`. Quotas are calls per minute.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Logins and token refreshes, per address.
    pub login_per_minute: Quota,
    pub read_per_minute: Quota,
    pub analytics_per_minute: Quota,
    pub write_per_minute: Quota,
    /// Batches of events from devices.
    pub ingest_per_minute: Quota,
    /// Health and metrics, per address.
    pub probe_per_minute: Quota,
    /// Lookups of unknown credentials, per address.
    pub lookup_per_minute: Quota,
    /// Maximum number of open long polls; 0 means three quarters of the connections.
    pub max_long_polls: u32,
    /// Maximum number of open long polls of one brand; 0 means half of the connections.
    pub max_long_polls_per_brand: u32,
    /// Maximum number of open long polls of one token; 0 means a sixteenth of the connections.
    pub max_long_polls_per_token: u32,
    /// Maximum number of open live streams; 0 means an eighth of the connections.
    pub max_streams: u32,
    /// Maximum number of open live streams of one brand; 0 means three quarters of all.
    pub max_streams_per_brand: u32,
    /// Maximum number of open live streams of one user or service account.
    pub max_streams_per_user: u32,
    /// Maximum number of open live streams of one session or token.
    pub max_streams_per_session: u32,
    /// Maximum number of callers whose quota is tracked.
    pub max_tracked_callers: usize,
    /// Maximum memory in MiB for the request bodies that are being received.
    pub max_body_memory_mb: u32,
    /// Maximum memory in MiB for the request bodies of one caller.
    pub max_body_memory_per_caller_mb: u32,
    /// Maximum number of large batches of events that are parsed concurrently.
    pub max_ingest_parsers: u32,
    /// Maximum number of these of one brand.
    pub max_ingest_parsers_per_brand: u32,
    /// Maximum number of these of one device token.
    pub max_ingest_parsers_per_token: u32,
}

/// Calls per minute. The whole quota may be used in one burst.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(transparent)]
pub struct Quota(pub u32);

/// The section `[cors]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cors {
    /// Origins whose pages may call V2.
    pub allowed_origins: Vec<String>,
}

impl Server {
    /// Returns the URL by which clients reach this service, without a trailing slash.
    pub fn base_url(&self) -> String {
        if self.public_url.is_empty() {
            format!("http://{}", self.listen)
        } else {
            self.public_url.trim_end_matches('/').to_owned()
        }
    }

    /// Whether clients use https.
    pub fn is_https(&self) -> bool {
        self.public_url.starts_with("https://")
    }

    /// Returns the `Strict-Transport-Security` header, if clients use https.
    pub(crate) fn strict_transport_security(&self) -> Option<&'static str> {
        match (self.is_https(), self.hsts_include_subdomains) {
            (false, _) => None,
            (true, false) => Some("max-age=31536000"),
            (true, true) => Some("max-age=31536000; includeSubDomains"),
        }
    }

    /// Whether clients use plain http from other hosts, so that passwords and tokens can be read on the way.
    pub fn is_plain_http_exposed(&self) -> bool {
        if self.is_https() {
            return false;
        }
        let url = self.base_url();
        let host =
            url.parse().ok().and_then(|uri: http::Uri| uri.host().map(str::to_owned)).unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        match host.parse::<IpAddr>() {
            Ok(address) => !address.to_canonical().is_loopback(),
            Err(_) => host != "localhost" && !host.ends_with(".localhost"),
        }
    }

    /// Returns the key and the problem of the first invalid value.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if !self.public_url.is_empty() {
            // It must have the form in which browsers send an origin, because it is compared with that.
            let url = &self.public_url;
            let uri: Option<http::Uri> = url.parse().ok();
            let is_origin = (url.starts_with("http://") || url.starts_with("https://"))
                && url.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase());
            if !is_origin || !uri.is_some_and(|uri| uri.query().is_none() && uri.path() == "/") {
                let reason = "must be like https://safety.example.com, in lower case and without a path";
                return Err(("server.public_url", reason.to_owned()));
            }
        }
        if self.max_connections == 0 {
            return Err(("server.max_connections", "must be at least 1".to_owned()));
        }
        if self.max_connections_per_address == 0 {
            return Err(("server.max_connections_per_address", "must be at least 1".to_owned()));
        }
        if self.header_timeout_s == 0 {
            return Err(("server.header_timeout_s", "must be at least 1".to_owned()));
        }
        if self.drain_s > MAX_DRAIN_S {
            return Err(("server.drain_s", format!("must be at most {MAX_DRAIN_S}")));
        }
        Ok(())
    }
}

impl Limits {
    /// Returns the key and the problem of the first invalid value.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let quotas = [
            ("limits.login_per_minute", self.login_per_minute),
            ("limits.read_per_minute", self.read_per_minute),
            ("limits.analytics_per_minute", self.analytics_per_minute),
            ("limits.write_per_minute", self.write_per_minute),
            ("limits.ingest_per_minute", self.ingest_per_minute),
            ("limits.probe_per_minute", self.probe_per_minute),
            ("limits.lookup_per_minute", self.lookup_per_minute),
        ];
        for (key, Quota(calls)) in quotas {
            if calls == 0 || calls > 60_000_000 {
                return Err((key, "must be between 1 and 60000000 calls a minute".to_owned()));
            }
        }
        if self.max_tracked_callers < 1_000 {
            return Err(("limits.max_tracked_callers", "must be at least 1000".to_owned()));
        }
        for (key, mb) in [
            ("limits.max_body_memory_mb", self.max_body_memory_mb),
            ("limits.max_body_memory_per_caller_mb", self.max_body_memory_per_caller_mb),
        ] {
            // The largest body that is received as a whole.
            if mb < 8 {
                return Err((key, "must be at least 8".to_owned()));
            }
        }
        for (key, places) in [
            ("limits.max_streams_per_user", self.max_streams_per_user),
            ("limits.max_streams_per_session", self.max_streams_per_session),
            ("limits.max_ingest_parsers", self.max_ingest_parsers),
            ("limits.max_ingest_parsers_per_brand", self.max_ingest_parsers_per_brand),
            ("limits.max_ingest_parsers_per_token", self.max_ingest_parsers_per_token),
        ] {
            if places == 0 {
                return Err((key, "must be at least 1".to_owned()));
            }
        }
        Ok(())
    }
}

impl Cors {
    /// Returns the key and the problem of the first invalid value.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        for origin in &self.allowed_origins {
            let uri: Option<http::Uri> = origin.parse().ok();
            let fits = uri.is_some_and(|uri| matches!(uri.scheme_str(), Some("http" | "https")))
                && !origin.ends_with('/')
                && origin.matches('/').count() == 2;
            if !fits {
                let reason = format!("{origin:?} must be an origin such as https://dashboards.example.com");
                return Err(("cors.allowed_origins", reason));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_known_beyond_loopback() {
        let server = |listen: &str, public_url: &str| Server {
            listen: listen.parse().unwrap(),
            public_url: public_url.to_owned(),
            hsts_include_subdomains: false,
            trusted_proxies: Vec::new(),
            metrics_allowed_networks: Vec::new(),
            max_connections: 1,
            max_connections_per_address: 1,
            header_timeout_s: 1,
            drain_s: 0,
        };
        for (listen, public_url) in [
            ("0.0.0.0:80", ""),
            ("[::]:80", ""),
            ("192.0.2.1:80", ""),
            ("127.0.0.1:80", "http://safety.example.com"),
            ("127.0.0.1:80", "http://192.0.2.1:8080"),
            ("127.0.0.1:80", "http://localhost.example.com"),
        ] {
            assert!(server(listen, public_url).is_plain_http_exposed(), "{listen} {public_url}");
        }
        for (listen, public_url) in [
            ("127.0.0.1:80", ""),
            ("[::1]:80", ""),
            ("0.0.0.0:80", "https://safety.example.com"),
            ("0.0.0.0:80", "http://localhost:8080"),
            ("0.0.0.0:80", "http://127.0.0.2"),
            ("0.0.0.0:80", "http://[::1]:8080"),
        ] {
            assert!(!server(listen, public_url).is_plain_http_exposed(), "{listen} {public_url}");
        }
    }
}
