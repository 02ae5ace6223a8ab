//! Checks the Host header, so that a proxy and this service cannot interpret a request differently.

use app::{Error, ErrorKind};
use http::uri::Authority;
use http::{HeaderMap, Uri, header};

/// Refuses a request with several Host headers, an invalid one, or one that differs from its target (RFC 9112, section 3.2). Otherwise an
/// attacker could exploit a proxy that uses one host and a server that uses the other.
pub(crate) fn check(uri: &Uri, headers: &HeaderMap) -> Result<(), Error> {
    let refused = |detail: &str| Err(Error::new(ErrorKind::BadRequest, "invalid_host", detail.to_owned()));
    let mut lines = headers.get_all(header::HOST).iter();
    let Some(line) = lines.next() else { return Ok(()) };
    if lines.next().is_some() {
        return refused("The request has more than one Host header.");
    }
    // An empty Host header is allowed for targets without a host.
    if line.is_empty() && uri.authority().is_none() {
        return Ok(());
    }
    let host = line.to_str().ok().and_then(|text| text.trim().parse::<Authority>().ok());
    let Some(host) = host.filter(|host| !host.as_str().contains('@')) else {
        return refused("The Host header must be a host with an optional port.");
    };
    match uri.authority() {
        // The comparison ignores case and a port that the scheme implies.
        Some(target) if !is_same_authority(target, &host, uri.scheme_str()) => {
            refused("The Host header must be the host of the request's target.")
        }
        _ => Ok(()),
    }
}

fn is_same_authority(one: &Authority, other: &Authority, scheme: Option<&str>) -> bool {
    let implied = if scheme == Some("https") { 443 } else { 80 };
    let port = |authority: &Authority| authority.port_u16().unwrap_or(implied);
    one.host().eq_ignore_ascii_case(other.host()) && port(one) == port(other)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn is_fine(target: &str, hosts: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for host in hosts {
            headers.append(header::HOST, HeaderValue::from_str(host).unwrap());
        }
        check(&target.parse().unwrap(), &headers).is_ok()
    }

    #[test]
    fn one_host_that_fits_the_target() {
        for hosts in [&[][..], &["a.example"], &["a.example:8080"], &["[::1]:80"], &["A.Example"], &[""]] {
            assert!(is_fine("/x", hosts), "{hosts:?}");
        }
        for hosts in [&["a", "a"][..], &["a", "b"], &["a, b"], &["a/b"], &["u@a"], &["a b"]] {
            assert!(!is_fine("/x", hosts), "{hosts:?}");
        }
        assert!(is_fine("http://a.example/x", &["A.example:80"]));
        assert!(is_fine("http://a.example/x", &[]));
        for host in ["b.example", "a.example:81", ""] {
            assert!(!is_fine("http://a.example/x", &[host]), "{host:?}");
        }
    }
}
