//! Addresses of webhooks.
//!
//! An address is read more strictly than HTTP clients do, so that a client cannot find another host in it than the one that was checked.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::Invalid;

pub use super::public_address::is_public_address;

/// An address such as `https://hooks.example.com:8443/keepclear?x=1`, without user info and fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookAddress {
    text: String,
    host: String,
    port: u16,
    is_https: bool,
}

impl WebhookAddress {
    pub const MAX_CHARS: usize = 2_000;

    /// Parses an address with `https` or `http`. Scheme and host become lower-case.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        if text.chars().count() > Self::MAX_CHARS {
            let message = format!("must have at most {} characters", Self::MAX_CHARS);
            return Err(Invalid::new("too_long", message));
        }
        Self::read(text).ok_or_else(|| {
            let message = "must be an address such as https://hooks.example.com/keepclear, without a user name or fragment";
            Invalid::new("invalid_url", message)
        })
    }

    fn read(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let is_https = scheme.eq_ignore_ascii_case("https");
        if !is_https && !scheme.eq_ignore_ascii_case("http") {
            return None;
        }
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if !path.bytes().all(is_plain) {
            return None;
        }
        let (host, shown_host, port) = match authority.strip_prefix('[') {
            Some(inside) => {
                let (address, port) = inside.split_once(']')?;
                let host = address.parse::<Ipv6Addr>().ok()?.to_string();
                let shown_host = format!("[{host}]");
                (host, shown_host, port)
            }
            None => {
                let (name, port) = authority.split_at(authority.find(':').unwrap_or(authority.len()));
                let host = name.to_ascii_lowercase();
                if !is_host(&host) {
                    return None;
                }
                (host.clone(), host, port)
            }
        };
        let number = match (port.strip_prefix(':'), is_https) {
            (Some(digits), _) => read_port(digits)?,
            (None, _) if !port.is_empty() => return None,
            (None, true) => 443,
            (None, false) => 80,
        };
        let scheme = if is_https { "https" } else { "http" };
        Some(Self { text: format!("{scheme}://{shown_host}{port}{path}"), host, port: number, is_https })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the name or the address of the host, an IPv6 address without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    pub const fn port(&self) -> u16 {
        self.port
    }

    pub const fn is_https(&self) -> bool {
        self.is_https
    }

    /// Returns the host as an address, if it is one. Old forms such as `127.1` and `0x7f000001` were refused when it was parsed.
    pub fn literal(&self) -> Option<IpAddr> {
        self.host.parse().ok()
    }

    /// Whether the host has a name that only means something inside a network: `localhost`, one of a domain that is kept for that, or one
    /// without a dot.
    pub fn has_local_name(&self) -> bool {
        let name = self.host.strip_suffix('.').unwrap_or(&self.host);
        let has_local_end = [".localhost", ".local", ".internal"].into_iter().any(|end| name.ends_with(end));
        self.literal().is_none() && (has_local_end || !name.contains('.'))
    }
}

/// Whether a path or query may contain the byte: what RFC 3986 allows, without the sign that begins a fragment.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()*+,;=%".contains(&byte)
}

/// Whether a lower-case host is a name or a plain IPv4 address. Names of other scripts must be in punycode.
fn is_host(host: &str) -> bool {
    let name = host.strip_suffix('.').unwrap_or(host);
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_decimal = last.bytes().all(|byte| byte.is_ascii_digit());
    let hex = last.strip_prefix("0x");
    let is_hex = hex.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    // Clients read a host that ends with a number as an IPv4 address, whatever its form.
    if is_decimal || is_hex {
        return host.parse::<Ipv4Addr>().is_ok();
    }
    name.len() <= 253 && name.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    let is_plain = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    is_plain && (1..=63).contains(&label.len()) && !label.starts_with('-') && !label.ends_with('-')
}

