//! The client address of a request behind a reverse proxy.

use std::net::IpAddr;

use http::{HeaderMap, HeaderValue};
use ipnet::IpNet;

/// Returns the client address: the peer's, unless the peer is a trusted proxy; then the last address in `X-Forwarded-For` that is not a
/// trusted proxy. Earlier entries were written by the client and are not trusted.
pub(crate) fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let peer = peer.to_canonical();
    let is_trusted = |address: IpAddr| trusted.iter().any(|net| net.contains(&address));
    if !is_trusted(peer) {
        return peer;
    }
    let mut client = peer;
    // The header is read as bytes: a client that sends invalid text must not hide the entry that its proxy appended.
    let lines: Vec<&[u8]> = headers.get_all("x-forwarded-for").iter().map(HeaderValue::as_bytes).collect();
    let entries = lines.iter().flat_map(|line| line.split(|byte| *byte == b','));
    for entry in entries.collect::<Vec<_>>().into_iter().rev() {
        let Some(address) = std::str::from_utf8(entry).ok().and_then(parse) else { break };
        client = address;
        if !is_trusted(address) {
            break;
        }
    }
    client
}

fn parse(entry: &str) -> Option<IpAddr> {
    let entry = entry.trim();
    let address = entry
        .parse::<IpAddr>()
        .ok()
        .or_else(|| entry.parse::<std::net::SocketAddr>().ok().map(|socket| socket.ip()))?;
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, forwarded: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append("x-forwarded-for", HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        let trusted = ["10.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()];
        client_address(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn strangers_cannot_choose_their_address() {
        assert_eq!(client("203.0.113.9", &["198.51.100.1"]), "203.0.113.9");
        assert_eq!(client("10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["1.1.1.1, 198.51.100.1, 10.0.0.7"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["1.1.1.1", "198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["1.1.1.1, junk, 10.0.0.7"]), "10.0.0.7");
        assert_eq!(client("10.0.0.1", &["\u{ff}, 198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(client("::ffff:10.0.0.1", &["198.51.100.1:4711"]), "198.51.100.1");
    }
}
