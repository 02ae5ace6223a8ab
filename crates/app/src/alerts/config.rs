//! The `[alerts]` section of the configuration.

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlertsConfig {
    /// How often a process looks for facts that other processes stored.
    pub poll_interval_ms: u32,
    /// The least time between two evaluations of a process.
    pub min_interval_ms: u32,
    /// A firing clears on the good side of this many per cent of the threshold; 100 for the threshold itself.
    pub clear_percent: u32,
    /// Messages of an alert within an hour, after which the rest is sent as one.
    pub max_messages_per_hour: u32,
    /// Splits of all alerts of a brand that are judged; younger alerts beyond it say so.
    pub max_splits_per_brand: u32,
    /// Days for which cleared firings, and what was sent for them, are stored.
    pub retention_days: u32,
    /// Whether webhooks may be called without TLS.
    pub webhook_allow_http: bool,
    /// Whether webhooks may be called at addresses that are not public.
    pub webhook_allow_private: bool,
    pub webhook_timeout_s: u32,
}

impl AlertsConfig {
    /// Checks the values; an error names the key.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        for (key, value, allowed) in [
            ("alerts.poll_interval_ms", self.poll_interval_ms, 100..=60_000),
            ("alerts.min_interval_ms", self.min_interval_ms, 50..=60_000),
            ("alerts.clear_percent", self.clear_percent, 50..=100),
            ("alerts.max_messages_per_hour", self.max_messages_per_hour, 1..=1_000),
            ("alerts.max_splits_per_brand", self.max_splits_per_brand, 1_000..=10_000_000),
            ("alerts.retention_days", self.retention_days, 1..=3_660),
            ("alerts.webhook_timeout_s", self.webhook_timeout_s, 1..=60),
        ] {
            if !allowed.contains(&value) {
                return Err((key, format!("must be between {} and {}", allowed.start(), allowed.end())));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usual() -> AlertsConfig {
        AlertsConfig {
            poll_interval_ms: 1_000,
            min_interval_ms: 500,
            clear_percent: 90,
            max_messages_per_hour: 10,
            max_splits_per_brand: 1_000_000,
            retention_days: 365,
            webhook_allow_http: false,
            webhook_allow_private: false,
            webhook_timeout_s: 10,
        }
    }

    #[test]
    fn values_out_of_range_are_named() {
        assert_eq!(usual().check(), Ok(()));
        let wrong = [
            ("alerts.poll_interval_ms", AlertsConfig { poll_interval_ms: 99, ..usual() }),
            ("alerts.min_interval_ms", AlertsConfig { min_interval_ms: 60_001, ..usual() }),
            ("alerts.clear_percent", AlertsConfig { clear_percent: 49, ..usual() }),
            ("alerts.clear_percent", AlertsConfig { clear_percent: 101, ..usual() }),
            ("alerts.max_messages_per_hour", AlertsConfig { max_messages_per_hour: 0, ..usual() }),
            ("alerts.max_splits_per_brand", AlertsConfig { max_splits_per_brand: 999, ..usual() }),
            ("alerts.retention_days", AlertsConfig { retention_days: 0, ..usual() }),
            ("alerts.webhook_timeout_s", AlertsConfig { webhook_timeout_s: 61, ..usual() }),
        ];
        for (key, config) in wrong {
            let (named, text) = config.check().unwrap_err();
            assert_eq!(named, key);
            assert!(text.starts_with("must be between "), "{text}");
        }
    }
}
