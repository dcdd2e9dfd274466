//! The address of the client, also behind trusted proxies.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::http::HeaderMap;
use ipnet::IpNet;

const X_FORWARDED_FOR: &str = "x-forwarded-for";

/// Proxies whose `X-Forwarded-For` is trusted.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Vec<IpNet>);

/// The address that limits apply to. For IPv6 it is the /64 network, as one client controls all of
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress(pub IpAddr);

impl TrustedProxies {
    /// Parses addresses and networks; None if one of them is invalid.
    pub fn parse(addresses: &[String]) -> Option<Self> {
        let network =
            |text: &str| text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from));
        let named = addresses.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
        named.map(network).collect::<Option<_>>().map(Self)
    }

    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The peer's address, or behind trusted proxies the last address in `X-Forwarded-For` that is
    /// not a trusted proxy. Earlier addresses can be forged by the client.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> ClientAddress {
        let mut client = peer;
        let values = headers.get_all(X_FORWARDED_FOR).into_iter();
        let texts: Vec<&str> = values.filter_map(|value| value.to_str().ok()).collect();
        for hop in texts.iter().rev().flat_map(|text| text.rsplit(',')) {
            if !self.contains(client) {
                break;
            }
            let Some(address) = hop_address(hop.trim()) else { break };
            client = address;
        }
        ClientAddress::of(client)
    }
}

impl ClientAddress {
    pub fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
            address => address,
        })
    }
}

/// Parses an address as written by proxies, with or without a port.
fn hop_address(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    text.parse().ok().or_else(with_port)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, forwarded: &[&str]) -> String {
        let proxies = ["10.0.0.0/8", " 192.0.2.1", "::1"].map(str::to_owned);
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append(X_FORWARDED_FOR, value.parse().unwrap());
        }
        let proxies = TrustedProxies::parse(&proxies).unwrap();
        proxies.client(peer.parse().unwrap(), &headers).0.to_string()
    }

    #[test]
    fn client_is_last_hop_that_is_not_a_trusted_proxy() {
        for (peer, forwarded, expected) in [
            ("198.51.100.7", &["203.0.113.9"][..], "198.51.100.7"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["203.0.113.9"], "203.0.113.9"),
            ("10.0.0.1", &["1.1.1.1, 203.0.113.9, 192.0.2.1"], "203.0.113.9"),
            ("10.0.0.1", &["1.1.1.1", "203.0.113.9"], "203.0.113.9"),
            ("10.0.0.1", &["203.0.113.9:4711"], "203.0.113.9"),
            ("10.0.0.1", &["1.1.1.1, nonsense"], "10.0.0.1"),
            ("::ffff:10.0.0.1", &["203.0.113.9"], "203.0.113.9"),
            ("::1", &["2001:db8:1:2:3:4:5:6"], "2001:db8:1:2::"),
        ] {
            assert_eq!(client(peer, forwarded), expected, "{peer} {forwarded:?}");
        }
    }

    #[test]
    fn proxies_that_are_not_addresses_are_rejected() {
        assert!(TrustedProxies::parse(&["proxy.example.org".to_owned()]).is_none());
        assert!(!TrustedProxies::parse(&[String::new()]).unwrap().contains([0, 0, 0, 0].into()));
    }
}
