//! Where commands with network access may connect to.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;

use super::address::{effective, non_public_reason};

const THIS_MACHINE: &str = "addresses of this machine are not allowed";
const MAX_NAME_LENGTH: usize = 253;

/// Public addresses are allowed; others only if the operator lists them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EgressRules {
    /// Destinations that are allowed although they are not public.
    pub allow: Vec<AllowedDestination>,
}

/// A destination written as `HOST`, `HOST:PORT`, `ADDRESS`, `ADDRESS:PORT`, `NETWORK/PREFIX` or
/// `NETWORK/PREFIX:PORT`; an IPv6 address before a port is in brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedDestination {
    host: AllowedHost,
    /// `None` means every port.
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum AllowedHost {
    /// In lower case, without a trailing dot. All addresses that it resolves to are allowed.
    Name(String),
    Network(IpNet),
}

/// The error of parsing an [`AllowedDestination`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a destination: use a host name, an address or a network such as 10.0.0.0/8, \
     optionally followed by a colon and a port; put IPv6 addresses in brackets"
)]
pub struct InvalidDestination(String);

impl EgressRules {
    /// Why a connection is refused, in a few words. `address` is the address to connect to, `name`
    /// the requested host, and `own` the addresses of this machine.
    pub(super) fn refusal(
        &self,
        name: &str,
        address: IpAddr,
        port: u16,
        own: &[IpAddr],
    ) -> Option<&'static str> {
        let address = address.to_canonical();
        if self.allow.iter().any(|allowed| allowed.matches(name, address, port)) {
            return None;
        }
        // This machine's public address would bypass external firewalls.
        let is_own = own.contains(&address) || own.contains(&effective(address));
        non_public_reason(address).or(is_own.then_some(THIS_MACHINE))
    }
}

impl AllowedDestination {
    fn matches(&self, name: &str, address: IpAddr, port: u16) -> bool {
        let host_matches = match &self.host {
            AllowedHost::Name(allowed) => *allowed == normalized(name),
            AllowedHost::Network(network) => network.contains(&address),
        };
        host_matches && self.port.is_none_or(|allowed| allowed == port)
    }
}

impl FromStr for AllowedDestination {
    type Err = InvalidDestination;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).ok_or_else(|| InvalidDestination(text.to_owned()))
    }
}

impl fmt::Display for AllowedDestination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.host, self.port) {
            (AllowedHost::Name(name), None) => f.write_str(name),
            (AllowedHost::Name(name), Some(port)) => write!(f, "{name}:{port}"),
            (AllowedHost::Network(network), None) => write!(f, "{network}"),
            (AllowedHost::Network(IpNet::V4(network)), Some(port)) => write!(f, "{network}:{port}"),
            (AllowedHost::Network(IpNet::V6(network)), Some(port)) => {
                write!(f, "[{network}]:{port}")
            }
        }
    }
}

fn parse(text: &str) -> Option<AllowedDestination> {
    if let Some(network) = network(text) {
        return Some(AllowedDestination { host: AllowedHost::Network(network), port: None });
    }
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !text.ends_with(']') => (host, Some(port)),
        _ => (text, None),
    };
    let port = match port {
        Some(digits) => Some(digits.parse().ok().filter(|&port: &u16| port > 0)?),
        None => None,
    };
    let host = match host.strip_prefix('[').map(|rest| rest.strip_suffix(']')) {
        Some(bracketed) => {
            let network = network(bracketed?)?;
            AllowedHost::Network(matches!(network, IpNet::V6(_)).then_some(network)?)
        }
        None => match network(host) {
            Some(IpNet::V6(_)) => return None,
            Some(network) => AllowedHost::Network(network),
            None => AllowedHost::Name(name(host)?),
        },
    };
    Some(AllowedDestination { host, port })
}

/// Parses a network, or an address as a network of one.
fn network(text: &str) -> Option<IpNet> {
    let network: IpNet = text.parse().ok().or_else(|| Some(text.parse::<IpAddr>().ok()?.into()))?;
    // Addresses are compared in canonical form, which is never IPv4-mapped.
    let mapped = matches!(network.addr(), IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some());
    (!mapped).then(|| network.trunc())
}

fn name(text: &str) -> Option<String> {
    let name = normalized(text);
    let letters = |label: &str| {
        label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    let valid = name.len() <= MAX_NAME_LENGTH
        && name.split('.').all(|label| !label.is_empty() && letters(label))
        // Excludes other notations of IPv4 addresses, such as 127.1 or 0x7f000001.
        && name.rsplit('.').next()?.starts_with(|first: char| first.is_ascii_alphabetic());
    valid.then_some(name)
}

fn normalized(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(allow: &[&str]) -> EgressRules {
        EgressRules { allow: allow.iter().map(|text| text.parse().unwrap()).collect() }
    }

    #[test]
    fn destination_is_allowed_only_by_matching_entry() {
        for (allow, name, address, port, allowed) in [
            ("127.0.0.0/8", "x", "127.0.0.9", 80, true),
            ("127.0.0.0/8", "x", "::ffff:127.0.0.9", 80, true),
            ("127.0.0.0/8", "x", "::1", 80, false),
            ("10.1.2.3:5432", "db", "10.1.2.3", 5432, true),
            ("10.1.2.3:5432", "db", "10.1.2.3", 5433, false),
            ("10.1.2.3:5432", "db", "10.1.2.4", 5432, false),
            ("10.0.0.0/8:443", "x", "10.9.9.9", 443, true),
            ("10.0.0.0/8:443", "x", "10.9.9.9", 80, false),
            ("[fd00::/8]:443", "x", "fd00::7", 443, true),
            ("[fd00::1]:443", "x", "fd00::2", 443, false),
            ("fd00::1", "x", "fd00::1", 1, true),
            ("Registry.internal:443", "registry.INTERNAL.", "10.0.0.1", 443, true),
            ("registry.internal:443", "registry.internal", "10.0.0.1", 80, false),
            ("registry.internal", "other.registry.internal", "10.0.0.1", 443, false),
        ] {
            let refusal = rules(&[allow]).refusal(name, address.parse().unwrap(), port, &[]);
            assert_eq!(refusal.is_none(), allowed, "{allow} {name} {address} {port}");
        }
    }

    #[test]
    fn public_address_of_this_machine_is_refused() {
        let own: Vec<IpAddr> = vec!["8.8.8.8".parse().unwrap(), "2a00::1".parse().unwrap()];
        let refusal = |address: &str| rules(&[]).refusal("x", address.parse().unwrap(), 443, &own);
        for address in ["8.8.8.8", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2a00::1"] {
            assert_eq!(refusal(address), Some(THIS_MACHINE), "{address}");
        }
        assert_eq!(refusal("8.8.4.4"), None);
    }

    #[test]
    fn destinations_are_displayed_as_written() {
        for text in [
            "10.1.2.3/32:5432",
            "127.0.0.0/8",
            "fd00::/8",
            "[fd00::/8]:443",
            "registry.internal",
            "registry.internal:443",
        ] {
            assert_eq!(text.parse::<AllowedDestination>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn malformed_destinations_are_rejected() {
        for text in [
            "",
            ":80",
            "host:",
            "host:0",
            "host:65536",
            "host:http",
            "https://host",
            "*.internal",
            "a..b",
            "127.1",
            "2130706433",
            "0x7f000001",
            "10.0.0.0/33",
            "[10.0.0.1]:80",
            "[fd00::1:80",
            "::ffff:127.0.0.1",
            "host name",
        ] {
            assert!(text.parse::<AllowedDestination>().is_err(), "{text}");
        }
    }
}
