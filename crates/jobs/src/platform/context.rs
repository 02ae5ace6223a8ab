//! What handlers and reconcilers can reach.

use std::sync::Arc;

use app::App;
use app::jobs::Lease;
use mail::{Mailer, MessageId};

/// What handlers and reconcilers can reach.
pub struct Context {
    /// The use cases.
    pub app: Arc<App>,
    /// Hands messages over.
    pub mailer: Mailer,
    /// What clients call this service, without a slash at the end: how links in mails begin.
    pub base_url: String,
}

impl Context {
    /// What the message of a job is known by: the same whenever, and by whomever, the job is done.
    pub(crate) fn message_id(&self, lease: &Lease) -> MessageId {
        MessageId::new(&format!("{}.{}", lease.job(), self.app.store_id()), host(&self.base_url))
    }
}

/// The host of an address such as `https://safety.example.com:8443`.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    match rest.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => rest.split([':', '/']).next().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_what_stands_between() {
        for (url, expected) in [
            ("https://safety.example.com", "safety.example.com"),
            ("http://127.0.0.1:8080", "127.0.0.1"),
            ("http://[::1]:8080", "::1"),
        ] {
            assert_eq!(host(url), expected);
        }
    }
}
