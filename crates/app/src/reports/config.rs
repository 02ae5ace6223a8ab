//! The `[reports]` section of the configuration.

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportsConfig {
    /// Days for which figures and files, and written site reports, are stored.
    pub retention_days: u32,
    /// Number of files that are rendered concurrently; 0 for half of the cores, at least two.
    pub max_concurrent_renders: u32,
    pub render_timeout_s: u32,
    /// Maximum number of pages of a PDF.
    pub max_pages: u32,
    /// Size above which a mail has a link instead of the file.
    pub max_attachment_mb: u32,
    pub link_lifetime_days: u32,
}

impl ReportsConfig {
    /// Checks the values; an error names the key.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        for (key, value, allowed) in [
            ("reports.retention_days", self.retention_days, 1..=3_660),
            ("reports.max_concurrent_renders", self.max_concurrent_renders, 0..=256),
            ("reports.render_timeout_s", self.render_timeout_s, 1..=3_600),
            ("reports.max_pages", self.max_pages, 1..=5_000),
            ("reports.max_attachment_mb", self.max_attachment_mb, 0..=100),
            ("reports.link_lifetime_days", self.link_lifetime_days, 1..=366),
        ] {
            if !allowed.contains(&value) {
                return Err((key, format!("must be between {} and {}", allowed.start(), allowed.end())));
            }
        }
        Ok(())
    }
}

/// The section, and the address with which links in documents and mails begin.
#[derive(Clone, Debug)]
pub struct ReportsSetup {
    pub config: ReportsConfig,
    /// Without a trailing slash.
    pub base_url: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usual() -> ReportsConfig {
        ReportsConfig {
            retention_days: 365,
            max_concurrent_renders: 0,
            render_timeout_s: 60,
            max_pages: 500,
            max_attachment_mb: 10,
            link_lifetime_days: 14,
        }
    }

    #[test]
    fn values_out_of_range_are_named() {
        assert_eq!(usual().check(), Ok(()));
        let wrong = [
            ("reports.retention_days", ReportsConfig { retention_days: 0, ..usual() }),
            ("reports.max_concurrent_renders", ReportsConfig { max_concurrent_renders: 257, ..usual() }),
            ("reports.render_timeout_s", ReportsConfig { render_timeout_s: 0, ..usual() }),
            ("reports.max_pages", ReportsConfig { max_pages: 5_001, ..usual() }),
            ("reports.max_attachment_mb", ReportsConfig { max_attachment_mb: 101, ..usual() }),
            ("reports.link_lifetime_days", ReportsConfig { link_lifetime_days: 0, ..usual() }),
        ];
        for (key, config) in wrong {
            let (named, text) = config.check().unwrap_err();
            assert_eq!(named, key);
            assert!(text.starts_with("must be between "), "{text}");
        }
    }
}
