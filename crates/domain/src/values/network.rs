//! The network by which callers are counted and limited.

use std::net::{IpAddr, Ipv6Addr};

/// Returns the first address of the network that counts as one caller: the /64 of an IPv6 address, the single address for IPv4.
/// An IPv4-mapped IPv6 address counts as the IPv4 address.
pub fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(v4),
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_counts_as_one_whichever_of_its_addresses_it_uses() {
        let network = |text: &str| network_of(text.parse().unwrap()).to_string();
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(network("192.0.2.7"), "192.0.2.7");
        // Otherwise all of IPv4 would be one caller.
        assert_eq!(network("::ffff:192.0.2.7"), "192.0.2.7");
    }
}
