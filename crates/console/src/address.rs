//! Addresses of pages: a path with its parameters.

use std::fmt;

use http::Uri;

/// The path and the parameters of a page of this service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    path: String,
    pairs: Vec<(String, String)>,
}

impl Address {
    /// Reads a path that may have parameters.
    pub fn new(text: &str) -> Self {
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        let query = query.split('#').next().unwrap_or_default();
        let pairs = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        Self { path: path.to_owned(), pairs }
    }

    /// Returns the address of a request.
    pub fn of(uri: &Uri) -> Self {
        Self::new(uri.path_and_query().map_or("/", |path| path.as_str()))
    }

    /// Reads an address that somebody else wrote, if it is one of ours. Browsers take what begins with two slashes for another host, and a
    /// backslash for a slash.
    pub fn local(text: &str) -> Option<Self> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
        (is_plain && text.starts_with('/') && !text.starts_with("//")).then(|| Self::new(text))
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    pub fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }

    /// Returns the first value of a parameter.
    pub fn first(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Adds a parameter, which may be there already.
    #[must_use]
    pub fn and(mut self, name: &str, value: &str) -> Self {
        self.pairs.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets a parameter to one value.
    #[must_use]
    pub fn with(self, name: &str, value: &str) -> Self {
        self.without(name).and(name, value)
    }

    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.pairs.retain(|(key, _)| key != name);
        self
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        if self.pairs.is_empty() {
            return Ok(());
        }
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(&self.pairs);
        write!(f, "?{}", query.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_addresses_are_local() {
        for text in ["/", "/machines/7?from=2026-03-01&q=a%20b", "/a//b"] {
            assert!(Address::local(text).is_some(), "{text}");
        }
        for text in [
            "",
            "machines",
            "//example.com",
            "/\\example.com",
            "/\t/example.com",
            "/\n",
            "https://example.com/",
            "javascript:alert(1)",
            "/ä",
            "\\/example.com",
        ] {
            assert!(Address::local(text).is_none(), "{text}");
        }
    }

    #[test]
    fn parameters_are_set_added_and_removed() {
        let address = Address::new("/incursions?zone=danger&machine_id=3&machine_id=4#top");
        assert_eq!(address.path(), "/incursions");
        assert_eq!(address.first("machine_id"), Some("3"));
        assert_eq!(
            address.clone().with("machine_id", "5").to_string(),
            "/incursions?zone=danger&machine_id=5"
        );
        let all = address.without("machine_id").and("q", "Bühne & Co");
        assert_eq!(all.to_string(), "/incursions?zone=danger&q=B%C3%BChne+%26+Co");
        assert_eq!(Address::new("/").to_string(), "/");
        assert_eq!(Address::new(&all.to_string()), all);
    }
}
