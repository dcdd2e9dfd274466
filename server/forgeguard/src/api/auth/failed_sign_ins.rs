//! Which failed sign-ins the audit log records: a limited number, so that an attack cannot fill it.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::client_address::ClientAddress;

const PERIOD: Duration = Duration::from_secs(3_600);
/// Entries of one address per period.
const MAX_PER_ADDRESS: u32 = 10;
/// Entries of all addresses per period.
const MAX_PER_PERIOD: u32 = 200;

#[derive(Debug, Default)]
pub struct FailedSignIns(Mutex<Option<Counts>>);

#[derive(Debug)]
struct Counts {
    since: Instant,
    recorded: u32,
    /// At most [`MAX_PER_PERIOD`] addresses.
    by_address: HashMap<ClientAddress, u32>,
    /// Failures since the last entry that were not recorded.
    unrecorded: u64,
}

impl FailedSignIns {
    /// Whether a failure is recorded: then the number of failures before it that were not.
    pub fn admit(&self, address: ClientAddress) -> Option<u64> {
        self.admit_at(address, Instant::now())
    }

    fn admit_at(&self, address: ClientAddress, now: Instant) -> Option<u64> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = counts.get_or_insert_with(|| Counts::new(now));
        if now.duration_since(counts.since) >= PERIOD {
            *counts = Counts { unrecorded: counts.unrecorded, ..Counts::new(now) };
        }
        let of_address = counts.by_address.get(&address).copied().unwrap_or_default();
        if counts.recorded >= MAX_PER_PERIOD || of_address >= MAX_PER_ADDRESS {
            counts.unrecorded += 1;
            return None;
        }
        counts.recorded += 1;
        counts.by_address.insert(address, of_address + 1);
        Some(std::mem::take(&mut counts.unrecorded))
    }
}

impl Counts {
    fn new(now: Instant) -> Self {
        Self { since: now, recorded: 0, by_address: HashMap::new(), unrecorded: 0 }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn address(n: u32) -> ClientAddress {
        ClientAddress::of(Ipv4Addr::from_bits(n).into())
    }

    #[test]
    fn entries_of_one_address_are_limited_and_the_others_counted() {
        let (log, now) = (FailedSignIns::default(), Instant::now());
        let admitted = (0..25).filter(|_| log.admit_at(address(1), now).is_some()).count();
        assert_eq!(admitted, MAX_PER_ADDRESS as usize);
        assert_eq!(log.admit_at(address(2), now), Some(15));
        assert_eq!(log.admit_at(address(2), now), Some(0));
        assert_eq!(log.admit_at(address(1), now + PERIOD), Some(0));
    }

    #[test]
    fn entries_of_all_addresses_are_limited() {
        let (log, now) = (FailedSignIns::default(), Instant::now());
        let admitted = (0..100_000).filter(|n| log.admit_at(address(*n), now).is_some()).count();
        assert_eq!(admitted, MAX_PER_PERIOD as usize);
        let unrecorded = 100_000 - u64::from(MAX_PER_PERIOD);
        assert_eq!(log.admit_at(address(0), now + PERIOD), Some(unrecorded));
    }
}
