//! The sections of the configuration that the HTTP side reads.

use std::net::SocketAddr;

use ipnet::IpNet;
use serde::Deserialize;

/// What the HTTP side is configured with.
#[derive(Clone, Debug)]
pub struct Config {
    /// `[server]`.
    pub server: Server,
    /// `[limits]`.
    pub limits: Limits,
    /// `[cors]`.
    pub cors: Cors,
}

/// `[server]` of the configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Where to listen.
    pub listen: SocketAddr,
    /// What clients call this service; empty means `http://` and the listening address.
    pub public_url: String,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Who may read /metrics.
    pub metrics_from: Vec<IpNet>,
    /// How many connections are served at once.
    pub max_connections: u32,
    /// How long a client may take to send its headers.
    pub header_timeout_s: u32,
}

/// `[limits]`: calls per minute, for each class.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Signing in and refreshing, per address.
    pub login: Quota,
    /// Reads.
    pub read: Quota,
    /// Questions to the analytics.
    pub analytics: Quota,
    /// Writes.
    pub write: Quota,
    /// Batches from devices.
    pub ingest: Quota,
    /// Health and metrics, per address.
    pub probe: Quota,
    /// Credentials that have to be looked up, per address.
    pub lookup: Quota,
    /// How many calls for commands are held open at once; 0 for three quarters of the connections.
    pub long_polls: u32,
    /// How many of them of one brand; 0 for half of the connections.
    pub long_polls_per_brand: u32,
    /// How many of them of one token; 0 for a sixteenth of the connections.
    pub long_polls_per_token: u32,
    /// How many callers are remembered at once.
    pub callers: usize,
}

/// Calls per minute; as many may come at once.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(transparent)]
pub struct Quota(pub u32);

/// `[cors]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cors {
    /// Origins whose pages may call V2.
    pub origins: Vec<String>,
}

impl Server {
    /// What clients call this service, without a slash at the end.
    pub fn base_url(&self) -> String {
        if self.public_url.is_empty() {
            format!("http://{}", self.listen)
        } else {
            self.public_url.trim_end_matches('/').to_owned()
        }
    }

    /// Whether clients come by https.
    pub fn is_https(&self) -> bool {
        self.public_url.starts_with("https://")
    }

    /// Says what is wrong with the values, by key.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if !self.public_url.is_empty() {
            // In the form browsers send it as an origin, since it is compared with that.
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
        if self.header_timeout_s == 0 {
            return Err(("server.header_timeout_s", "must be at least 1".to_owned()));
        }
        Ok(())
    }
}

impl Limits {
    /// Says what is wrong with the values, by key.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let quotas = [
            ("limits.login", self.login),
            ("limits.read", self.read),
            ("limits.analytics", self.analytics),
            ("limits.write", self.write),
            ("limits.ingest", self.ingest),
            ("limits.probe", self.probe),
            ("limits.lookup", self.lookup),
        ];
        for (key, Quota(calls)) in quotas {
            if calls == 0 || calls > 60_000_000 {
                return Err((key, "must be between 1 and 60000000 calls a minute".to_owned()));
            }
        }
        if self.callers < 1_000 {
            return Err(("limits.callers", "must be at least 1000".to_owned()));
        }
        Ok(())
    }
}

impl Cors {
    /// Says what is wrong with the values, by key.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        for origin in &self.origins {
            let uri: Option<http::Uri> = origin.parse().ok();
            let fits = uri.is_some_and(|uri| matches!(uri.scheme_str(), Some("http" | "https")))
                && !origin.ends_with('/')
                && origin.matches('/').count() == 2;
            if !fits {
                let reason = format!("{origin:?} must be an origin such as https://dashboards.example.com");
                return Err(("cors.origins", reason));
            }
        }
        Ok(())
    }
}
