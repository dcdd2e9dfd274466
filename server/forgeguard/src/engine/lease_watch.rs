//! Detects expired leases by a monotonic clock.
//!
//! A holder renews its lease every few seconds, which changes its row. Each node remembers when it
//! last saw a row change, and considers a lease expired if its row has not changed for the duration
//! of a lease. System clocks are never compared.

use std::{
    collections::HashMap,
    hash::Hash,
    time::{Duration, Instant},
};

/// The leases that a node has seen.
pub struct LeaseWatch<I, M> {
    lease_duration: Duration,
    seen: HashMap<I, (M, Instant)>,
}

impl<I: Copy + Eq + Hash, M: Clone + PartialEq> LeaseWatch<I, M> {
    pub fn new(lease_duration: Duration) -> Self {
        Self { lease_duration, seen: HashMap::new() }
    }

    /// Updates the watch with the leases held at `now`; returns the expired ones.
    pub fn expired(&mut self, held: Vec<(I, M)>, now: Instant) -> Vec<(I, M)> {
        let mut seen = HashMap::with_capacity(held.len());
        let mut expired = Vec::new();
        for (id, mark) in held {
            let since = match self.seen.remove(&id) {
                Some((before, since)) if before == mark => since,
                _ => now,
            };
            if now.duration_since(since) >= self.lease_duration {
                expired.push((id, mark.clone()));
            }
            seen.insert(id, (mark, since));
        }
        self.seen = seen;
        expired
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_secs(12);
    const HEARTBEAT: Duration = Duration::from_secs(4);
    const DAY: i64 = 24 * 60 * 60;

    #[test]
    fn lease_that_is_renewed_never_expires_however_the_holders_clock_jumps() {
        let mut watch = LeaseWatch::new(LEASE);
        let mut now = Instant::now();
        let mut holders_clock = 0_i64;
        for jump in [0, DAY, 0, -DAY, -DAY, 0, DAY] {
            holders_clock += 4 + jump;
            assert_eq!(watch.expired(vec![("build", holders_clock)], now), []);
            now += HEARTBEAT;
        }
    }

    #[test]
    fn lease_that_is_not_renewed_expires_after_its_duration() {
        let mut watch = LeaseWatch::new(LEASE);
        let start = Instant::now();
        let (gone, alive) = (("gone", 1), |renewal| ("alive", renewal));
        assert_eq!(watch.expired(vec![gone, alive(1)], start), []);
        assert_eq!(watch.expired(vec![gone, alive(2)], start + LEASE / 2), []);
        assert_eq!(watch.expired(vec![gone, alive(3)], start + LEASE), [gone]);
        // The duration of a new lease starts when it is first seen.
        assert_eq!(watch.expired(vec![("gone", 2)], start + LEASE), []);
        assert_eq!(watch.expired(Vec::new(), start + LEASE), []);
        assert_eq!(watch.expired(vec![("gone", 2)], start + 2 * LEASE), []);
    }
}
