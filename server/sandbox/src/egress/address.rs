//! Classification of addresses as public or not.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

const LOOPBACK: &str = "loopback addresses are not allowed";
const PRIVATE: &str = "private addresses are not allowed";
const LINK_LOCAL: &str = "link-local addresses are not allowed";
const METADATA: &str = "the cloud metadata address is not allowed";
const SHARED: &str = "carrier-grade NAT addresses are not allowed";
const MULTICAST: &str = "multicast and broadcast addresses are not allowed";
const UNSPECIFIED: &str = "the unspecified address is not allowed";
const RESERVED: &str = "reserved addresses are not allowed";

/// The IANA special-purpose registry; the most specific of overlapping ranges first.
const NON_PUBLIC_V4: [(Ipv4Net, &str); 18] = [
    (v4([0, 0, 0, 0], 32), UNSPECIFIED),
    (v4([0, 0, 0, 0], 8), RESERVED),
    (v4([10, 0, 0, 0], 8), PRIVATE),
    (v4([100, 64, 0, 0], 10), SHARED),
    (v4([127, 0, 0, 0], 8), LOOPBACK),
    (v4([169, 254, 169, 254], 32), METADATA),
    (v4([169, 254, 0, 0], 16), LINK_LOCAL),
    (v4([172, 16, 0, 0], 12), PRIVATE),
    (v4([192, 0, 0, 0], 24), RESERVED),
    (v4([192, 0, 2, 0], 24), RESERVED),
    (v4([192, 88, 99, 0], 24), RESERVED),
    (v4([192, 168, 0, 0], 16), PRIVATE),
    (v4([198, 18, 0, 0], 15), RESERVED),
    (v4([198, 51, 100, 0], 24), RESERVED),
    (v4([203, 0, 113, 0], 24), RESERVED),
    (v4([224, 0, 0, 0], 4), MULTICAST),
    (v4([255, 255, 255, 255], 32), MULTICAST),
    (v4([240, 0, 0, 0], 4), RESERVED),
];

/// The same for IPv6; addresses outside [`GLOBAL_UNICAST`] are reserved as well.
const NON_PUBLIC_V6: [(Ipv6Net, &str); 11] = [
    (v6([0; 8], 128), UNSPECIFIED),
    (v6([0, 0, 0, 0, 0, 0, 0, 1], 128), LOOPBACK),
    (v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7), PRIVATE),
    (v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10), LINK_LOCAL),
    (v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10), PRIVATE),
    (v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8), MULTICAST),
    // Translation to IPv4 within one site.
    (v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48), PRIVATE),
    // Protocol assignments, among them Teredo, which leads to IPv4 addresses.
    (v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), RESERVED),
    (v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), RESERVED),
    (v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), RESERVED),
    (v6([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48), RESERVED),
];

const GLOBAL_UNICAST: Ipv6Net = v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);
/// NAT64: the IPv4 address is in the last 32 bits.
const NAT64: Ipv6Net = v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);
/// 6to4: the IPv4 address follows the first 16 bits.
const SIX_TO_FOUR: Ipv6Net = v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16);

const fn v4(address: [u8; 4], prefix: u8) -> Ipv4Net {
    let [a, b, c, d] = address;
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(address: [u16; 8], prefix: u8) -> Ipv6Net {
    let [a, b, c, d, e, f, g, h] = address;
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, e, f, g, h), prefix)
}

/// The address that packets to this one reach: the IPv4 address inside an IPv4-mapped, NAT64 or
/// 6to4 address, otherwise the address itself.
pub fn effective(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address.to_canonical() else { return address.to_canonical() };
    let [_, first, second, .., second_last, last] = v6.segments();
    let embedded = |high: u16, low: u16| {
        IpAddr::V4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
    };
    if NAT64.contains(&v6) {
        embedded(second_last, last)
    } else if SIX_TO_FOUR.contains(&v6) {
        embedded(first, second)
    } else {
        IpAddr::V6(v6)
    }
}

/// Why an address is not public; `None` for one that is.
pub fn non_public_reason(address: IpAddr) -> Option<&'static str> {
    match effective(address) {
        IpAddr::V4(v4) => {
            NON_PUBLIC_V4.iter().find(|(range, _)| range.contains(&v4)).map(|(_, reason)| *reason)
        }
        IpAddr::V6(v6) => {
            let listed = NON_PUBLIC_V6.iter().find(|(range, _)| range.contains(&v6));
            let reserved = (!GLOBAL_UNICAST.contains(&v6)).then_some(RESERVED);
            listed.map(|(_, reason)| *reason).or(reserved)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn non_public_addresses_are_refused_in_every_notation() {
        for (address, reason) in [
            ("0.0.0.0", UNSPECIFIED),
            ("0.1.2.3", RESERVED),
            ("10.0.0.1", PRIVATE),
            ("100.64.0.1", SHARED),
            ("100.100.100.200", SHARED),
            ("127.0.0.1", LOOPBACK),
            ("127.255.255.254", LOOPBACK),
            ("169.254.1.1", LINK_LOCAL),
            ("169.254.169.254", METADATA),
            ("172.16.0.1", PRIVATE),
            ("172.31.255.255", PRIVATE),
            ("192.0.2.1", RESERVED),
            ("192.168.1.1", PRIVATE),
            ("198.19.0.1", RESERVED),
            ("224.0.0.1", MULTICAST),
            ("250.0.0.1", RESERVED),
            ("255.255.255.255", MULTICAST),
            ("::", UNSPECIFIED),
            ("::1", LOOPBACK),
            ("::7f00:1", RESERVED),
            ("::ffff:127.0.0.1", LOOPBACK),
            ("::ffff:10.0.0.1", PRIVATE),
            ("::ffff:0:10.0.0.1", RESERVED),
            ("64:ff9b::127.0.0.1", LOOPBACK),
            ("64:ff9b::a9fe:a9fe", METADATA),
            ("64:ff9b:1::1", PRIVATE),
            ("100::1", RESERVED),
            ("2001::1", RESERVED),
            ("2001:db8::1", RESERVED),
            ("2002:7f00:1::1", LOOPBACK),
            ("2002:c0a8:101::1", PRIVATE),
            ("5f00::1", RESERVED),
            ("fc00::1", PRIVATE),
            ("fd00:ec2::254", PRIVATE),
            ("fe80::1", LINK_LOCAL),
            ("fec0::1", PRIVATE),
            ("ff02::1", MULTICAST),
        ] {
            assert_eq!(non_public_reason(address.parse().unwrap()), Some(reason), "{address}");
        }
    }

    #[test]
    fn public_addresses_are_allowed() {
        for address in [
            "1.1.1.1",
            "100.63.255.255",
            "172.15.255.255",
            "172.32.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "2002:808:808::1",
        ] {
            assert_eq!(non_public_reason(address.parse().unwrap()), None, "{address}");
        }
    }
}
