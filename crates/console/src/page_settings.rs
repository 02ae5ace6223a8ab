//! What is the same for all pages of a process.

use crate::config::Config;
use crate::done::Done;

/// What is the same for all pages of a process.
#[derive(Debug)]
pub struct PageSettings {
    /// The content security policy of pages.
    policy: String,
    tile_url: String,
    pub is_https: bool,
    /// Everything that forms can have done.
    pub done: &'static [&'static [Done]],
}

impl PageSettings {
    pub fn new(config: &Config, is_https: bool, done: &'static [&'static [Done]]) -> Self {
        let tiles = config.tile_origin().map(|origin| format!(" {origin}")).unwrap_or_default();
        let policy = format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:{tiles}; media-src 'self'; \
             connect-src 'self'; font-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; \
             object-src 'none'; frame-ancestors 'none'"
        );
        Self { policy, tile_url: config.tile_url.clone(), is_https, done }
    }

    /// Returns the content security policy of pages.
    pub fn policy(&self) -> &str {
        &self.policy
    }

    pub fn tile_url(&self) -> &str {
        &self.tile_url
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_load_nothing_from_elsewhere_but_tiles() {
        let policy =
            |tile_url: &str| PageSettings::new(&Config { tile_url: tile_url.to_owned() }, false, &[]).policy;
        assert!(policy("").contains("img-src 'self' blob:; "));
        let tiles = policy("https://tiles.example.com/{z}/{x}/{y}.png");
        assert!(tiles.contains("img-src 'self' blob: https://tiles.example.com; "), "{tiles}");
        assert!(!tiles.contains("unsafe") && !tiles.contains("data:"));
    }
}
