//! The section `[console]` of the configuration.

use serde::Deserialize;

/// The section `[console]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Address of map tiles with `{z}`, `{x}` and `{y}`; empty for maps without a background.
    pub tile_url: String,
}

impl Config {
    /// Returns the key and the problem of the first invalid value.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if self.tile_url.is_empty() {
            return Ok(());
        }
        let has_places = ["{z}", "{x}", "{y}"].iter().all(|place| self.tile_url.contains(place));
        if !has_places || self.tile_origin().is_none() {
            let reason = "must be like https://tiles.example.com/{z}/{x}/{y}.png, or empty";
            return Err(("console.tile_url", reason.to_owned()));
        }
        Ok(())
    }

    /// Returns the origin of the tiles in the form in which a content security policy names it.
    pub(crate) fn tile_origin(&self) -> Option<&str> {
        const SCHEME: &str = "https://";
        let rest = self.tile_url.strip_prefix(SCHEME)?;
        let host = rest.split('/').next()?;
        let is_host = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':');
        let fits = !host.is_empty() && host.len() < rest.len() && host.bytes().all(is_host);
        fits.then(|| self.tile_url.get(..SCHEME.len() + host.len())).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_come_from_one_https_origin() {
        let config = |tile_url: &str| Config { tile_url: tile_url.to_owned() };
        let tiles = config("https://tiles.example.com:8443/v1/{z}/{x}/{y}.png?key=1");
        assert_eq!(tiles.tile_origin(), Some("https://tiles.example.com:8443"));
        assert!(tiles.check().is_ok() && config("").check().is_ok());
        for wrong in [
            "http://tiles.example.com/{z}/{x}/{y}.png",
            "https://tiles.example.com/{z}/{x}.png",
            "https://*/{z}/{x}/{y}.png",
            "https://{s}.example.com/{z}/{x}/{y}.png",
            "https://a.example; script-src https://b/{z}/{x}/{y}.png",
            "https:///{z}/{x}/{y}.png",
        ] {
            assert!(config(wrong).check().is_err(), "{wrong}");
        }
    }
}
