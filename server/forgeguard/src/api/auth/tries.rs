//! How often an account may be tried from one place before it must wait.
//!
//! Tries are counted when they begin, so that many at once do not slip through, and forgotten
//! when one succeeds, so that whoever knows the password never waits.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Tries before the first wait.
const FREE: u32 = 5;
/// The time after which one more try is given back.
const REFILL: Duration = Duration::from_secs(60);
/// Entries that are kept at most; the oldest go first.
const KEPT: usize = 10_000;

type Key = (IpAddr, String);

/// The tries of everyone.
#[derive(Debug, Default)]
pub struct Tries(Mutex<HashMap<Key, Bucket>>);

#[derive(Clone, Copy, Debug)]
struct Bucket {
    used: u32,
    since: Instant,
}

impl Tries {
    /// Counts one try from `ip` at `email`, or says how long to wait.
    pub fn begin(&self, ip: IpAddr, email: &str, now: Instant) -> Result<(), Duration> {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= KEPT {
            buckets.retain(|_, bucket| bucket.at(now).used > 0);
        }
        if buckets.len() >= KEPT {
            let oldest = buckets.iter().min_by_key(|(_, bucket)| bucket.since);
            if let Some(key) = oldest.map(|(key, _)| key.clone()) {
                buckets.remove(&key);
            }
        }
        let fresh = Bucket { used: 0, since: now };
        let bucket = buckets.entry((ip, email.to_owned())).or_insert(fresh);
        *bucket = bucket.at(now);
        if bucket.used >= FREE {
            return Err(REFILL.saturating_sub(now.duration_since(bucket.since)));
        }
        bucket.used += 1;
        Ok(())
    }

    /// The try succeeded: nothing is held against them.
    pub fn succeeded(&self, ip: IpAddr, email: &str) {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.remove(&(ip, email.to_owned()));
    }
}

impl Bucket {
    /// The bucket with what was given back until `now`.
    fn at(self, now: Instant) -> Self {
        let refills = now.duration_since(self.since).as_secs() / REFILL.as_secs();
        match u32::try_from(refills).unwrap_or(u32::MAX) {
            n if n >= self.used => Self { used: 0, since: now },
            n => Self { used: self.used - n, since: self.since + REFILL * n },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[test]
    fn the_sixth_try_waits_and_a_minute_gives_one_back() {
        let (tries, now) = (Tries::default(), Instant::now());
        for _ in 0..5 {
            assert_eq!(tries.begin(HERE, "a@b", now), Ok(()));
        }
        let later = now + Duration::from_secs(20);
        assert_eq!(tries.begin(HERE, "a@b", later), Err(Duration::from_secs(40)));
        assert_eq!(tries.begin(HERE, "other@b", later), Ok(()));
        let next = now + REFILL;
        assert_eq!(tries.begin(HERE, "a@b", next), Ok(()));
        assert!(tries.begin(HERE, "a@b", next).is_err());
    }

    #[test]
    fn success_wipes_the_slate() {
        let (tries, now) = (Tries::default(), Instant::now());
        for _ in 0..20 {
            assert_eq!(tries.begin(HERE, "a@b", now), Ok(()));
            tries.succeeded(HERE, "a@b");
        }
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let (tries, now) = (Tries::default(), Instant::now());
        for n in 0..KEPT + 50 {
            assert_eq!(tries.begin(HERE, &n.to_string(), now), Ok(()));
        }
        assert!(tries.0.lock().unwrap().len() <= KEPT);
    }
}