fn read_port(digits: &str) -> Option<u16> {
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|port| is_number && *port > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_with_their_parts() {
        for (given, text, host, port) in [
            ("https://hooks.example.com", "https://hooks.example.com", "hooks.example.com", 443),
            ("HTTPS://Example.COM:443/", "https://example.com:443/", "example.com", 443),
            ("https://example.com:8443/A?b=C%20d", "https://example.com:8443/A?b=C%20d", "example.com", 8443),
            ("https://example.com?x=1@2", "https://example.com?x=1@2", "example.com", 443),
            ("http://example.com/a", "http://example.com/a", "example.com", 80),
            ("https://example.com./", "https://example.com./", "example.com.", 443),
            ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example", "xn--bcher-kva.example", 443),
            ("https://a_b.example:1/", "https://a_b.example:1/", "a_b.example", 1),
            ("https://192.0.2.7/x", "https://192.0.2.7/x", "192.0.2.7", 443),
            ("https://[2001:DB8::1]:8443/x", "https://[2001:db8::1]:8443/x", "2001:db8::1", 8443),
            ("https://7.example.com", "https://7.example.com", "7.example.com", 443),
        ] {
            let address = WebhookAddress::parse(given).unwrap();
            let found = (address.as_str(), address.host(), address.port(), address.is_https());
            assert_eq!(found, (text, host, port, given.to_lowercase().starts_with("https")), "{given}");
            assert_eq!(WebhookAddress::parse(text), Ok(address));
        }
    }

    #[test]
    fn what_clients_could_read_otherwise_is_refused() {
        for bad in [
            "",
            "https",
            "https://",
            "https:///x",
            "https:example.com",
            "example.com",
            "//example.com",
            "ftp://example.com",
            "file:///etc/passwd",
            "javascript:alert(1)",
            " https://example.com",
            "https://example.com ",
            "https://exam ple.com",
            "https://example.com/a b",
            "https://example.com/\r\nHost: x",
            "https://example.com\\@evil.example",
            "https://example.com/\\x",
            "https://user@example.com",
            "https://user:secret@example.com/",
            "https://example.com/#part",
            "https://example.com#part",
            "https://bücher.example",
            "https://example.com/ü",
            "https://127。0。0。1",
            "https://%31%32%37.0.0.1",
            "https://127.1",
            "https://0x7f.1",
            "https://0x7f000001",
            "https://127.0.0.0x1",
            "https://2130706433",
            "https://0177.0.0.1",
            "https://127.0.0.1.",
            "https://256.1.1.1",
            "https://1.2.3.4.5",
            "https://example..com",
            "https://.example.com",
            "https://-a.example",
            "https://[::1",
            "https://[::1]x",
            "https://[fe80::1%25eth0]",
            "https://[127.0.0.1]",
            "https://example.com:",
            "https://example.com:0",
            "https://example.com:65536",
            "https://example.com:+443",
            "https://example.com:443:443",
        ] {
            let code = WebhookAddress::parse(bad).map_err(|invalid| invalid.code);
            assert_eq!(code, Err("invalid_url"), "{bad:?}");
        }
        let longest = format!("https://example.com/{}", "x".repeat(1_980));
        assert_eq!(longest.len(), WebhookAddress::MAX_CHARS);
        assert!(WebhookAddress::parse(&longest).is_ok());
        let code = WebhookAddress::parse(&format!("{longest}x")).map_err(|invalid| invalid.code);
        assert_eq!(code, Err("too_long"));
    }

    #[test]
    fn local_names_are_recognised() {
        for (text, is_local) in [
            ("https://localhost/", true),
            ("https://localhost./", true),
            ("https://LOCALHOST:8443", true),
            ("https://app.localhost", true),
            ("https://printer.local", true),
            ("https://metadata.google.internal", true),
            ("https://intranet/hook", true),
            ("https://local.example.com", false),
            ("https://example.com.", false),
            ("https://127.0.0.1", false),
            ("https://[::1]", false),
        ] {
            assert_eq!(WebhookAddress::parse(text).unwrap().has_local_name(), is_local, "{text}");
        }
    }

    #[test]
    fn a_host_that_is_an_address_is_known_to_be_one() {
        for (text, literal) in [
            ("https://example.com", None),
            ("https://10.0.0.1:8443/x", Some("10.0.0.1")),
            ("https://[::ffff:10.0.0.1]/", Some("::ffff:10.0.0.1")),
            ("https://[64:ff9b::7f00:1]", Some("64:ff9b::7f00:1")),
        ] {
            let literal = literal.map(|address: &str| address.parse::<IpAddr>().unwrap());
            assert_eq!(WebhookAddress::parse(text).unwrap().literal(), literal, "{text}");
        }
    }
}
