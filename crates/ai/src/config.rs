//! The `[ai]` section of the configuration.

use domain::Secret;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

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
    /// The maximum length of an answer in tokens, with what the model thinks before it. 0 means that none is sent.
    pub max_tokens: u32,
    /// How freely the model chooses its words. None is sent if there is none.
    #[serde(deserialize_with = "read_temperature")]
    pub temperature: Option<f64>,
    /// The address of a proxy, with a login if it needs one, or `environment`. Empty means that there is none.
    pub proxy: Secret,
}

/// The proxy that `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` name.
pub(crate) const PROXY_OF_ENVIRONMENT: &str = "environment";
const MAX_TIMEOUT_S: u32 = 600;
const MAX_MAX_TOKENS: u32 = 1_000_000;
const MAX_TEMPERATURE: f64 = 2.0;

/// Reads a number, or an empty text for none.
fn read_temperature<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "must be a number, or \"\" to leave it out")]
    enum Setting {
        Number(f64),
        Text(String),
    }
    match Setting::deserialize(deserializer)? {
        Setting::Number(number) => Ok(Some(number)),
        Setting::Text(text) if text.is_empty() => Ok(None),
        Setting::Text(_) => Err(D::Error::custom("must be a number, or \"\" to leave it out")),
    }
}

impl Config {
    /// Validates the values. An error holds the key that is wrong and the reason.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if !(1..=MAX_TIMEOUT_S).contains(&self.timeout_s) {
            return Err(("ai.timeout_s", format!("must be 1 to {MAX_TIMEOUT_S}")));
        }
        if self.max_tokens > MAX_MAX_TOKENS {
            return Err(("ai.max_tokens", format!("must be at most {MAX_MAX_TOKENS}, or 0 for no limit")));
        }
        if self.temperature.is_some_and(|temperature| !(0.0..=MAX_TEMPERATURE).contains(&temperature)) {
            return Err(("ai.temperature", format!("must be 0 to {MAX_TEMPERATURE}")));
        }
        if !matches!(self.proxy.0.as_str(), "" | PROXY_OF_ENVIRONMENT) && !is_plain(&self.proxy.0, true) {
            let reason = "must begin with http:// or https://, or be \"environment\"";
            return Err(("ai.proxy", reason.to_owned()));
        }
        if self.url.is_empty() {
            return Ok(());
        }
        if !is_plain(&self.url, false) {
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

/// Whether an address has a host, and neither query nor fragment.
fn is_plain(address: &str, may_have_login: bool) -> bool {
    let Some(rest) = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://")) else {
        return false;
    };
    let host = rest.split('/').next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    !host.is_empty()
        && !rest.contains(['?', '#', '\\'])
        && (may_have_login || !rest.contains('@'))
        && rest.chars().all(|c| c.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(url: &str, model: &str) -> Config {
        Config {
            url: url.to_owned(),
            model: model.to_owned(),
            key: Secret(String::new()),
            timeout_s: 60,
            max_tokens: 8_000,
            temperature: Some(0.0),
            proxy: Secret(String::new()),
        }
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

    #[test]
    fn limits_and_proxies_are_checked_without_an_address_too() {
        let wrong = |config: Config| config.check().map_err(|(key, _)| key).err();
        let plain = || config("", "");
        assert_eq!(wrong(Config { max_tokens: 0, temperature: None, ..plain() }), None);
        assert_eq!(wrong(Config { max_tokens: 2_000_000, ..plain() }), Some("ai.max_tokens"));
        for temperature in [-0.1, 2.1, f64::NAN] {
            assert_eq!(wrong(Config { temperature: Some(temperature), ..plain() }), Some("ai.temperature"));
        }
        for (proxy, expected) in [
            ("environment", None),
            ("http://proxy.example.com:3128", None),
            ("http://user:secret@10.0.0.1:8080", None),
            ("proxy.example.com:3128", Some("ai.proxy")),
            ("socks5://10.0.0.1", Some("ai.proxy")),
            ("http://user@", Some("ai.proxy")),
        ] {
            assert_eq!(wrong(Config { proxy: Secret(proxy.to_owned()), ..plain() }), expected, "{proxy}");
        }
    }
}
