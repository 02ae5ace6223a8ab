//! The `[ai]` section of the configuration.

use domain::Secret;
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The address up to `/chat/completions`. Empty means that there is no model.
    pub url: String,
    /// The name of the model, as the service knows it.
    pub model: String,
    /// Sent as a bearer token. Empty means that none is sent.
    pub key: Secret,
    /// How long an answer may take as a whole.
    pub timeout_s: u32,
}

const MAX_TIMEOUT_S: u32 = 600;

impl Config {
    /// Validates the values. An error holds the key that is wrong and the reason.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if !(1..=MAX_TIMEOUT_S).contains(&self.timeout_s) {
            return Err(("ai.timeout_s", format!("must be 1 to {MAX_TIMEOUT_S}")));
        }
        if self.url.is_empty() {
            return Ok(());
        }
        let rest = self.url.strip_prefix("https://").or_else(|| self.url.strip_prefix("http://"));
        let is_plain = |rest: &str| {
            let host = rest.split('/').next().unwrap_or_default();
            !host.is_empty()
                && !rest.contains(['?', '#', '@', '\\'])
                && rest.chars().all(|c| c.is_ascii_graphic())
        };
        if !rest.is_some_and(is_plain) {
            let reason = "must begin with http:// or https:// and have no login, query or fragment";
            return Err(("ai.url", reason.to_owned()));
        }
        if self.model.is_empty() || self.model.chars().any(char::is_control) {
            return Err(("ai.model", "must name a model if ai.url is set".to_owned()));
        }
        if !self.key.0.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(("ai.key", "must consist of printable ASCII characters without blanks".to_owned()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(url: &str, model: &str) -> Config {
        Config { url: url.to_owned(), model: model.to_owned(), key: Secret(String::new()), timeout_s: 60 }
    }

    #[test]
    fn an_address_needs_a_model() {
        for (url, model, wrong) in [
            ("", "", None),
            ("http://127.0.0.1:11434/v1", "llama", None),
            ("https://models.example.com/v1/", "m", None),
            ("http://127.0.0.1:11434/v1", "", Some("ai.model")),
            ("ftp://example.com", "m", Some("ai.url")),
            ("http://", "m", Some("ai.url")),
            ("http:///v1", "m", Some("ai.url")),
            ("http://user:secret@example.com", "m", Some("ai.url")),
            ("http://example.com/v1?key=1", "m", Some("ai.url")),
            ("http://exa mple.com", "m", Some("ai.url")),
        ] {
            assert_eq!(config(url, model).check().map_err(|(key, _)| key).err(), wrong, "{url}");
        }
        let never = Config { timeout_s: 0, ..config("", "") };
        assert_eq!(never.check().map_err(|(key, _)| key), Err("ai.timeout_s"));
        let key = Config { key: Secret("a b".to_owned()), ..config("http://a", "m") };
        assert_eq!(key.check().map_err(|(key, _)| key), Err("ai.key"));
    }
}
