//! Shared by handlers and reconcilers.

use std::sync::Arc;

use app::App;
use app::jobs::Lease;
use domain::AlertDeliveryId;
use mail::{Mailer, MessageId};

pub struct Context {
    pub app: Arc<App>,
    pub mailer: Mailer,
    /// The public address of the service without a trailing slash, with which links in mails start.
    pub base_url: String,
    /// The language model that writes site reports, if one is configured.
    pub ai: Option<ai::Client>,
    /// Calls webhooks.
    pub webhooks: webhooks::Client,
}

impl Context {
    /// Returns the message id of a job's mail, which is the same for every attempt.
    pub(crate) fn message_id(&self, lease: &Lease) -> MessageId {
        MessageId::new(&format!("{}.{}", lease.job(), self.app.store_id()), host(&self.base_url))
    }

    /// Returns the message id of a mail of an alert. Later mails refer to it when its job is gone.
    pub(crate) fn alert_message_id(&self, delivery: AlertDeliveryId) -> MessageId {
        MessageId::new(&format!("alert-{delivery}.{}", self.app.store_id()), host(&self.base_url))
    }
}

/// Returns the host of an address such as `https://safety.example.com:8443`.
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
